#include "src/cli/server_address.h"

#include <algorithm>

#include "src/api/access/tokens.h"
#include "src/base/in_quotes.h"

namespace wattree {
namespace {

bool has_good_token(const Services& services) {
  const Result<TokensAnswer> answer = tokens(services);
  if (!answer.ok()) return false;
  return std::any_of(
      answer.value().tokens.begin(), answer.value().tokens.end(),
      [&](const Token& token) { return state_of(token, answer.value().now) == TokenState::kGood; });
}

}  // namespace

bool is_for_this_machine(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost" ||
         address.starts_with("unix:");
}

Status check_address(const std::string& address, bool is_public, const Services& services) {
  if (is_public || is_for_this_machine(address) || has_good_token(services)) return {};
  return Error{ErrorCode::kInvalidInput,
               "at " + in_quotes(address) + " others could call, too, and none has a token",
               "`wattree token create` makes one; <public> lets anybody read, and nothing else",
               "address"};
}

}  // namespace wattree
