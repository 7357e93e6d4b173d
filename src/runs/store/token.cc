#include "src/runs/store/token.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "src/base/hex_text.h"
#include "src/base/sha256.h"

namespace wattree {

std::string token_hash(std::string_view token) {
  const auto bytes = sha256(token);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string random_token() {
  std::array<char, 32> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    // The call fails only where a signal comes in between: a kernel without it runs nothing of
    // ours.
    if (got < 0 && errno != EINTR) std::abort();
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return "wt_" + hex_text({bytes.data(), bytes.size()});
}

}  // namespace wattree
