#include "src/cli/server_address.h"

#include "src/base/in_quotes.h"

namespace wattree {
namespace {

bool is_for_this_machine(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost" ||
         address.starts_with("unix:");
}

}  // namespace

Status check_address(const std::string& address, bool is_public) {
  if (is_public || is_for_this_machine(address)) return {};
  return Error{ErrorCode::kInvalidInput, "at " + in_quotes(address) + " others could call, too",
               "<public> lets them read, and nothing else", "address"};
}

}  // namespace wattree
