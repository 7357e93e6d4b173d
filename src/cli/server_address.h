// Where a server may listen.
#pragma once

#include <string>

#include "src/api/services/services.h"
#include "src/base/result.h"

namespace wattree {

// Whether nobody on another machine can call by this address.
bool is_for_this_machine(const std::string& address);

// An error for an address by which other machines could call, unless all of them may read or
// somebody has a token.
Status check_address(const std::string& address, bool is_public, const Services& services);

}  // namespace wattree
