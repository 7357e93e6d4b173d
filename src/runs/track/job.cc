#include "src/runs/track/job.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

// What a claim's file says.
struct Owner {
  long process = 0;
  std::optional<Reading> last;
};

// Always as long, so that it is written over in one go: process, time, count and level.
constexpr char kOwnerFormat[] = "%10ld %20lld %20llu %24.17g\n";
constexpr std::size_t kOwnerLength = 10 + 1 + 20 + 1 + 20 + 1 + 24 + 1;

void write_owner(int file, const Reading* last) {
  char text[128];
  const int length =
      std::snprintf(text, sizeof text, kOwnerFormat, static_cast<long>(::getpid()),
                    last != nullptr ? static_cast<long long>(last->time()) : -1LL,
                    last != nullptr ? static_cast<unsigned long long>(last->sample.count) : 0ULL,
                    last != nullptr ? last->sample.level : 0.0);
  [[maybe_unused]] const ssize_t put = ::pwrite(file, text, static_cast<std::size_t>(length), 0);
}

Owner read_owner(int file) {
  Owner out;
  char text[kOwnerLength + 1] = {};
  if (::pread(file, text, kOwnerLength, 0) != static_cast<ssize_t>(kOwnerLength)) return out;
  long process = 0;
  long long at = 0;
  unsigned long long count = 0;
  double level = 0.0;
  if (std::sscanf(text, "%ld %lld %llu %lf", &process, &at, &count, &level) != 4) return out;
  out.process = process;
  if (at < 0 || at > boot_clock().now()) return out;  // Nothing was noted, or before a restart.
  out.last = Reading{{count, level, Absence::kNone}, at, at};
  return out;
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
  // Without PMIx, mpirun is the parent of all ranks here and tells jobs apart.
  if (value(environment, "OMPI_COMM_WORLD_SIZE")) {
    return "mpi " + value(environment, "OMPI_MCA_ess_base_jobid")
                        .value_or("of process " + std::to_string(parent_process));
  }
  if (const auto tracker = value(environment, "WATTREE_TRACK")) return "inside " + *tracker;
  // As torch.distributed has it: two jobs cannot meet at the same address.
  const auto size = value(environment, "WORLD_SIZE");
  const auto address = value(environment, "MASTER_ADDR");
  if (size && address && *size != "1") {
    return "world of " + *size + " at " + *address + ":" +
           value(environment, "MASTER_PORT").value_or("");
  }
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
  for (const Claim& claim : claims_) ::close(claim.file);
}

std::vector<CountedElsewhere> DeviceClaims::claim(const std::filesystem::path& folder,
                                                  const std::string& job, const Meters& meters) {
  std::vector<CountedElsewhere> out;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const Description& d = meters[i]->description();
    const auto path = folder / name_for(job + "\n" + d.device + "\n" + d.name);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) continue;  // Without locks everybody counts for himself.
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
      // The file stays: taking it away would let two have the same name locked.
      write_owner(file, nullptr);
      claims_.push_back({i, file, true});
    } else if (errno == EWOULDBLOCK) {
      out.push_back({d.name, read_owner(file).process});
      claims_.push_back({i, file, false});
    } else {
      ::close(file);
    }
  }
  return out;
}

std::vector<std::size_t> DeviceClaims::elsewhere() const {
  std::vector<std::size_t> out;
  for (const Claim& claim : claims_) {
    if (!claim.is_held || claim.is_over) out.push_back(claim.meter);
  }
  return out;
}

std::vector<TakenOver> DeviceClaims::take_over() {
  std::vector<TakenOver> out;
  for (Claim& claim : claims_) {
    if (claim.is_held || ::flock(claim.file, LOCK_EX | LOCK_NB) != 0) continue;
    claim.is_held = true;
    const Owner before = read_owner(claim.file);
    write_owner(claim.file, nullptr);
    claim.is_over = !before.last.has_value();
    if (before.last) out.push_back({claim.meter, before.process, *before.last});
  }
  return out;
}

void DeviceClaims::note(std::size_t meter, const Reading& last) const {
  for (const Claim& claim : claims_) {
    if (claim.meter == meter && claim.is_held) write_owner(claim.file, &last);
  }
}

}  // namespace wattree
