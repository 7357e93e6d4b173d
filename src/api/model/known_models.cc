#include "src/api/model/known_models.h"

#include "src/models/hub/bundled.h"

namespace wattree {

std::optional<std::string> find_dropped(const std::string& name, const Services& services) {
  if (services.models == nullptr || find_bundled(name) != nullptr) return std::nullopt;
  const std::shared_ptr<const DroppedModels> dropped = services.models->models();
  for (const DroppedModel& model : dropped->models) {
    if (model.name == name) return model.config;
  }
  return std::nullopt;
}

std::vector<NamedModel> bundled_texts() {
  std::vector<NamedModel> out;
  for (const BundledModel& model : bundled_models()) {
    const std::string name(model.name);
    out.push_back({name, {std::string(model.json), name, ModelSource::kBundled, ""}});
  }
  return out;
}

std::vector<NamedModel> known_texts(const Services& services) {
  std::vector<NamedModel> out = bundled_texts();
  if (services.models == nullptr) return out;
  const std::shared_ptr<const DroppedModels> dropped = services.models->models();
  for (const DroppedModel& model : dropped->models) {
    if (find_bundled(model.name) != nullptr) continue;
    out.push_back({model.name, {model.config, model.name, ModelSource::kGiven, ""}});
  }
  return out;
}

}  // namespace wattree
