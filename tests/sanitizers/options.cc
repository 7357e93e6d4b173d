// What every program with the address sanitizer here starts with; ASAN_OPTIONS can change it.
//
// Up to GCC 13 and LLVM 16, the sanitizer takes a thread-local block of a loaded library for one of
// glibc before 2.25 where it happens to begin 16 bytes after a page, and the two words before it
// for its place and its size (google/sanitizers, "Detecting GLIBC version (DTLS SIGSEGV)"). The
// search for leaks then reads there and dies, now and then in programs that load PyTorch. Without
// its record of such blocks it searches everything else and still finds leaks.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name.
extern "C" const char* __asan_default_options();
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name.
extern "C" const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
