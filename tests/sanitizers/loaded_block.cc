// The search for leaks survives a library's thread-local block, wherever on a page it begins (see
// options.cc). With one more allocation before it in every child, it begins everywhere once.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kPlaces = 64;  // A block takes 64 bytes with what the sanitizer puts before it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): kept, so that none leaks.
void* volatile kept[kPlaces];

int use_library(const char* path, int allocations) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) return 1;
  auto* use_block = reinterpret_cast<void (*)()>(dlsym(library, "use_block"));
  if (use_block == nullptr) return 1;
  for (int i = 0; i < allocations; ++i) kept[i] = std::malloc(40);
  use_block();
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  for (int place = 0; place < kPlaces; ++place) {
    const pid_t child = fork();
    if (child == 0) std::exit(use_library(arguments[1], place));
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) {
      std::fprintf(stderr, "child %d ended with status %d\n", place, status);
      return 1;
    }
  }
}
