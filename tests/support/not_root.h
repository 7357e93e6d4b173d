// For tests of what may not be read.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace wattree {

// Root may read everything: for as long as this lives, the program is nobody instead. A user who is
// not root stays who they are.
class NotRoot {
 public:
  NotRoot() : was_root_(::geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (was_root_ && ::seteuid(kNobody) != 0) std::abort();
  }
  NotRoot(const NotRoot&) = delete;
  NotRoot& operator=(const NotRoot&) = delete;
  ~NotRoot() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

}  // namespace wattree
