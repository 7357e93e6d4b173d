// Nodes of a model tree as work that a device can repeat: what a measurement loops over. The work
// itself is done by a framework in a plugin (src/measure/runner/plugin.h); tests have executors of
// their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/models/tree/execution.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

struct LaunchOptions {
  CacheState cache = CacheState::kNatural;
  int copies = 0;  // Runs in one launch; 0: as many as take 20 ms.
  bool allow_graph = true;
};

// A node prepared on a device, to run again and again.
class Launch {
 public:
  virtual ~Launch() = default;
  // Queues `copies()` runs of the node. May return before they end.
  virtual Status start() = 0;
  // Until all that was queued has ended.
  virtual Status wait() = 0;
  virtual int copies() const = 0;
  virtual Execution execution() const = 0;
  virtual std::string_view why_eager() const = 0;  // Empty where it is a graph.
  // Sets of buffers that take turns, and operands that hold other values than the pass would give
  // them, because an op lays out its result in another way here.
  virtual int sets() const { return 1; }
  virtual int unlinked() const { return 0; }
};

// Where nodes run. Absent facts are empty or zero.
struct DeviceFacts {
  std::string name;              // "NVIDIA H200"
  std::string kind;              // "cpu" or "cuda"
  std::string uuid;              // "GPU-8f5…": NVML's, to find its meter.
  std::string pci_bus;           // "00000000:3b:00.0", as NVML writes it.
  std::string framework;         // "PyTorch 2.11.0"
  std::int64_t cache_bytes = 0;  // The last-level cache.
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;
  std::string note;  // What the user should know of how kernels run here; mostly empty.
};

class Executor {
 public:
  virtual ~Executor() = default;
  // `node` is an index into the tree's nodes, and the tree has its dataflow (Pass::keeps_dataflow).
  // The launch must not outlive the executor.
  virtual Result<std::unique_ptr<Launch>> prepare(const ModelTree& tree, std::int32_t node,
                                                  const LaunchOptions& options) = 0;
  virtual const DeviceFacts& device() const = 0;
};

}  // namespace wattree
