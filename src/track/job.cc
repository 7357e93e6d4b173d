#include "src/track/job.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "src/base/environment.h"
#include "src/base/file_error.h"

namespace wattree {
namespace {

// FNV-1a, 64 bits: a name of a file for any text.
std::string name_for(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.lock", static_cast<unsigned long long>(hash));
  return name;
}

std::optional<std::string> value(const Environment& environment, const char* name) {
  auto text = environment(name);
  if (text && text->empty()) return std::nullopt;
  return text;
}

}  // namespace

std::string find_job(const Environment& environment, long parent_process) {
  if (const auto job = value(environment, "WATTREE_JOB")) return "job " + *job;
  if (const auto job = value(environment, "SLURM_JOB_ID")) {
    return "slurm " + *job + "." + value(environment, "SLURM_STEP_ID").value_or("batch");
  }
  if (const auto run = value(environment, "TORCHELASTIC_RUN_ID")) {
    // Without a name of the user's the run is called "none": the agent, which is the parent of all
    // workers, tells runs apart.
    return "torchrun " + *run + (*run == "none" ? " " + std::to_string(parent_process) : "");
  }
  if (const auto space = value(environment, "PMIX_NAMESPACE")) return "mpi " + *space;
  if (const auto tracker = value(environment, "WATTREE_TRACK")) return "inside " + *tracker;
  return "";
}

Result<std::filesystem::path> runtime_folder(const Environment& environment) {
  std::filesystem::path folder = xdg_folder(XdgFolder::kRuntime, environment);
  if (!folder.empty()) {
    folder /= "wattree";
  } else {
    folder = std::filesystem::path(value(environment, "TMPDIR").value_or("/tmp")) /
             ("wattree-" + std::to_string(::geteuid()));
  }
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return file_error("create", folder, errno);
  }
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) return file_error("look at", folder, errno);
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 022) != 0) {
    return Error{ErrorCode::kPermission,
                 folder.string() + " is not a folder that only this user can write to",
                 "set XDG_RUNTIME_DIR to one that is"};
  }
  return folder;
}

DeviceClaims::~DeviceClaims() {
  for (const int lock : locks_) ::close(lock);
}

std::vector<CountedElsewhere> DeviceClaims::claim(const std::filesystem::path& folder,
                                                  const std::string& job, Meters& meters) {
  std::vector<CountedElsewhere> out;
  const auto is_taken = [&](const std::unique_ptr<Meter>& meter) {
    const Description& d = meter->description();
    const auto path = folder / name_for(job + "\n" + d.device + "\n" + d.name);
    const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) return false;  // Without locks everybody counts for himself.
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) {
      // The file stays: taking it away would let two have the same name locked.
      const std::string process = std::to_string(::getpid()) + "\n";
      if (::ftruncate(lock, 0) == 0) {
        [[maybe_unused]] const ssize_t put = ::pwrite(lock, process.data(), process.size(), 0);
      }
      locks_.push_back(lock);
      return false;
    }
    const bool is_held = errno == EWOULDBLOCK;
    char text[32];
    const ssize_t got = ::pread(lock, text, sizeof text, 0);
    ::close(lock);
    if (!is_held) return false;
    CountedElsewhere other{d.name, 0};
    if (got > 0) std::from_chars(text, text + got, other.process);
    out.push_back(other);
    return true;
  };
  std::erase_if(meters, is_taken);
  return out;
}

}  // namespace wattree
