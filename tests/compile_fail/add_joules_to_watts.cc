// An energy and a power do not add up.
#include "src/base/units.h"

using namespace wattree;

#ifdef RIGHT
constexpr Joules kSum = Joules(1) + Watts(1) * Seconds(1);
static_assert(kSum == Joules(2));
#else
constexpr auto kSum = Joules(1) + Watts(1);
#endif
