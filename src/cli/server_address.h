// Where a server may listen.
#pragma once

#include <string>

#include "src/base/result.h"

namespace wattree {

// An error for an address by which other machines could call, unless all of them may read.
Status check_address(const std::string& address, bool is_public);

}  // namespace wattree
