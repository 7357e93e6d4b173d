// A oneDNN whose kernels end the process unless they are limited to AVX512_CORE_BF16 or less, as on
// virtual machines that show AMX and let nobody use it. Loaded before the real one (LD_PRELOAD).
#include <dlfcn.h>

#include <csignal>
#include <cstdlib>

extern "C" int dnnl_primitive_execute(const void* primitive, void* stream, int count,
                                      const void* arguments);
extern "C" int dnnl_primitive_execute(const void* primitive, void* stream, int count,
                                      const void* arguments) {
  if (std::getenv("DNNL_MAX_CPU_ISA") == nullptr) std::raise(SIGILL);
  using Execute = int (*)(const void*, void*, int, const void*);
  // Not the next one of that name: the real library is loaded with the plugin, and known to it
  // alone.
  static const auto execute = reinterpret_cast<Execute>(
      ::dlsym(::dlopen("libdnnl.so.2", RTLD_NOW | RTLD_NOLOAD), "dnnl_primitive_execute"));
  return execute(primitive, stream, count, arguments);
}
