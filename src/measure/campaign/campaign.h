// A campaign: jobs measured on this machine, from finding its meters to a file of windows.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "src/measure/campaign/gpu_processes.h"
#include "src/measure/protocol/session.h"

namespace wattree {

using OpenExecutor = std::function<Result<std::unique_ptr<Executor>>()>;

// A device with what runs nodes on it, and who else uses it.
class Rig {
 public:
  // `process` is this one's id: its part of the machine's load is not another's.
  static Result<Rig> open(const MeterQuery& meters, int process, const OpenExecutor& open);

  Executor& executor() { return *executor_; }
  const DeviceFacts& device() const { return executor_->device(); }
  bool is_gpu() const { return device().kind != "cpu"; }
  int other_processes() { return is_gpu() ? others_.others() : 0; }
  const MeterQuery& meters() const { return meters_; }
  int process() const { return process_; }

 private:
  Rig(MeterQuery meters, int process, GpuProcesses others, std::unique_ptr<Executor> executor);

  MeterQuery meters_;
  int process_;
  GpuProcesses others_;
  std::unique_ptr<Executor> executor_;
};

struct CampaignOptions {
  std::filesystem::path windows;  // Records are added to this file as they come.
  bool is_resumed = false;    // The file may be there already: what is in it is not measured again.
  bool needs_energy = false;  // An error where nothing measures it, before anything runs.
  bool with_anchor = true;    // On a GPU.
  SessionOptions session;     // But for roots, anchor and other processes, which are the rig's.
  std::function<bool()> is_stopped = [] { return false; };
  std::function<void(const SessionProgress&)> show = [](const SessionProgress&) {};
};

struct Campaign {
  Figures figures;         // Every window, by key.
  std::size_t reused = 0;  // Windows that the file had already.
  SessionResult session;
  std::vector<Obstacle> obstacles;  // Why there is no energy, where there is none.
};

// Whether windows can go to that file: an error where it is there and `is_resumed` is not said.
// Asked by itself before a rig is opened, which may take seconds.
Status check_windows_file(const std::filesystem::path& path, bool is_resumed);

// An error where nothing could be measured; where it was cut short, session.ending tells.
Result<Campaign> run_campaign(std::vector<Job> jobs, Rig& rig, CampaignOptions options);

// The settings of a protocol by its name, "wattree" (also empty) or "irene"; `node_limit_s` is the
// most for one measurement, and 0 means the protocol's own.
Result<SessionOptions> session_options(const std::string& protocol, double node_limit_s);

}  // namespace wattree
