// The one clock that readings are stamped with. A parameter everywhere, so that tests are exact.
#pragma once

#include <cstdint>

namespace wattree {

// Nanoseconds since an arbitrary start.
using Nanos = std::int64_t;

constexpr Nanos kNanosPerMillisecond = 1'000'000;
constexpr Nanos kNanosPerSecond = 1'000'000'000;
constexpr double seconds(Nanos duration) { return static_cast<double>(duration) * 1e-9; }

struct Clock {
  Nanos (*read)(void* context) = nullptr;
  void* context = nullptr;
  Nanos now() const { return read(context); }
};

// CLOCK_BOOTTIME: never set back, and it goes on while the machine is suspended, so that a
// suspension is seen as the gap it is (CLOCK_MONOTONIC would hide it).
Clock boot_clock();

}  // namespace wattree
