// Answers that requests of the very same bytes get again, without being parsed: programs that ask
// often ask alike. Whether an answer still holds, and for this caller, the application says each
// time (HttpAnswer::holds).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "src/server/beast/connection_origin.h"
#include "src/server/http/http.h"

namespace wattree {

struct RepeatedAnswer {
  ConnectionOrigin origin;
  std::string head;  // Without its date and the empty line.
  std::shared_ptr<const std::string> body;
  std::function<bool()> holds;
};

// Of one loop, and used by its thread alone.
class RepeatedAnswers {
 public:
  // Requests and bodies that are longer are not kept: memory stays bounded.
  static constexpr std::size_t kLongestRequest = 2048;
  static constexpr std::size_t kLongestBody = std::size_t{64} << 10;
  static constexpr std::size_t kMost = 128;

  // Null where there is none, or it holds no more. The application counts it as an answered call.
  const RepeatedAnswer* find(std::string_view request, const ConnectionOrigin& origin);
  void put(std::string_view request, RepeatedAnswer answer);
  std::size_t size() const { return answers_.size(); }

 private:
  struct Hash : std::hash<std::string_view> {
    // NOLINTNEXTLINE(readability-identifier-naming): the standard's name.
    using is_transparent = void;
  };
  std::unordered_map<std::string, RepeatedAnswer, Hash, std::equal_to<>> answers_;
};

}  // namespace wattree
