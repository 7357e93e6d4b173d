// Work that may end its process, tried in a child first: a kernel of an instruction that the
// machine does not let anybody use ends the child, and not the program that measures.
#pragma once

#include <functional>

namespace wattree {

struct Trial {
  bool is_good = false;  // The work came to its end, and said that it went well.
  int signal = 0;        // That ended the child; 0: none did.
};

// Runs `work` once in a child of this process. What it changes or prints is not seen here. Where no
// child can be had, nothing is tried: neither good nor ended by a signal.
//
// Other threads may run meanwhile, as long as they hold none of the locks that `work` takes; those
// of the C library are fit for it. Not for work on a GPU: CUDA does not survive a fork.
Trial try_in_child(const std::function<bool()>& work);

}  // namespace wattree
