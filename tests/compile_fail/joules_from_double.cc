// A bare number is no energy until somebody says so.
#include "src/base/units.h"

using namespace wattree;

#ifdef RIGHT
constexpr Joules kEnergy = Joules(3.0);
static_assert(kEnergy.value == 3.0);
#else
constexpr Joules kEnergy = 3.0;
#endif
