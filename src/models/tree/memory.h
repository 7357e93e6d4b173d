// The memory that a pass takes, as PyTorch's eager mode takes it, without gradients.
//
// A tensor's memory is there from the kernel that makes it to the last one that reads it, and as
// long as a variable holds it:
//  - what is given to a module stays until the module returns, because its caller holds it;
//  - what the model's own code keeps in variables is in ModelTree::kept().
// A TorchScript file's interpreter lets go of every value after its last use.
#pragma once

#include <cstdint>

#include "src/models/tree/model_tree.h"

namespace wattree {

struct PassMemory {
  std::int64_t weights = 0;  // Bytes of parameters and buffers, shared ones once,
  std::int64_t inputs = 0;   // of what the pass is given,
  std::int64_t cache = 0;    // of keys and values of the past,
  // and of what the pass adds to them when most is in use: activations, results, the new cache.
  std::int64_t activations = 0;
  std::int32_t peak_node = -1;  // The kernel that then runs; -1: none does.

  std::int64_t peak() const;  // All of them together.
};

// What becomes of the cache that a decode step is given.
enum class OldCache : std::uint8_t {
  kHeld,      // The caller still has it: the step can be run again.
  kReplaced,  // Every layer's is freed when the longer one is made, as a program that generates
              // does.
};

// Linear in nodes. Of a tree whose operands have no storages only the weights are known.
PassMemory memory_of(const ModelTree& tree, OldCache old_cache = OldCache::kHeld);

}  // namespace wattree
