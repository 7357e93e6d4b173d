#include "src/measure/torch/amx.h"

#include <cstdlib>

#ifdef __x86_64__
#include <cpuid.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace wattree::torch_plugin {
namespace {

// The best that has no tiles, by a name that every release of oneDNN knows.
constexpr char kWithoutTiles[] = "AVX512_CORE_BF16";

#ifdef __x86_64__

bool has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTileBit = 1U << 24U;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kTileBit) != 0;
}

// For the whole process and its children. Libraries that use tiles ask for it too, or forget to.
bool ask_for_tiles() {
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;               // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Nothing here may allocate or lock: it runs between fork and _exit.
void use_a_tile() {
  // Palette 1, and tile 0 of one row and 64 bytes.
  alignas(64) unsigned char config[64] = {};
  config[0] = 1;
  config[16] = 64;
  config[48] = 1;
  // As bytes, because assemblers before 2.35 do not know them.
  asm volatile(
      ".byte 0xc4, 0xe2, 0x78, 0x49, 0x00\n\t"  // ldtilecfg (%rax)
      ".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0\n\t"  // tilezero %tmm0
      ".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0\n\t"  // tilerelease
      :
      : "a"(config)
      : "memory");
  ::_exit(0);
}

#endif

}  // namespace

bool can_use_tile() {
#ifdef __x86_64__
  if (!ask_for_tiles()) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(SIGILL, SIG_DFL);
    ::signal(SIGSEGV, SIG_DFL);
    use_a_tile();
  }
  // Without a child nothing is known; then the library decides, as it would without us.
  if (child < 0) return true;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
#else
  return false;
#endif
}

Amx find_amx() {
#ifdef __x86_64__
  if (has_amx()) return can_use_tile() ? Amx::kUsable : Amx::kForbidden;
#endif
  return Amx::kAbsent;
}

std::optional<Amx> parse_amx(const std::string& name) {
  if (name == "absent") return Amx::kAbsent;
  if (name == "forbidden") return Amx::kForbidden;
  if (name == "usable") return Amx::kUsable;
  return std::nullopt;
}

std::string limit_onednn(Amx amx) {
  if (amx != Amx::kForbidden) return "";
  // The library has two names for it, and the older one is known to all releases.
  if (std::getenv("ONEDNN_MAX_CPU_ISA") != nullptr || std::getenv("DNNL_MAX_CPU_ISA") != nullptr)
    return "";
  ::setenv("DNNL_MAX_CPU_ISA", kWithoutTiles, 1);
  return std::string(
             "this machine shows AMX and does not let programs use it: oneDNN is limited to ") +
         kWithoutTiles + ", which is slower in bf16 (DNNL_MAX_CPU_ISA)";
}

}  // namespace wattree::torch_plugin
