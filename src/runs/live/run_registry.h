// The runs on this machine, a small file each: written when a run begins and when it ends, and kept
// after it. A run whose journal or profile is elsewhere (-o, --journal) is found by it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/live/run_brief.h"

namespace wattree {

// A process that no later one can be mistaken for: numbers are used again, but not with the same
// beginning in the same uptime.
struct ProcessMark {
  std::int64_t process = 0;
  std::int64_t begun_ticks = 0;  // Since the machine was started, as /proc/PID/stat has it.
  std::string boot;              // The uptime, as /proc/sys/kernel/random/boot_id has it.
  std::string host;
};
ProcessMark mark_of(std::int64_t process, const std::filesystem::path& proc_root = "/proc");
// Absent where that cannot be told: it is a process of another machine.
std::optional<bool> is_running(const ProcessMark& mark,
                               const std::filesystem::path& proc_root = "/proc");

struct RunEntry {
  std::string id;  // The journal's name without ".journal": time, name and process.
  std::string name;
  std::filesystem::path journal;
  std::filesystem::path socket;   // Of the tracker's control; empty: it has none.
  std::filesystem::path profile;  // Where it is once the run has ended, or was recovered.
  std::string link = {};          // Of a run elsewhere: its link. Not in the file.
  ProcessMark tracker;
  std::optional<RunBrief> brief;  // Of a run that is over.
};

// "20261117T123355Z-train-py-4711" of ".../20261117T123355Z-train-py-4711.journal".
std::string run_id(const std::filesystem::path& journal);
// Names a file of this kind and leads nowhere else.
bool is_run_id(std::string_view id);

// The file is there whole or not at all.
Status write_run_entry(const std::filesystem::path& folder, const RunEntry& entry);
Result<RunEntry> read_run_entry(const std::filesystem::path& folder, const std::string& id);
Status remove_run_entry(const std::filesystem::path& folder, const std::string& id);
// Ids, the newest first. A folder that does not exist is empty.
std::vector<std::string> list_run_entries(const std::filesystem::path& folder);

}  // namespace wattree
