// A library with a thread-local block, which the loader allocates at the first use.
thread_local long block[5];  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): a block.

extern "C" void use_block() { block[0] = 1; }
