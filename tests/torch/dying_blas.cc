// A BLAS whose products in fp32 end the process, as kernels do that use an instruction which the
// machine forbids. Loaded before the real one (LD_PRELOAD).
#include <csignal>

extern "C" void sgemm_();
extern "C" void sgemm_() { std::raise(SIGILL); }
