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

// Rotary and relative positions have no end: models run beyond the length that they were made for.
// Those with a table of positions are refused there.
void add_length(const BuiltModel& built, ConfigReader& config, std::vector<std::string>& out) {
  if (!built.has_text_source || !config.has({"max_position_embeddings"})) return;
  const std::int64_t made_for = config.size({"max_position_embeddings"}, 1);
  const std::int64_t asked = built.pass.past + built.pass.seq;
  if (asked <= made_for) return;
  out.push_back("the pass has " + std::to_string(asked) +
                " positions, but the model was made for " + std::to_string(made_for) +
                " (max_position_embeddings): it runs, but its output may be meaningless");
}

void add_decode(const BuiltModel& built, std::vector<std::string>& out) {
  if (built.pass.past == 0) return;
  out.emplace_back(
      "decode as Transformers runs it: every step copies the cache to make it longer, which "
      "engines for serving, such as vLLM, do not");
}

}  // namespace

std::vector<std::string> notes_of(const BuiltModel& built, ConfigReader& config,
                                  const PassShape& asked) {
  std::vector<std::string> out;
  add_head(built, asked, out);
  add_quantization(built, config, out);
  add_length(built, config, out);
  add_decode(built, out);
  return out;
}

}  // namespace wattree
