#include "src/api/predict/node_details.h"

#include "src/base/json_writer.h"
#include "src/base/text.h"
#include "src/measure/shipped/shipped_nodes.h"
#include "src/predict/estimate/node_features.h"

namespace wattree {
namespace {

constexpr std::string_view kShippedBy = "NVML energy counter";

void write_figures(JsonWriter& out, const ShippedFigures& figures) {
  out.begin_object();
  out.field("energy_j", figures.energy.value);
  out.field("time_s", figures.time.value);
  out.field("relative_error", figures.relative_error);
  out.field("windows", figures.windows);
  out.field("cards", figures.cards);
  out.field("doubts", split(figures.doubts, ';'));
  out.key("basis");
  write_json(out, {Basis::kMeasured, std::string(kShippedBy), Boundary::kGpu});
  out.end_object();
}

void write_features(JsonWriter& out, const NodeFeatures& features) {
  out.key("features");
  out.begin_object();
  for (std::size_t i = 0; i < kNodeFeatures; ++i) {
    out.key(facts_of(static_cast<NodeFeature>(i)).name);
    if (features[i]) {
      out.value(*features[i]);
    } else {
      out.null();
    }
  }
  out.end_object();
}

}  // namespace

void write_class(JsonWriter& out, const Node& node) { out.field("class", name_of(class_of(node))); }

NodeDetails::NodeDetails(const Prediction& prediction) : prediction_(prediction) {
  const Predictor& predictor = *prediction.by.predictor;
  if (predictor.hardware == kShippedDevice && !predictor.is_assumed) {
    hashes_.emplace(prediction.built.tree);
  }
}

void NodeDetails::write(JsonWriter& out, const ShownNode& shown) const {
  write_class(out, prediction_.built.tree.nodes()[shown.index]);
  const std::uint64_t work = hashes_ ? hashes_->of(shown.index) : 0;
  const ShippedNode* measured =
      work == 0 ? nullptr
                : find_shipped(work, prediction_.built.pass.precision, prediction_.by.execution);
  if (measured != nullptr) {
    const double times = static_cast<double>(shown.times);
    if (measured->in_place) out.field("measured_j", measured->in_place->energy.value * times);
    if (measured->alone) out.field("alone_j", measured->alone->energy.value * times);
    for (const auto& [name, figures] :
         {std::pair("measured", &measured->in_place), std::pair("alone", &measured->alone)}) {
      if (!*figures) continue;
      out.key(name);
      write_figures(out, **figures);
    }
  }
  write_features(out, features_of(prediction_, shown.index, measured));
}

void NodeDetails::write_legend(JsonWriter& out) const {
  const Provenance predicted = prediction_.by.provenance();
  out.key("features");
  out.begin_array();
  for (std::size_t i = 0; i < kNodeFeatures; ++i) {
    const FeatureFacts& facts = facts_of(static_cast<NodeFeature>(i));
    out.begin_object();
    out.field("name", facts.name);
    out.field("unit", facts.unit);
    out.field("meaning", facts.meaning);
    switch (source_of(static_cast<NodeFeature>(i))) {
      case FeatureSource::kModel:
        out.field("basis", name_of(Basis::kDerived));
        out.field("by", "the model and the request");
        break;
      case FeatureSource::kWindow:
        out.field("basis", name_of(Basis::kMeasured));
        out.field("by", "NVML and the host's counters, while the same work ran");
        out.field("null_means", hashes_
                                    ? "no measurement of the same work is shipped"
                                    : "shipped measurements are of " + std::string(kShippedDevice));
        break;
      case FeatureSource::kPredictor:
        out.field("basis", name_of(predicted.basis));
        out.field("by", predicted.by);
        if (!prediction_.has_times()) out.field("null_means", "the predictor knows no times");
        break;
    }
    out.end_object();
  }
  out.end_array();
}

}  // namespace wattree
