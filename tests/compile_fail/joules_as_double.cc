// A quantity does not lose its unit silently.
#include "src/base/units.h"

using namespace wattree;

#ifdef RIGHT
constexpr double kNumber = Joules(3.0).value;
static_assert(kNumber == 3.0);
#else
constexpr double kNumber = Joules(3.0);
#endif
