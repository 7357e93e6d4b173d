// Prices of the distinct kernels of a tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/predict/predictor/level_spreads.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {

// Layers repeat: a kernel that does what an earlier one did has its price already. What a kernel
// does is in its op, type, shape and costs, so that its operands need not be looked at again.
class KernelMemo {
 public:
  // Holds references to all of them.
  KernelMemo(const Predictor& predictor, const TwinIndex& index, const LevelSpreads& spreads,
             const ModelTree& tree);

  struct Kernel {
    NodeEstimate estimate;  // Without what stands in:
    float stand_in_j = 0;   // the energy that other kinds or sizes are asked for.
    Seconds lifted;         // Of the time: see Price::lifted_time.
    std::size_t index = 0;  // Which of the distinct kernels it is.
  };
  // There until the next one is asked for. Fails where nothing could price it.
  Result<const Kernel*> find(const Node& node);

 private:
  struct Entry {
    Op op = Op::kNone;
    Level level = Level::kMath;
    std::string_view type;
    Shape shape;
    std::int64_t flops = 0;
    std::int64_t matmul_flops = 0;
    std::int64_t bytes = 0;
    std::uint8_t layout = 0;
    Kernel kernel;

    bool is_of(const Node& node) const {
      return op == node.op && bytes == node.bytes && flops == node.flops &&
             matmul_flops == node.matmul_flops &&
             (type.data() == node.type.data() || type == node.type) && level == node.level &&
             layout == node.layout && shape == node.shape;
    }
  };
  struct Place {
    Entry& entry;
    bool is_known;  // It is this kernel's already.
  };
  Place place_of(const Node& node);
  Result<Kernel> price(const Node& node) const;

  const Predictor& predictor_;
  const TwinIndex& index_;
  const LevelSpreads& spreads_;
  const ModelTree& tree_;
  bool fetches_weights_;

  static constexpr int kBits = 10;
  static constexpr std::size_t kProbes = 8;
  std::array<std::uint16_t, std::size_t{1} << kBits> slots_{};  // 1 + index; 0: free.
  std::vector<Entry> entries_;
};

}  // namespace wattree
