// Several trackers of one job on one machine (torchrun, Slurm's tasks): each device is counted
// once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/environment.h"
#include "src/base/result.h"
#include "src/measure/meter/meter.h"

namespace wattree {

// What this process is part of: WATTREE_JOB, Slurm's job and step, torchrun's run, an MPI job, the
// tracker that it runs under, or the processes that meet at MASTER_ADDR; empty where there is none
// of them. Two trackers with the same text belong to the same job.
std::string find_job(const Environment& environment, long parent_process);

// For sockets and locks: below XDG_RUNTIME_DIR, or else in the folder for temporary files, for this
// user alone. An error where somebody else could write there.
Result<std::filesystem::path> runtime_folder(const Environment& environment);

// A device that another tracker of the job counts.
struct CountedElsewhere {
  std::string meter;
  long process = 0;  // 0 where it is not known.
};

// A meter that this tracker counts from now on, because the one that counted it has ended.
struct TakenOver {
  std::size_t meter = 0;  // Its position.
  long process = 0;       // Who counted it; 0 where it is not known.
  Reading last;           // Up to where.
};

// Holds the devices that this tracker counts, until it ends, however it ends, and waits for those
// that another one does. Each is a locked file with the number of the process that has the lock and
// the last reading that is in its totals: whoever comes after goes on from there, so that nothing
// is counted twice and nothing is left out, even where the process was killed.
class DeviceClaims {
 public:
  DeviceClaims() = default;
  DeviceClaims(const DeviceClaims&) = delete;
  DeviceClaims& operator=(const DeviceClaims&) = delete;
  ~DeviceClaims();

  // Claims every meter for the job, and returns those that another one has. Meters are known by
  // their position from then on.
  std::vector<CountedElsewhere> claim(const std::filesystem::path& folder, const std::string& job,
                                      const Meters& meters);
  // Meters that another one counts.
  std::vector<std::size_t> elsewhere() const;
  // Tries again to get those. One whose last owner did not say how far it was is never taken over:
  // it was counted by somebody else still.
  std::vector<TakenOver> take_over();
  // This reading is in the totals: whoever comes after goes on from it.
  void note(std::size_t meter, const Reading& last) const;

 private:
  struct Claim {
    std::size_t meter = 0;
    int file = -1;
    bool is_held = false;
    bool is_over = false;  // Held, and not to be counted.
  };
  std::vector<Claim> claims_;
};

}  // namespace wattree
