#include "src/measure/runner/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

namespace wattree {
namespace {

constexpr int kGood = 0, kBad = 1;

// Never returns.
void run_as_child(const std::function<bool()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // Nobody waits for it when the program is gone.
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int number : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTRAP}) {
    ::signal(number, SIG_DFL);
  }
  // What the framework warns of comes again when the work is done for good.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  int code = kBad;
  try {
    if (work()) code = kGood;
  } catch (...) {  // An error, not a signal: whoever does the work for good will see it.
  }
  ::_exit(code);
}

}  // namespace

Trial try_in_child(const std::function<bool()>& work) {
  Trial out;
  // From a thread of its own: OpenMP keeps its workers by the thread that called them, the child
  // has none of them, and would wait for them for ever. A thread that is new has none to miss.
  const auto run = [&] {
    const pid_t child = ::fork();
    if (child == 0) run_as_child(work);
    if (child < 0) return;
    int status = 0;
    pid_t ended = 0;
    do {
      ended = ::waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended != child) return;
    out.is_good = WIFEXITED(status) && WEXITSTATUS(status) == kGood;
    out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  };
  // Its signals stay as they are, for the child has them too.
  try {
    std::thread(run).join();
  } catch (const std::system_error&) {  // There is no thread to be had: as without a child.
  }
  return out;
}

}  // namespace wattree
