#include "src/api/learn/measured_trees.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "src/api/model/known_models.h"
#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"
#include "src/base/text.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/predict/estimate/prediction.h"
#include "src/predict/fit/annotate.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTrees = 1000;
// Of a document in memory, for each node that the caller may ask for.
constexpr std::size_t kBytesPerNode = 2048;

Error too_large(std::string message) {
  return {ErrorCode::kInvalidInput, std::move(message), "send a part of its trees"};
}

// The lines of a dataset. An array has its trees on lines of their own first, and a tree that is
// spread over lines is put on one.
Result<std::vector<std::string>> lines_of(std::string_view text, std::size_t most_bytes) {
  std::vector<std::string> lines;
  const std::string_view begin = trimmed(text);
  const std::string_view first = trimmed(begin.substr(0, begin.find('\n')));
  const bool is_array = begin.starts_with('[');
  const bool is_spread = begin.starts_with('{') && !first.ends_with('}');
  if (is_array || is_spread) {
    if (document_bytes(begin) > most_bytes) {
      return too_large("the dataset has more values than may be shown at a time");
    }
    const Result<Json> parsed = parse_json(begin, "the dataset");
    if (!parsed.ok()) return parsed.error();
    if (!is_array) return std::vector{parsed.value().dump()};
    for (const Json& tree : parsed.value()) lines.push_back(tree.dump());
    return lines;
  }
  for (std::string_view rest = begin; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (const std::string_view line = trimmed(rest.substr(0, end)); !line.empty()) {
      lines.emplace_back(line);
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

Result<std::vector<DatasetTree>> trees_of(std::string_view text, std::size_t most_nodes) {
  const std::size_t most_bytes =
      most_nodes < SIZE_MAX / kBytesPerNode ? most_nodes * kBytesPerNode : std::size_t{SIZE_MAX};
  const Result<std::vector<std::string>> lines = lines_of(text, most_bytes);
  if (!lines.ok()) return lines.error();
  if (lines.value().empty() || lines.value().size() > kMostTrees) {
    return Error{ErrorCode::kInvalidInput,
                 "the dataset has " + std::to_string(lines.value().size()) + " trees, and 1 to " +
                     std::to_string(kMostTrees) + " are shown",
                 "docs/datasets.md describes datasets"};
  }
  std::vector<DatasetTree> out;
  Problems problems;
  std::size_t nodes = 0;
  for (const std::string& line : lines.value()) {
    if (document_bytes(line) > most_bytes) {
      return too_large("tree " + std::to_string(out.size() + 1) +
                       " has more values than may be shown at a time");
    }
    std::optional<DatasetTree> tree =
        parse_tree(line, "tree " + std::to_string(out.size() + 1), problems);
    if (!tree) {
      return Error{ErrorCode::kInvalidInput, problems.text(),
                   "docs/datasets.md describes datasets"};
    }
    nodes += tree->nodes.size();
    if (nodes > most_nodes) {
      return too_large("the dataset has more than " + std::to_string(most_nodes) + " nodes");
    }
    out.push_back(std::move(*tree));
  }
  return out;
}

// "root.encoder.layer.0" is "encoder.layer.0" in trees of configs, and "root" is "".
std::string_view scope_in_tree(std::string_view scope) {
  if (scope == "root") return "";
  if (scope.starts_with("root.") || scope.starts_with("root:")) scope.remove_prefix(5);
  return scope;
}

std::optional<Prediction> predicted_from_config(const DatasetTree& tree, const LoadedPredictor& by,
                                                const std::vector<NamedModel>& models,
                                                const Services& services) {
  const auto model = std::find_if(models.begin(), models.end(), [&](const NamedModel& known) {
    return known.name == tree.model_name;
  });
  if (model == models.end()) return std::nullopt;
  PassShape pass;
  pass.batch = tree.batch_size;
  pass.seq = tree.seq_len;
  pass.as = tree.root().instance_type;
  pass.dtype = tree.dtype.empty() ? "fp32" : tree.dtype;
  // Attention that runs op by op has its softmax as a node.
  pass.attention = std::any_of(tree.nodes.begin(), tree.nodes.end(),
                               [](const DatasetNode& n) { return n.instance_type == "Softmax"; })
                       ? "eager"
                       : "sdpa";
  Result<BuiltModel> built =
      build_model(model->name, model->text.json, model->text.origin, within_budget(pass, services));
  if (!built.ok()) return std::nullopt;
  Result<Prediction> prediction = predict(std::move(built).value(), by);
  if (!prediction.ok()) return std::nullopt;
  return std::move(prediction).value();
}

// Fills in what the config's tree says of nodes with the same scope. False where none has.
bool fill_by_scope(const Prediction& prediction, DatasetTree& tree) {
  std::unordered_map<std::string_view, std::size_t> by_scope;
  const auto nodes = prediction.built.tree.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) by_scope.try_emplace(nodes[i].scope, i);
  bool has_any = false;
  for (DatasetNode& node : tree.nodes) {
    const auto found = by_scope.find(scope_in_tree(node.scope));
    if (found == by_scope.end()) continue;
    const NodeEstimate& estimate = prediction.nodes[found->second];
    const PassEstimate figures = estimate_of(estimate);
    node.predicted = figures.energy;
    node.predicted_low = figures.energy_low();
    node.predicted_high = figures.energy_high();
    node.predicted_own = estimate.own;
    if (prediction.has_times()) node.predicted_time = figures.time;
    has_any = true;
  }
  return has_any;
}

void clear_predictions(DatasetTree& tree) {
  for (DatasetNode& node : tree.nodes) {
    node.predicted.reset();
    node.predicted_low.reset();
    node.predicted_high.reset();
    node.predicted_own.reset();
    node.predicted_time.reset();
  }
}

std::optional<double> error_of(const DatasetNode& node) {
  if (!node.energy || !node.predicted || !(*node.energy > Joules())) return std::nullopt;
  return node.predicted->value / node.energy->value - 1;
}

bool is_inside(const DatasetNode& node) {
  return node.predicted_low && node.predicted_high && *node.energy >= *node.predicted_low &&
         *node.energy <= *node.predicted_high;
}

void add_errors(const DatasetTree& tree, MeasuredTreesAnswer& out) {
  for (const DatasetNode& node : tree.nodes) {
    const std::optional<double> error = error_of(node);
    if (!error) continue;
    MeanErrors& level = node.type == NodeType::kModel    ? out.model
                        : node.type == NodeType::kModule ? out.module
                                                         : out.ml;
    level.sum += std::abs(*error);
    ++level.count;
    level.inside += is_inside(node);
  }
}

void write_optional(JsonWriter& out, const char* name, const std::optional<Joules>& energy) {
  if (energy) out.field(name, energy->value);
}

// Written as nodes of predictions are: energy_j is predicted, measured_j measured.
void write_node(JsonWriter& out, const DatasetTree& tree, std::int32_t index) {
  const DatasetNode& node = tree.nodes[static_cast<std::size_t>(index)];
  out.begin_object();
  out.field("scope", scope_in_tree(node.scope));
  out.field("type", node.instance_type);
  out.field("level", node.is_leaf() ? "ml" : name_of(node.type));
  out.field("class", node.type == NodeType::kMl                ? "parametric"
                     : node.type == NodeType::kMlNonParametric ? "nonparametric"
                                                               : "module");
  write_optional(out, "measured_j", node.energy);
  write_optional(out, "energy_j", node.predicted);
  write_optional(out, "energy_low_j", node.predicted_low);
  write_optional(out, "energy_high_j", node.predicted_high);
  write_optional(out, "own_energy_j", node.predicted_own);
  if (node.predicted_time) out.field("time_s", node.predicted_time->value);
  if (const auto error = error_of(node)) {
    out.field("error", *error);
    if (node.predicted_low) out.field("inside", is_inside(node));
  }
  out.key("features");
  out.begin_object();
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    out.key(name_of(feature));
    if (node.features.has(feature)) {
      out.value(node.features.get(feature));
    } else {
      out.null();
    }
  }
  out.end_object();
  out.key("children");
  out.begin_array();
  for (const std::int32_t child : children_of(tree, index)) write_node(out, tree, child);
  out.end_array();
  out.end_object();
}

void write_errors(JsonWriter& out, const char* level, const MeanErrors& errors) {
  if (errors.count == 0) return;
  const auto count = static_cast<double>(errors.count);
  out.key(level);
  out.begin_object();
  out.field("nodes", errors.count);
  out.field("mean_error", errors.sum / count);
  out.field("inside", static_cast<double>(errors.inside) / count);
  out.end_object();
}

}  // namespace

Result<MeasuredTreesRequest> measured_trees_request(const Json& body, std::string_view text) {
  Status failure;
  JsonFields fields(body, "", "the request", failure);
  MeasuredTreesRequest request;
  request.predictor.on = fields.text("on");
  request.predictor.execution = fields.text("execution");
  request.text = text;
  fields.finish();
  if (!failure.ok()) return failure.error();
  return request;
}

Result<MeasuredTreesAnswer> measured_trees(const MeasuredTreesRequest& request,
                                           const Services& services) {
  const Result<LoadedPredictor> by = find_predictor(request.predictor, services);
  if (!by.ok()) return by.error();
  const std::size_t most_nodes =
      services.budget ? services.budget->nodes_of_tree() : WorkLimits::kNone;
  Result<std::vector<DatasetTree>> read = trees_of(request.text, most_nodes);
  if (!read.ok()) return read.error();
  const std::vector<NamedModel> models = known_texts(services);
  MeasuredTreesAnswer out;
  out.by = by.value();
  Annotator annotator(*by.value().predictor);
  for (DatasetTree& tree : std::move(read).value()) {
    MeasuredTree& measured = out.trees.emplace_back();
    clear_predictions(tree);
    const auto prediction = predicted_from_config(tree, by.value(), models, services);
    measured.is_from_config = prediction && fill_by_scope(*prediction, tree);
    if (!measured.is_from_config) {
      if (by.value().predictor->is_by_kernel) {
        measured.why_not = "the program knows no model " + tree.model_name +
                           " with such nodes, and this predictor needs its kernels";
      } else {
        annotator.annotate(tree, {Known::kNothing, true});
      }
    }
    add_errors(tree, out);
    measured.tree = std::move(tree);
  }
  return out;
}

std::string to_json(const MeasuredTreesAnswer& answer, int indent) {
  JsonWriter out(indent);
  out.begin_object();
  out.field("hardware", answer.by.predictor->hardware);
  out.field("predictor", answer.by.predictor->name);
  out.key("basis");
  write_json(out, answer.by.provenance());
  out.key("errors");
  out.begin_object();
  write_errors(out, "ml", answer.ml);
  write_errors(out, "module", answer.module);
  write_errors(out, "model", answer.model);
  out.end_object();
  out.key("trees");
  out.begin_array();
  for (const MeasuredTree& measured : answer.trees) {
    const DatasetTree& tree = measured.tree;
    out.begin_object();
    out.field("model", tree.model_name);
    out.field("batch_size", tree.batch_size);
    out.field("seq_len", tree.seq_len);
    if (!tree.dtype.empty()) out.field("dtype", tree.dtype);
    if (!tree.protocol.empty()) out.field("protocol", tree.protocol);
    out.field("predicted_from", measured.is_from_config     ? "config"
                                : !measured.why_not.empty() ? "nothing"
                                                            : "dataset");
    if (!measured.why_not.empty()) out.field("why_not", measured.why_not);
    out.key("tree");
    write_node(out, tree, static_cast<std::int32_t>(tree.nodes.size()) - 1);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
