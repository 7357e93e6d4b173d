// The command that is tracked: started untouched, waited for, signalled.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/runs/track/signals.h"

namespace wattree {

struct ChildOptions {
  std::vector<std::string> command;      // Found along PATH, as a shell would.
  std::vector<std::string> environment;  // "NAME=value"; all of it.
  int out = -1, err = -1;                // Negative: the tracker's own.
};

// Exit codes of a shell, for a command that does not start.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

struct ChildStart {
  pid_t process = -1;
  int exit_code = 0;  // Where it did not start: 126 or 127,
  std::string error;  // and why.
};

// In the same process group, with the same terminal, streams, limits and signals as the tracker.
ChildStart start_child(const ChildOptions& options, const SignalWatch& signals);

// The exit code once it has ended, 128 + the signal where it died by one.
std::optional<int> poll_child(pid_t process);

// A descriptor that is readable when the process, which need not be a child, has ended. An error
// where there is no such process.
Result<int> watch_process(pid_t process);

// A process and everything below it, parents first, as /proc shows it.
std::vector<pid_t> process_tree(pid_t root, const std::filesystem::path& proc_root = "/proc");
// Signals all of them, until no new ones appear (a process may fork meanwhile).
void signal_tree(pid_t root, int number, const std::filesystem::path& proc_root = "/proc");

// "python train.py --lr '1 2'": as one could type it.
std::string command_text(const std::vector<std::string>& command);

}  // namespace wattree
