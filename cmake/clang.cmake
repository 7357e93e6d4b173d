# The clang that this machine has: Debian and Ubuntu name it by version. 14 first, because Debian 12 is what we test on.
find_program(WATTREE_CLANGXX NAMES clang++-14 clang++-18 clang++-19 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER ${WATTREE_CLANGXX})
