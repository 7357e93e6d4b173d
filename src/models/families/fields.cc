#include "src/models/families/fields.h"

#include <algorithm>

#include "src/models/symbolic/nn.h"

namespace wattree {

std::string activation_field(ConfigReader& config, ConfigReader::Names names,
                             std::string_view otherwise) {
  std::string function = config.text(names, otherwise);
  if (!is_activation(function))
    config.reject(*names.begin(), "names an unknown activation \"" + function + "\"");
  return function;
}

std::int64_t label_count(ConfigReader& config, std::int64_t otherwise) {
  const std::int64_t named = config.object_size("id2label");
  return config.size({"num_labels"}, named > 0 ? named : otherwise);
}

Dims height_and_width(ConfigReader& config, std::string_view name, std::int64_t otherwise) {
  if (!config.is_list(name)) {
    const std::int64_t side = config.size({name}, otherwise);
    return {side, side};
  }
  const std::vector<std::int64_t> sides = config.number_list({name});
  constexpr std::int64_t kMaxSide = std::int64_t{1} << 20;
  if (sides.size() != 2 || std::min(sides[0], sides[1]) < 1 ||
      std::max(sides[0], sides[1]) > kMaxSide) {
    config.reject(name, "must be a size or a list of two");
    return {otherwise, otherwise};
  }
  return {sides[0], sides[1]};
}

std::string_view length_field(const Pass& pass) { return pass.past > 0 ? "past" : "seq"; }

std::string_view target_length_field(const Pass& pass) {
  // Who gives no length of the target gets the source's.
  return pass.target_len == pass.seq ? length_field(pass) : "target_len";
}

void check_positions(ConfigReader& config, std::int64_t needed, std::int64_t available,
                     std::string_view field, std::string_view request_field) {
  if (needed <= available) return;
  config.reject_request(request_field, field,
                        "is " + std::to_string(available) + ", but the sequence has " +
                            std::to_string(needed) + " positions; the model cannot run it");
}

bool is_full_pass(ConfigReader& config, const Trace& trace) {
  if (trace.pass().past == 0) return true;
  config.reject_request("past", "model_type",
                        "is of a model that keeps no cache: it cannot decode token by token");
  return false;
}

std::optional<ConfigReader> rope_settings(ConfigReader& config) {
  if (config.object_size("rope_scaling") > 0) return config.object("rope_scaling");
  return config.object("rope_parameters");
}

RopeKind rope_kind(ConfigReader& config) {
  std::optional<ConfigReader> rope = rope_settings(config);
  const std::string type = rope ? rope->text({"rope_type", "type"}, "default") : "default";
  return rope_kind(type);
}

std::int64_t rotary_size(ConfigReader& config, std::int64_t head_dim, double default_factor) {
  double factor = config.number({"partial_rotary_factor"}, default_factor);
  if (std::optional<ConfigReader> rope = rope_settings(config)) {
    factor = rope->number({"partial_rotary_factor"}, factor);
  }
  const double turning = static_cast<double>(head_dim) * factor;
  if (turning >= 2.0 && turning <= static_cast<double>(head_dim)) {
    return static_cast<std::int64_t>(turning);
  }
  config.reject("partial_rotary_factor", "leaves fewer than two or more than all of the " +
                                             std::to_string(head_dim) + " dimensions of a head");
  return head_dim;
}

RopeKind rope_kind(std::string_view type) {
  if (type.find("dynamic") != std::string_view::npos) return RopeKind::kDynamic;
  return type == "longrope" || type == "su" ? RopeKind::kLong : RopeKind::kFixed;
}

std::vector<bool> sliding_layers(ConfigReader& config, std::int64_t layers) {
  std::vector<bool> slides;
  const std::vector<std::string> types = config.text_list({"layer_types"});
  if (!types.empty() && static_cast<std::int64_t>(types.size()) != layers) {
    config.reject("layer_types", "has " + std::to_string(types.size()) + " entries for " +
                                     std::to_string(layers) + " layers");
  }
  for (const std::string& type : types) {
    if (type != "full_attention" && type != "sliding_attention") {
      config.reject("layer_types", "has an unknown entry \"" + type + "\"");
    }
    slides.push_back(type == "sliding_attention");
  }
  return slides;
}

void look_for_padding(const Tensor& ids, bool has_padding_token) {
  if (!has_padding_token) return;
  Trace& trace = *ids.trace;
  const Tensor ends = trace.tensor(DType::kInt64, {2});
  const Tensor picked =
      trace.emit(Op::kIndex, {&ids, &ends}, trace.tensor(DType::kInt64, {ids.dim(0), 2}), {1});
  const Tensor matches = predicate(Op::kEq, picked);
  trace.emit(Op::kAny, {&matches}, trace.tensor(DType::kBool, {}));
}

std::string item(std::string_view list, std::int64_t index) {
  return std::string(list) + "." + std::to_string(index);
}

}  // namespace wattree
