// How many runs of a node are launched at once.
#pragma once

#include <algorithm>
#include <cmath>

namespace wattree {

inline constexpr double kLaunchSeconds = 0.02;
// Nobody can stop a launch that has begun, so not even sets of buffers make it longer.
inline constexpr double kLongestLaunchSeconds = 1;
inline constexpr double kSmallSeconds = 100e-6;
inline constexpr int kSmallCopies = 32;
inline constexpr int kMaxCopies = 1024;

// As many as take 20 ms, at least 32 of a small one, and every set of buffers in its turn. Of a run
// so slow that all sets would take too long only some have theirs: what it reads besides pushes
// weights out of the cache.
inline int count_copies(double run_seconds, int sets) {
  const double seconds = std::max(run_seconds, 1e-7);
  const int least = std::max(sets, seconds < kSmallSeconds ? kSmallCopies : 1);
  const int copies = std::clamp(static_cast<int>(std::ceil(kLaunchSeconds / seconds)), least,
                                std::max(kMaxCopies, least));
  const int whole_turns = (copies + sets - 1) / sets * sets;
  return std::min(whole_turns, std::max(1, static_cast<int>(kLongestLaunchSeconds / seconds)));
}

}  // namespace wattree
