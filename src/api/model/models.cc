#include "src/api/model/models.h"

#include "src/base/json_writer.h"
#include "src/models/families/build_model.h"
#include "src/models/hub/bundled.h"

namespace wattree {

Result<ModelsAnswer> models() {
  ModelsAnswer out;
  for (const BundledModel& model : bundled_models()) {
    const std::string name(model.name);
    PassShape pass;
    pass.seq = 1;  // Parameters do not depend on it.
    const Result<BuiltModel> built = build_model(name, std::string(model.json), name, pass);
    if (!built.ok()) return built.error();
    out.models.push_back({name, built.value().model_type, built.value().class_name,
                          built.value().tree.root().params});
  }
  for (const Family& family : families()) {
    KnownFamily& entry = out.families.emplace_back();
    entry.model_type = family.model_type;
    for (const ModelClass& known : family.classes) entry.classes.push_back(known.name);
  }
  return out;
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> out;
  for (const BundledModel& model : bundled_models()) out.push_back(model.name);
  return out;
}

std::string to_json(const ModelsAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("models");
  out.begin_array();
  for (const KnownModel& model : answer.models) {
    out.begin_object();
    out.field("name", model.name);
    out.field("model_type", model.model_type);
    out.field("class", model.class_name);
    out.field("params", model.params);
    out.end_object();
  }
  out.end_array();
  out.key("families");
  out.begin_array();
  for (const KnownFamily& family : answer.families) {
    out.begin_object();
    out.field("model_type", family.model_type);
    out.key("classes");
    out.begin_array();
    for (const std::string_view name : family.classes) out.value(name);
    out.end_array();
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
