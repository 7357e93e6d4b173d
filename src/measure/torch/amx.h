// Tiles of the processor (AMX), which kernels in bf16 use where they can. Some virtual machines
// show them and let nobody use them; the first kernel that does then ends the process by SIGILL.
#pragma once

#include <optional>
#include <string>

namespace wattree::torch_plugin {

enum class Amx { kAbsent, kForbidden, kUsable };

// Asks the processor whether it has tiles, then the kernel for leave to use them in this process,
// and at last uses one, in a child.
Amx find_amx();

// Its last two steps: false where the kernel refuses, or where using a tile ends the child.
bool can_use_tile();

// "absent", "forbidden" or "usable".
std::optional<Amx> parse_amx(const std::string& name);

// Keeps oneDNN from tiles where they are forbidden, by the variable that it reads before its first
// kernel; a limit that the user has set stays. Returns what the user should know; mostly nothing.
// It changes the environment: to be called before other threads read it.
std::string limit_onednn(Amx amx);

}  // namespace wattree::torch_plugin
