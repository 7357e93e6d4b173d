// A Result is not its value: asking for that is where one checks.
#include "src/base/result.h"
#include "src/base/units.h"

wattree::Result<wattree::Joules> read_counter();

wattree::Joules energy() {
#ifdef RIGHT
  const wattree::Result<wattree::Joules> result = read_counter();
  return result.ok() ? result.value() : wattree::Joules(0);
#else
  return read_counter();
#endif
}
