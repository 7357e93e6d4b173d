#include "tests/integration/record.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "src/base/file.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

bool is_node(const std::string& type) {
  static const std::set<std::string> kNoNodes{"ModuleList", "ModuleDict", "Sequential", "Dropout",
                                              "Identity"};
  return !kNoNodes.contains(type);
}

// Fused attention has many names, by the kernel chosen; and some ops return more than one needs to
// know.
std::string op_name(const std::string& recorded) {
  return recorded.starts_with("_scaled_dot_product_") ? "scaled_dot_product_attention" : recorded;
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// Models were recorded without published weights, and then the framework ties the heads of the T5
// family whatever the file says.
Json as_built_without_weights(Json config) {
  const std::string type = config.value("model_type", "");
  if ((type == "t5" || type == "mt5") && !config.value("tie_word_embeddings", true)) {
    config["tie_word_embeddings"] = true;
    if (type == "t5") config["scale_decoder_outputs"] = false;
  }
  return config;
}

Record read_record(const Json& json) {
  Record record;
  // Two forms: our own records, and the older reference trees with "model", "cls" and
  // "module_flops".
  const bool is_tree = json.contains("module_flops");
  record.config = as_built_without_weights(json["config"]).dump();
  record.params = json["params"];
  record.pass.batch = json["batch"];
  record.pass.seq = json["seq"];
  record.pass.past = json.value("past", 0);
  record.pass.target_len = json.value("target", record.pass.past > 0 ? 1 : record.pass.seq);
  record.pass.source = json.value("source", record.pass.seq);
  record.name = json.value("name", json.value("model", "")) + "." +
                json.value("attention", "eager") + "." + json.value("dtype", "fp32");
  record.pass.attention =
      json.value("attention", "eager") == "eager" ? Attention::kEager : Attention::kSdpa;
  record.pass.precision = *parse_precision(json.value("dtype", "fp32"));
  for (const Json& module : json["modules"]) {
    RecordedModule entry = is_tree ? RecordedModule{module["name"], module["cls"], module["params"]}
                                   : RecordedModule{module[0], module[1], module[2]};
    if (is_node(entry.type)) record.modules.push_back(entry);
  }
  const std::string root = record.modules.front().type;
  record.class_name = json.value("class", json.value("cls", root));
  record.has_flops = is_tree || json.contains("flops");
  const Json flops = record.has_flops ? json[is_tree ? "module_flops" : "flops"] : Json::object();
  for (const auto& [key, value] : flops.items()) {
    std::string scope = key;
    if (is_tree) {
      if (key == "Global") continue;
      scope = key == root ? "" : key.substr(root.size() + 1);
    }
    record.flops[scope] = value;
  }
  record.has_ops = json.contains("ops");
  if (record.has_ops) {
    for (const Json& op : json["ops"]) {
      const std::string name = op_name(op[1]);
      std::string outputs = op[3];
      if (name == "scaled_dot_product_attention") outputs = first_word(outputs);
      record.ops.push_back(op[0].get<std::string>() + " " + name + " " + op[2].get<std::string>() +
                           " -> " + outputs);
    }
  }
  return record;
}

}  // namespace

std::vector<Record> read_records(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().ends_with(".json.gz")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Record> records;
  for (const auto& path : paths) {
    const Result<std::string> text = read_maybe_gzip(path);
    if (!text.ok()) throw std::runtime_error(text.error().message);
    const Json json = Json::parse(text.value());
    if (json.is_array()) {
      for (const Json& entry : json) records.push_back(read_record(entry));
    } else {
      records.push_back(read_record(json));
    }
  }
  return records;
}

std::string label_of(const Record& record) {
  std::string name = record.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}

std::vector<std::string> ops_of(const ModelTree& tree) {
  auto describe = [](std::span<const Operand> operands) {
    std::string out;
    for (const Operand& operand : operands) {
      if (!out.empty()) out += ' ';
      out += std::string(short_name(operand.dtype)) + "[";
      for (int i = 0; i < operand.size.rank(); ++i)
        out += (i ? "," : "") + std::to_string(operand.size[i]);
      out += "]";
    }
    return out;
  };
  std::vector<std::string> out;
  for (const Node& node : tree.nodes()) {
    if (node.op == Op::kNone) continue;
    const std::string scope(node.scope.substr(0, node.scope.find(':')));
    out.push_back(scope + " " + std::string(facts_of(node.op).aten) + " " +
                  describe(tree.inputs(node)) + " -> " + describe(tree.outputs(node)));
  }
  return out;
}

}  // namespace wattree
