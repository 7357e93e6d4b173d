// Predicts the energy of a model's pass, and shows which building blocks take the most of it.
//   predict_in_cpp [MODEL [DEVICE]]     a bundled name, and a shipped predictor or a GPU's name
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "wattree/wattree.h"

namespace {

int fail(const wattree::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "hint: %s\n", error.hint.c_str());
  return 1;
}

void show(const wattree::PredictedTree& predicted) {
  const wattree::PredictedNode& root = predicted.root();
  std::printf("%s: %.4g J (90 %%: %.4g to %.4g J), %s\n", predicted.tree.model.c_str(),
              root.energy.value.value, root.energy.low.value, root.energy.high.value,
              std::string(name_of(root.provenance.basis)).c_str());
  if (root.time) {
    const wattree::Watts power = root.energy.value / root.time->value;
    std::printf("%.4g ms at %.0f W\n", root.time->value.value * 1e3, power.value);
  }
  // Building blocks (Linear, LayerNorm, …) by type: layers that are alike add up.
  std::map<std::string, double> shares;
  for (std::size_t i = 0; i < predicted.nodes.size(); ++i) {
    const wattree::TreeNode& node = predicted.tree.nodes[i];
    if (node.level == wattree::NodeLevel::kMl) shares[node.type] += predicted.nodes[i].share;
  }
  std::vector<std::pair<double, std::string>> largest;
  for (const auto& [type, share] : shares) largest.emplace_back(share, type);
  std::sort(largest.rbegin(), largest.rend());
  if (largest.size() > 3) largest.resize(3);
  for (const auto& [share, type] : largest)
    std::printf("%5.1f %%  %s\n", share * 100, type.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const wattree::Result<wattree::ModelConfig> model =
      wattree::bundled_config(argc > 1 ? argv[1] : "bert-base-uncased");
  if (!model.ok()) return fail(model.error());
  const wattree::Result<wattree::EnergyPredictor> predictor =
      wattree::EnergyPredictor::named(argc > 2 ? argv[2] : "h200");
  if (!predictor.ok()) return fail(predictor.error());

  wattree::PassOptions pass;
  pass.batch = 16;
  pass.dtype = "bf16";
  const wattree::Result<wattree::PredictedTree> predicted =
      wattree::predict(model.value(), pass, predictor.value());
  if (!predicted.ok()) return fail(predicted.error());
  show(predicted.value());
  return 0;
}
