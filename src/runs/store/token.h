// Tokens that allow others to call a server. A token itself is nowhere kept: only its hash is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/token_scope.h"
#include "src/base/utc_time.h"

namespace wattree {

struct Token {
  std::int64_t id = 0;  // For people, to revoke it by.
  std::string hash;     // Of its text: token_hash().
  std::string name;     // Who has it, or what for.
  TokenScope scope = TokenScope::kRead;
  UtcTime created;
  std::optional<UtcTime> expires;
  std::optional<UtcTime> used;  // The last time, to a minute.
  std::optional<UtcTime> revoked;
  bool operator==(const Token&) const = default;
};

// What is kept of a token: the SHA-256 of its text. It has 256 random bits, so that its hash needs
// neither salt nor many rounds.
std::string token_hash(std::string_view token);

// A new one, from the system's random numbers: "wt_" and 64 digits.
std::string random_token();

}  // namespace wattree
