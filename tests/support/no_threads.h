// For tests of what happens where no thread can be started.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdlib>

namespace wattree {

// For as long as this lives, threads cannot start: each would need a stack as large as all
// addresses that a program has. A limit on processes would not bind root.
class NoThreads {
 public:
  NoThreads() {
    constexpr std::size_t kAllAddresses = std::size_t{1} << 47;
    pthread_attr_t none;
    if (::pthread_getattr_default_np(&before_) != 0 || ::pthread_attr_init(&none) != 0 ||
        ::pthread_attr_setstacksize(&none, kAllAddresses) != 0 ||
        ::pthread_setattr_default_np(&none) != 0) {
      std::abort();
    }
    ::pthread_attr_destroy(&none);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

}  // namespace wattree
