// A Result that nobody looks at is an error that nobody sees.
#include "src/base/result.h"

wattree::Result<int> read_counter();

bool measure() {
#ifdef RIGHT
  return read_counter().ok();
#else
  read_counter();
  return true;
#endif
}
