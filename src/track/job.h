// Several trackers of one job on one machine (torchrun, Slurm's tasks): each device is counted
// once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/environment.h"
#include "src/base/result.h"
#include "src/meter/meter.h"

namespace wattree {

// What this process is part of: WATTREE_JOB, Slurm's job and step, torchrun's run, an MPI job, or
// the tracker that it runs under; empty where there is none of them. Two trackers with the same
// text belong to the same job.
std::string find_job(const Environment& environment, long parent_process);

// For sockets and locks: below XDG_RUNTIME_DIR, or else in the folder for temporary files, for this
// user alone. An error where somebody else could write there.
Result<std::filesystem::path> runtime_folder(const Environment& environment);

// A device that another tracker of the job counts.
struct CountedElsewhere {
  std::string meter;
  long process = 0;  // 0 where it is not known.
};

// Holds the devices that this tracker counts, until it ends, however it ends.
class DeviceClaims {
 public:
  DeviceClaims() = default;
  DeviceClaims(const DeviceClaims&) = delete;
  DeviceClaims& operator=(const DeviceClaims&) = delete;
  ~DeviceClaims();

  // Claims every meter for the job. Meters that another one has are taken out of the list.
  std::vector<CountedElsewhere> claim(const std::filesystem::path& folder, const std::string& job,
                                      Meters& meters);

 private:
  std::vector<int> locks_;
};

}  // namespace wattree
