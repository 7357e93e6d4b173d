#include "src/measure/meter/clock.h"

#include <ctime>

namespace wattree {

Clock boot_clock() {
  return {[](void*) -> Nanos {
            timespec time{};
            clock_gettime(CLOCK_BOOTTIME, &time);
            return Nanos{time.tv_sec} * kNanosPerSecond + time.tv_nsec;
          },
          nullptr};
}

}  // namespace wattree
