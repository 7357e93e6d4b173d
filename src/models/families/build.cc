#include <algorithm>
#include <cctype>

#include "src/base/text.h"
#include "src/models/families/family.h"
#include "src/models/tree/cost.h"

namespace wattree {
namespace {

constexpr std::string_view kOtherWays =
    "`wattree models` lists the families; a model of any other can be given as a TorchScript file "
    "(model.pt)";

Error unknown_family(const ConfigReader& config, const std::string& model_type) {
  std::vector<std::string_view> known;
  for (const Family& family : families()) known.push_back(family.model_type);
  const std::vector<std::string> near = nearest(model_type, known);
  std::string message = config.origin() + ": model_type \"" + model_type + "\" is not known";
  if (!near.empty()) message += "; nearest: " + join(near);
  return {ErrorCode::kInvalidInput, message, std::string(kOtherWays), "config.model_type"};
}

// Files on the Hub differ from the framework's classes in case: "MPTForCausalLM".
bool is_same_class(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Classes that the framework has renamed since configs were published with them.
struct RenamedClass {
  std::string_view old_name;
  std::string_view name;
};
constexpr RenamedClass kRenamed[] = {
    {"T5WithLMHeadModel", "T5ForConditionalGeneration"},
    {"BartForMaskedLM", "BartForConditionalGeneration"},
    {"RWModel", "FalconModel"},
    {"RWForCausalLM", "FalconForCausalLM"},
};

const ModelClass* find_class(const Family& family, std::string_view name) {
  if (name.empty() || name == kBaseModel) return &family.classes.front();
  for (const RenamedClass& renamed : kRenamed) {
    if (is_same_class(renamed.old_name, name)) name = renamed.name;
  }
  const auto known =
      std::find_if(family.classes.begin(), family.classes.end(),
                   [&](const ModelClass& entry) { return is_same_class(entry.name, name); });
  return known == family.classes.end() ? nullptr : &*known;
}

Error unknown_class(const Family& family, const std::string& name) {
  std::vector<std::string> known;
  for (const ModelClass& entry : family.classes) known.emplace_back(entry.name);
  return {ErrorCode::kInvalidInput,
          "class \"" + name + "\" of model_type \"" + std::string(family.model_type) +
              "\" is not known",
          "choose one with <as>: " + join(known), "as"};
}

}  // namespace

Result<BuiltTree> build_tree(const Config& document, const BuildRequest& request) {
  Status failure;
  ConfigReader config(document, failure);
  const std::string model_type = config.text({"model_type"}, "");
  const std::vector<std::string> architectures = config.text_list({"architectures"});
  if (!config.ok()) return config.failure().error();
  if (model_type.empty()) {
    return Error{ErrorCode::kInvalidInput, config.origin() + ": field \"model_type\" is missing",
                 "a config.json from the Hugging Face Hub has it; " + std::string(kOtherWays),
                 "config.model_type"};
  }
  const Family* family = find_family(model_type);
  if (family == nullptr) return unknown_family(config, model_type);

  std::string class_name = request.as;
  if (class_name.empty() && !architectures.empty()) class_name = architectures.front();
  const ModelClass* known = find_class(*family, class_name);
  if (known == nullptr) return unknown_class(*family, class_name);

  Pass pass = request.pass;
  if (!family->has_sdpa) pass.attention = Attention::kEager;
  Trace trace(pass);
  known->build(trace, config);
  if (!config.ok()) return config.failure().error();
  Result<ModelTree> tree = trace.finish();
  if (!tree.ok()) {
    Error error = tree.error();
    error.message = config.origin() + ": " + error.message;
    return error;
  }
  ModelTree costed = std::move(tree).value();
  if (const Status costs = add_costs(costed); !costs.ok()) return costs.error();
  return BuiltTree{std::move(costed), std::string(known->name), family->is_encoder_decoder,
                   family->has_text_source, pass.attention};
}

std::set<std::string> fields_read(const Config& document, const Pass& pass) {
  std::set<std::string> fields;
  Status failure;
  ConfigReader config(document, failure, &fields);
  const Family* family = find_family(config.text({"model_type"}, ""));
  if (family == nullptr) return fields;
  for (const ModelClass& known : family->classes) {
    Status ignored;  // Of another class than the one that was asked for.
    ConfigReader reader(document, ignored, &fields);
    Trace trace(pass);
    known.build(trace, reader);
  }
  return fields;
}

}  // namespace wattree
