#include "src/api/models.h"

#include "src/api/tree.h"
#include "src/base/json_writer.h"
#include "src/models/hub/bundled.h"

namespace wattree {

Result<std::vector<KnownModel>> known_models() {
  std::vector<KnownModel> out;
  for (const BundledModel& model : bundled_models()) {
    const std::string name(model.name);
    PassShape query;
    query.seq = 1;  // Parameters do not depend on it.
    Result<BuiltModel> answer = build_model(name, std::string(model.json), name, query);
    if (!answer.ok()) return answer.error();
    out.push_back({name, answer.value().model_type, answer.value().class_name,
                   answer.value().tree.root().params});
  }
  return out;
}

std::vector<KnownFamily> known_families() {
  std::vector<KnownFamily> out;
  for (const Family& family : families()) {
    KnownFamily entry{family.model_type, {}};
    for (const ModelClass& known : family.classes) entry.classes.push_back(known.name);
    out.push_back(std::move(entry));
  }
  return out;
}

std::string to_json(const std::vector<KnownModel>& models,
                    const std::vector<KnownFamily>& families) {
  JsonWriter out(2);
  out.begin_object();
  out.key("models");
  out.begin_array();
  for (const KnownModel& model : models) {
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
  for (const KnownFamily& family : families) {
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
