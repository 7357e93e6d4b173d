// A Status that nobody looks at is a failure that nobody sees.
#include "src/base/result.h"

wattree::Status write_counter();

bool measure() {
#ifdef RIGHT
  return write_counter().ok();
#else
  write_counter();
  return true;
#endif
}
