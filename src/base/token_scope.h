// What a token allows.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace wattree {

// To read; to send runs and profiles; everything. Each allows all that those before it do.
enum class TokenScope { kRead, kIngest, kAdmin };

inline constexpr std::array<std::string_view, 3> kTokenScopes{"read", "ingest", "admin"};

constexpr std::string_view name_of(TokenScope scope) {
  return kTokenScopes[static_cast<std::size_t>(scope)];
}

constexpr std::optional<TokenScope> parse_token_scope(std::string_view name) {
  for (std::size_t i = 0; i < kTokenScopes.size(); ++i) {
    if (kTokenScopes[i] == name) return static_cast<TokenScope>(i);
  }
  return std::nullopt;
}

}  // namespace wattree
