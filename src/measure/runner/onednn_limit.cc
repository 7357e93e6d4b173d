#include "src/measure/runner/onednn_limit.h"

#include <array>
#include <cstdlib>

#include "src/measure/runner/trial.h"

namespace wattree {
namespace {

// The library has two names for it. The older one is known to all releases.
constexpr char kVariable[] = "DNNL_MAX_CPU_ISA";
constexpr char kNewVariable[] = "ONEDNN_MAX_CPU_ISA";

// From wide to narrow, by names that every release knows.
constexpr std::array kLimits{"AVX512_CORE_BF16", "AVX512_CORE", "AVX2"};

}  // namespace

std::string limit_onednn(const std::function<bool()>& product) {
  if (std::getenv(kVariable) != nullptr || std::getenv(kNewVariable) != nullptr) return "";
  if (try_in_child(product).signal == 0) return "";
  for (const char* limit : kLimits) {
    const Trial limited = try_in_child([&] {
      ::setenv(kVariable, limit, 1);
      return product();
    });
    if (!limited.is_good) continue;  // Some releases have no bf16 under a narrow limit.
    ::setenv(kVariable, limit, 1);
    return std::string(
               "this machine shows instructions (mostly AMX) that end the programs which ") +
           "use them: oneDNN is limited to " + limit + ", which is slower in bf16 (" + kVariable +
           ")";
  }
  return "";  // No limit helps. The kernels' own trials will say which of them cannot run.
}

}  // namespace wattree
