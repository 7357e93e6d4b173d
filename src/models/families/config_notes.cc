#include "src/models/families/config_notes.h"

#include <algorithm>
#include <cmath>

namespace wattree {
namespace {

// Encoders are published with the head of their pre-training, and deployed without it.
bool is_of_pre_training(std::string_view class_name) {
  return class_name.ends_with("ForMaskedLM") || class_name.ends_with("ForPreTraining");
}

// The share of the FLOPs that is not the base model's; 0 where the class does not hold one.
double head_share(const ModelTree& tree, std::string_view base) {
  const auto nodes = tree.nodes();
  const auto inner =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.type == base; });
  const auto whole = static_cast<double>(tree.root().flops);
  if (inner == nodes.end() || !(whole > 0)) return 0;
  return 1 - static_cast<double>(inner->flops) / whole;
}

void add_head(const BuiltModel& built, const PassShape& asked, std::vector<std::string>& out) {
  const Family* family = find_family(built.model_type);
  if (family == nullptr || !asked.as.empty() || !is_of_pre_training(built.class_name)) return;
  const std::string base(family->classes.front().name);
  const double percent = 100 * head_share(built.tree, base);
  out.push_back("the config names " + built.class_name + ": its pre-training head is " +
                std::to_string(std::lround(percent)) + " % of the FLOPs; <as> " + base +
                " leaves it out");
}

// Bits of a quantised weight; 0 where the config does not say it plainly.
std::int64_t bits_of(ConfigReader& quantized, const std::string& method) {
  if (quantized.has({"bits"})) return quantized.size({"bits"}, 1);
  if (quantized.flag({"load_in_4bit", "_load_in_4bit"}, false)) return 4;
  if (quantized.flag({"load_in_8bit", "_load_in_8bit"}, false)) return 8;
  if (method == "fp8" || method == "fbgemm_fp8") return 8;
  return method == "mxfp4" ? 4 : 0;
}

void add_quantization(const BuiltModel& built, ConfigReader& config,
                      std::vector<std::string>& out) {
  const Precision precision = built.pass.precision;
  std::optional<ConfigReader> quantized = config.object("quantization_config");
  if (!quantized || precision == Precision::kInt8 || precision == Precision::kInt4) return;
  const std::string method = quantized->text({"quant_method"}, "an unnamed method");
  const std::int64_t bits = bits_of(*quantized, method);
  const std::int64_t ours = weight_bits(precision);
  std::string note = "the config is of a model quantised by " + method;
  if (bits > 0) note += " to " + std::to_string(bits) + " bits";
  note += ", and this is the unquantised one in " + std::string(name_of(precision)) + ": ";
  note += bits > 0 && ours % bits == 0
              ? "its weights take " + std::to_string(ours / bits) + " times the bytes"
              : "its weights take more bytes";
  out.push_back(note +
                ", so that memory, decode steps and small batches come out too high; passes "
                "bound by arithmetic hardly differ");
}

}  // namespace

std::vector<std::string> notes_of(const BuiltModel& built, ConfigReader& config,
                                  const PassShape& asked) {
  std::vector<std::string> out;
  add_head(built, asked, out);
  add_quantization(built, config, out);
  return out;
}

}  // namespace wattree
