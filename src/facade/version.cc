#include "src/base/version.h"

#include "include/wattree/wattree.h"

namespace wattree {

std::string_view version() { return kVersion; }

}  // namespace wattree
