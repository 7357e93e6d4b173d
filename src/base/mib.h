#pragma once

namespace wattree {

inline constexpr double kMiB = 1024.0 * 1024.0;  // Bytes.

}  // namespace wattree
