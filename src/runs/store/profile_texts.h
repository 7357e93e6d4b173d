// Texts that people attach to profiles. Any text is kept as it is, but it must be one.
#pragma once

#include <string>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// UTF-8, not empty, of at most 500 bytes.
Status check_name(const std::string& name);
// Of a name that somebody else gave, whatever it is made of.
Status check_length(const std::string& name);
// At most 50 of them; each of 1 to 100 bytes of UTF-8, without white space at its ends.
Status check_tags(const std::vector<std::string>& tags);

}  // namespace wattree
