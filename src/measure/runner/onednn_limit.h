// A limit on the instructions that oneDNN, the framework's library for processors, chooses from.
// Some virtual machines show instructions, mostly AMX tiles, that end the process which uses them.
#pragma once

#include <functional>
#include <string>

namespace wattree {

// Runs `product`, the framework's own product in bf16, in a child, and believes only what becomes
// of it: one tile by hand may work where the library's kernel does not. Where a signal ends the
// child, the widest limit under which it runs is set for this process, by the variable that oneDNN
// reads before its first kernel. A limit that the user has set stays, and then nothing is tried.
// Returns what the user should know; mostly nothing.
//
// It changes the environment: to be called before other threads read it, and before the first
// kernel of this process.
std::string limit_onednn(const std::function<bool()>& product);

}  // namespace wattree
