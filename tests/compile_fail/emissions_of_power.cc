// A grid's intensity is per energy: a power has no emissions until it has lasted for some time.
#include "src/base/units.h"

using namespace wattree;

#ifdef RIGHT
constexpr GramsCo2e kEmitted = Watts(1000) * Seconds(3600) * CarbonIntensity(400);
static_assert(kEmitted == GramsCo2e(400));
#else
constexpr auto kEmitted = Watts(1000) * CarbonIntensity(400);
#endif
