// Fits a predictor to measured trees: no seeds, no epochs, the same bits every time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/predictor/dataset_predict.h"
#include "src/predict/predictor/dataset_work.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

// The distinct measurements of a dataset. Copies of one measurement, which a dataset may repeat for
// every layer, count once.
class Samples {
 public:
  explicit Samples(const WorkTrees& trees);

  struct Leaf {
    std::int32_t model = 0;
    std::int32_t type = 0;
    Work work;
    Joules energy;
    std::optional<Seconds> time;
  };
  // An inner node, all of whose leaves were measured: what is left for the kernels that are no
  // nodes.
  struct Inner {
    std::int32_t model = 0;
    Joules energy;
    Seconds time;
    Joules leaves_energy;
    Seconds leaves_time;
    std::array<double, 5> terms{};  // Of kOverheadKinds, summed over the subtree.
  };
  struct Node {  // Any node with a reading.
    std::int32_t model = 0;
    Joules energy;
    NodeReading reading;
  };

  const WorkTrees& trees() const { return *trees_; }
  const std::vector<Leaf>& leaves() const { return leaves_; }
  const std::vector<Inner>& inner() const { return inner_; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  const WorkTrees* trees_;
  std::vector<Leaf> leaves_;
  std::vector<Inner> inner_;
  std::vector<Node> nodes_;
};

inline constexpr std::array<WorkKind, 5> kOverheadKinds = {
    WorkKind::kCopy, WorkKind::kElementwise, WorkKind::kScores, WorkKind::kTranscendental,
    WorkKind::kModuleCall};

// Which models to leave out: by index in WorkTrees::models.
using LeftOut = std::vector<bool>;

struct FitOptions {
  int processors = 0;      // 0: the number that explains the products best.
  bool with_times = true;  // Coefficients for time too.
};

// Coefficients, power law and twins; intervals come from calibrate(). Fails where nothing is left
// to fit on.
Result<Predictor> fit(const Samples& samples, const LeftOut& left_out, const FitOptions& options);

// Relative errors of one level's nodes that were left out of the fit that predicted them.
struct HeldOut {
  std::array<std::vector<double>, kTreeLevels> energy;  // (P - G) / P
  std::array<std::vector<double>, kTreeLevels> time;
  std::vector<double> twin_energy;  // Of ml nodes that were looked up; then not in energy[0].
  std::vector<double> twin_time;
};

// Adds the errors of every tree of `model`.
void add_held_out(const Predictor& predictor, const Samples& samples, std::int32_t model,
                  const PredictOptions& options, HeldOut& out);

// The spreads that cover 90 % of what was held out.
Spread spread_of(HeldOut held_out);

}  // namespace wattree
