#include "src/predict/estimate/suggest.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/facts/hardware/device.h"

namespace wattree {
namespace {

constexpr std::string_view kSuggestionNames[] = {"precision", "attention", "execution", "batch",
                                                 "length",    "model",     "device"};
constexpr double kLeastSaving = 0.01;  // Less is not worth a sentence.
constexpr std::int64_t kLargestBatch = 1024;
constexpr double kNearBest = 1.03;  // A smaller batch that takes so little more is the better one.
constexpr std::size_t kMostModels = 3;
constexpr std::size_t kMostDevices = 3;
constexpr std::int64_t kEvenLength = 8;  // Rows of 16 bits then begin at multiples of 16 bytes.
constexpr std::int64_t kShortestBucket = 16;

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

// Tries other passes, and keeps those that save.
class Trials {
 public:
  explicit Trials(const SuggestQuery& query, Prediction now)
      : query_(query), out_{std::move(now), {}, {}} {
    first_ = whole_of(out_.now) * (1 / items_of(out_.now));
  }

  const SuggestQuery& query() const { return query_; }
  const Prediction& now() const { return out_.now; }

  std::optional<Prediction> predicted(const NamedModel& model, const PassShape& pass,
                                      const LoadedPredictor& by) const {
    Result<BuiltModel> built = build_model(model.name, model.text.json, model.text.origin, pass);
    if (!built.ok()) return std::nullopt;
    Result<Prediction> prediction = predict(std::move(built).value(), by);
    if (!prediction.ok() || !prediction.value().memory.fits()) return std::nullopt;
    return std::move(prediction).value();
  }
  std::optional<Prediction> predicted(const PassShape& pass) const {
    return predicted(query_.model, pass, query_.by);
  }

  std::optional<Suggestion> saving(SuggestionKind kind, const Prediction& other) const {
    return saving(kind, whole_of(other), items_of(other), share_predictor(now(), other),
                  other.memory, other.by.provenance());
  }
  // The same pass elsewhere. Its errors have nothing to do with those here.
  std::optional<Suggestion> saving_on(const LoadedPredictor& device) const {
    const Result<std::vector<NodeEstimate>> nodes =
        predict_tree(*device.predictor, *device.index, now().built.tree, device.execution);
    const MemoryFit memory{now().memory.need, device.device_bytes};
    if (!nodes.ok() || !memory.fits()) return std::nullopt;
    return saving(SuggestionKind::kDevice, {estimate_of(nodes.value().back()), {}}, items_of(now()),
                  false, memory, device.provenance());
  }

  void add(Suggestion suggestion) { out_.savings.push_back(std::move(suggestion)); }
  Suggestions take(const std::vector<SuggestionKind>& tried) {
    std::stable_sort(
        out_.savings.begin(), out_.savings.end(),
        [](const Suggestion& a, const Suggestion& b) { return a.ratio.value < b.ratio.value; });
    for (const SuggestionKind kind : tried) {
      if (std::none_of(out_.savings.begin(), out_.savings.end(),
                       [&](const Suggestion& s) { return s.kind == kind; })) {
        out_.no_saving.push_back(kind);
      }
    }
    return std::move(out_);
  }

 private:
  static double items_of(const Prediction& p) { return static_cast<double>(p.built.pass.batch); }

  std::optional<Suggestion> saving(SuggestionKind kind, const EnergyPart& other, double items,
                                   bool shares_predictor, const MemoryFit& memory,
                                   const Provenance& provenance) const {
    Suggestion out;
    out.kind = kind;
    out.ratio = ratio_of(first_, other * (1 / items), shares_predictor);
    if (out.ratio.value > 1 - kLeastSaving) return std::nullopt;
    out.estimate = other.estimate;
    out.per_item = out.estimate.energy_per(items);
    out.memory = memory;
    out.provenance = provenance;
    return out;
  }

  const SuggestQuery& query_;
  Suggestions out_;
  EnergyPart first_;
};

void try_precisions(Trials& trials) {
  const Precision now = trials.now().built.pass.precision;
  bool has_half = false;  // bf16 and fp16 take the same: one of them is enough.
  for (const Precision other :
       {Precision::kTf32, Precision::kBf16, Precision::kFp16, Precision::kInt8, Precision::kInt4}) {
    if (weight_bits(other) > weight_bits(now) || other == now) continue;
    if (other == Precision::kFp16 && has_half) continue;
    PassShape pass = trials.query().pass;
    pass.dtype = name_of(other);
    const auto prediction = trials.predicted(pass);
    if (!prediction) continue;
    auto saving = trials.saving(SuggestionKind::kPrecision, *prediction);
    if (!saving) continue;
    saving->what = pass.dtype + " instead of " + std::string(name_of(now));
    saving->change = {{"dtype", pass.dtype}};
    saving->caveat = "fewer bits may change the model's accuracy; check it on your task";
    has_half = has_half || other == Precision::kBf16;
    trials.add(std::move(*saving));
  }
}

void try_attention(Trials& trials) {
  const Attention now = trials.now().built.pass.attention;
  const Attention other = now == Attention::kSdpa ? Attention::kEager : Attention::kSdpa;
  PassShape pass = trials.query().pass;
  pass.attention = name_of(other);
  const auto prediction = trials.predicted(pass);
  if (!prediction || prediction->built.pass.attention != other) return;
  auto saving = trials.saving(SuggestionKind::kAttention, *prediction);
  if (!saving) return;
  saving->what = pass.attention + " attention instead of " + std::string(name_of(now));
  saving->change = {{"attention", pass.attention}};
  saving->caveat = "results are the same up to rounding";
  trials.add(std::move(*saving));
}

void try_execution(Trials& trials) {
  LoadedPredictor by = trials.query().by;
  if (by.execution == Execution::kGraph) return;
  by.execution = Execution::kGraph;
  const auto prediction = trials.predicted(trials.query().model, trials.query().pass, by);
  if (!prediction) return;
  auto saving = trials.saving(SuggestionKind::kExecution, *prediction);
  if (!saving) return;
  saving->what = "a CUDA graph instead of one launch after the other";
  saving->change = {{"execution", std::string(name_of(Execution::kGraph))}};
  saving->caveat =
      "shapes must stay the same from call to call; how long a host takes to launch "
      "differs between machines";
  trials.add(std::move(*saving));
}

// The smallest of the batches that come near to the best.
void try_batches(Trials& trials) {
  std::vector<std::pair<Suggestion, std::int64_t>> found;
  const std::int64_t now = trials.now().built.pass.batch;
  for (std::int64_t batch = 2 * now; batch <= kLargestBatch; batch *= 2) {
    PassShape pass = trials.query().pass;
    pass.batch = batch;
    const auto prediction = trials.predicted(pass);
    if (!prediction) break;
    if (auto saving = trials.saving(SuggestionKind::kBatch, *prediction)) {
      found.emplace_back(std::move(*saving), batch);
    }
  }
  if (found.empty()) return;
  const double best =
      std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.first.per_item < b.first.per_item;
      })->first.per_item.value;
  for (auto& [saving, batch] : found) {
    if (saving.per_item.value > kNearBest * best) continue;
    saving.what = std::to_string(batch) + " items at a time instead of " + std::to_string(now);
    saving.change = {{"batch", std::to_string(batch)}};
    saving.caveat = "per item; all of them must wait for the pass to end";
    trials.add(std::move(saving));
    return;
  }
}

void try_lengths(Trials& trials) {
  const BuiltModel& built = trials.now().built;
  if (!built.has_text_source || built.pass.past > 0) return;
  const std::int64_t now = built.pass.seq;
  const auto tried = [&](std::int64_t length) -> std::optional<Suggestion> {
    PassShape pass = trials.query().pass;
    pass.seq = length;
    const auto prediction = trials.predicted(pass);
    if (!prediction) return std::nullopt;
    auto saving = trials.saving(SuggestionKind::kLength, *prediction);
    if (saving) saving->change = {{"seq", std::to_string(length)}};
    return saving;
  };
  if (now % kEvenLength != 0) {
    const std::int64_t even = (now / kEvenLength + 1) * kEvenLength;
    if (auto saving = tried(even)) {
      saving->what =
          "padding to " + std::to_string(even) + " tokens instead of " + std::to_string(now);
      saving->caveat = "padding needs an attention mask, which is not in the figure";
      trials.add(std::move(*saving));
    }
  }
  if (now / 2 < kShortestBucket) return;
  if (auto saving = tried(now / 2)) {
    saving->what = "a bucket of " + std::to_string(now / 2) + " tokens for items that fit into it";
    saving->caveat = "only items of at most " + std::to_string(now / 2) +
                     " tokens; longer ones stay where they are";
    trials.add(std::move(*saving));
  }
}

bool is_sibling(const BuiltModel& now, const std::string& name, const BuiltModel& other) {
  return other.model != now.model && other.tree.root().params < now.tree.root().params &&
         (other.model_type == now.model_type || name == "distil" + now.model);
}

void try_models(Trials& trials) {
  std::vector<std::pair<Suggestion, std::int64_t>> found;
  const BuiltModel& now = trials.now().built;
  for (const NamedModel& other : trials.query().others) {
    PassShape pass = trials.query().pass;
    pass.overrides.clear();
    pass.as = now.class_name;
    auto prediction = trials.predicted(other, pass, trials.query().by);
    if (!prediction) {  // Not a class of that family.
      pass.as.clear();
      prediction = trials.predicted(other, pass, trials.query().by);
    }
    if (!prediction || !is_sibling(now, other.name, prediction->built)) continue;
    auto saving = trials.saving(SuggestionKind::kModel, *prediction);
    if (!saving) continue;
    saving->what = other.name + " instead of " + now.model;
    saving->change = {{"model", other.name}, {"set", ""}};
    if (!pass.as.empty()) saving->change.emplace_back("as", pass.as);
    saving->caveat = "a smaller model is usually less accurate; check it on your task";
    found.emplace_back(std::move(*saving), prediction->built.tree.root().params);
  }
  // Those that are nearest in size.
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (found.size() > kMostModels) found.resize(kMostModels);
  for (auto& [saving, params] : found) trials.add(std::move(saving));
}

// Whether it runs the precision, and not by other units that are slower than anybody says.
bool covers(const NamedPredictor& device, Precision precision) {
  const std::string dtype(name_of(precision));
  const std::vector<std::string>& dtypes = device.loaded.predictor->dtypes;
  if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) return false;
  for (const Device& known : bundled_devices()) {
    if (known.name != device.name) continue;
    const std::vector<std::string>& slow = known.no_units_for;
    return std::find(slow.begin(), slow.end(), dtype) == slow.end();
  }
  return true;
}

void try_devices(Trials& trials) {
  std::vector<Suggestion> found;
  const std::string& here = trials.query().by.predictor->hardware;
  for (const NamedPredictor& device : trials.query().devices) {
    const Predictor& predictor = *device.loaded.predictor;
    if (predictor.hardware == here || !covers(device, trials.now().built.pass.precision)) continue;
    auto saving = trials.saving_on(device.loaded);
    if (!saving) continue;
    saving->what = predictor.hardware + " instead of " + here;
    saving->change = {{"on", device.name}};
    saving->caveat = predictor.is_assumed
                         ? "assumed from its datasheet, not measured"
                         : "predicted, and measured on that device only for other models";
    found.push_back(std::move(*saving));
  }
  std::stable_sort(found.begin(), found.end(), [](const Suggestion& a, const Suggestion& b) {
    return a.ratio.value < b.ratio.value;
  });
  if (found.size() > kMostDevices) found.resize(kMostDevices);
  for (Suggestion& saving : found) trials.add(std::move(saving));
}

}  // namespace

std::string_view name_of(SuggestionKind kind) {
  return kSuggestionNames[static_cast<std::size_t>(kind)];
}

std::string saving_phrase(const EnergyRatio& ratio) {
  const std::string saving = percent(1 - ratio.value) + " less energy";
  if (ratio.is_surely_less()) {
    return saving + " (" + std::to_string(std::lround(100 * (1 - ratio.high))) + " to " +
           percent(1 - ratio.low) + ")";
  }
  return saving + ", but the interval includes no saving (" + percent(1 - ratio.low) + " less to " +
         percent(ratio.high - 1) + " more)";
}

std::string Suggestion::sentence() const {
  const bool is_per_item = kind == SuggestionKind::kBatch;
  std::string out = what + ": " + saving_phrase(ratio) + (is_per_item ? " per item." : ".");
  // Names of models and precisions stay as they are written.
  if (out.starts_with("a ")) out.front() = 'A';
  return out;
}

Result<Suggestions> suggest(const SuggestQuery& query) {
  const NamedModel& model = query.model;
  Result<BuiltModel> built =
      build_model(model.name, model.text.json, model.text.origin, query.pass);
  if (!built.ok()) return built.error();
  Result<Prediction> now = predict(std::move(built).value(), query.by);
  if (!now.ok()) return now.error();
  if (!(now.value().root().energy > Joules())) {
    return Error{ErrorCode::kInvalidInput,
                 model.name + " takes no energy: there is nothing to save", ""};
  }
  Trials trials(query, std::move(now).value());
  try_precisions(trials);
  try_attention(trials);
  try_execution(trials);
  try_batches(trials);
  try_lengths(trials);
  try_models(trials);
  try_devices(trials);
  return trials.take({SuggestionKind::kPrecision, SuggestionKind::kAttention,
                      SuggestionKind::kExecution, SuggestionKind::kBatch, SuggestionKind::kLength,
                      SuggestionKind::kModel, SuggestionKind::kDevice});
}

}  // namespace wattree
