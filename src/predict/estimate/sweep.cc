#include "src/predict/estimate/sweep.h"

#include <algorithm>

namespace wattree {
namespace {

bool is_same_form(const ModelTree& a, const ModelTree& b) {
  if (a.nodes().size() != b.nodes().size()) return false;
  for (std::size_t i = 0; i < a.nodes().size(); ++i) {
    const Node& x = a.nodes()[i];
    const Node& y = b.nodes()[i];
    if (x.parent != y.parent || x.run != y.run || x.type != y.type || x.scope != y.scope) {
      return false;
    }
  }
  return true;
}

// Sums of the estimates of every node; spreads and shares weigh by energy and time.
class MeanTree {
 public:
  void add(Prediction prediction) {
    if (!first_) {
      sums_.resize(prediction.nodes.size());
      first_ = std::move(prediction);
      add_up(first_->nodes);
    } else if (is_one_form_ && is_same_form(first_->built.tree, prediction.built.tree)) {
      add_up(prediction.nodes);
    } else {
      is_one_form_ = false;
    }
  }

  std::optional<Prediction> take(std::size_t count) {
    if (!is_one_form_ || !first_) return std::nullopt;
    const double n = static_cast<double>(count);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Sum& sum = sums_[i];
      NodeEstimate& node = first_->nodes[i];
      node.energy = Joules(sum.all.energy.value / n);
      node.own = Joules(sum.own.value / n);
      node.time = Seconds(sum.all.time.value / n);
      node.energy_spread = static_cast<float>(sum.all.energy_spread());
      node.time_spread = static_cast<float>(sum.all.time_spread());
      const double whole = sum.all.energy.value;
      node.stand_in = static_cast<float>(whole > 0 ? sum.stand_in.value / whole : 0);
      node.is_looked_up = sum.looked_up == count;
    }
    return std::move(first_);
  }

 private:
  struct Sum {
    PassEstimate all;
    Joules own;
    Joules stand_in;
    std::size_t looked_up = 0;
  };

  void add_up(const std::vector<NodeEstimate>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const PassEstimate e = estimate_of(nodes[i]);
      Sum& sum = sums_[i];
      sum.all += e;
      sum.own = sum.own + nodes[i].own;
      sum.stand_in = sum.stand_in + e.energy * static_cast<double>(nodes[i].stand_in);
      if (nodes[i].is_looked_up) ++sum.looked_up;
    }
  }

  std::optional<Prediction> first_;
  std::vector<Sum> sums_;
  bool is_one_form_ = true;
};

}  // namespace

const SweepPoint& Sweep::largest() const {
  return *std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return a.memory.need.peak() < b.memory.need.peak();
  });
}

Joules Sweep::mean_per_item() const {
  double items = 0;
  for (const SweepPoint& point : points) items += static_cast<double>(point.pass.batch);
  return Joules(mean.energy.value * static_cast<double>(points.size()) / items);
}

std::optional<Joules> Sweep::mean_per_token() const {
  double tokens = 0;
  for (const SweepPoint& point : points) {
    if (!point.tokens) return std::nullopt;
    tokens += static_cast<double>(point.pass.batch) * static_cast<double>(*point.tokens);
  }
  return Joules(mean.energy.value * static_cast<double>(points.size()) / tokens);
}

Result<Sweep> sweep(const std::string& model, const ModelText& text, const PassShape& query,
                    const std::vector<std::int64_t>& batches,
                    const std::vector<std::optional<std::int64_t>>& lengths,
                    const LoadedPredictor& by, const ShowProgress& progress) {
  const std::size_t count = batches.size() * lengths.size();
  if (count == 0 || count > kMostSizes) {
    return Error{
        ErrorCode::kInvalidInput,
        std::to_string(count) + " sizes: a sweep has between 1 and " + std::to_string(kMostSizes),
        "take larger steps, as in <seq> 32:256:32", "seq"};
  }
  Sweep out;
  MeanTree mean;
  for (const std::int64_t batch : batches) {
    for (const std::optional<std::int64_t>& length : lengths) {
      PassShape one = query;
      one.batch = batch;
      one.seq = length;
      Result<BuiltModel> answer = build_model(model, text.json, text.origin, one);
      if (!answer.ok()) return answer.error();
      Result<Prediction> predicted = predict(std::move(answer).value(), by);
      if (!predicted.ok()) return predicted.error();
      Prediction prediction = std::move(predicted).value();
      out.points.push_back({prediction.built.pass, tokens_per_item(prediction.built),
                            prediction.root(), prediction.memory});
      out.mean += prediction.root() * (1 / static_cast<double>(count));
      out.class_name = prediction.built.class_name;
      if (out.points.size() == 1) out.notes = with_notes(prediction.built.notes, prediction);
      mean.add(std::move(prediction));
      if (progress) progress(static_cast<double>(out.points.size()) / static_cast<double>(count));
    }
  }
  out.model = model;
  out.by = by;
  out.mean_tree = mean.take(count);
  return out;
}

}  // namespace wattree
