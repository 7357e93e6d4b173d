// Quantities of different dimensions have no order.
#include "src/base/units.h"

using namespace wattree;

#ifdef RIGHT
static_assert(Joules(1) < Joules(2));
#else
constexpr bool kLess = Joules(1) < Seconds(2);
#endif
