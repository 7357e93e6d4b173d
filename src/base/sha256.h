// SHA-256 (FIPS 180-4). Here for tokens, so that the program need not load a cryptographic library
// at every start.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace wattree {

std::array<std::uint8_t, 32> sha256(std::string_view text);

}  // namespace wattree
