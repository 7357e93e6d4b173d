// What is known without being told: the bundled models and the families.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/models/families/model_kind.h"

namespace wattree {

struct KnownModel {
  std::string name;
  std::string model_type;
  std::string class_name;
  std::int64_t params = 0;
  std::string_view dtype;
  ModelKind kind = ModelKind::kEncoder;
  bool is_dropped = false;  // Somebody put it into the folder of models; otherwise it is bundled.
};

struct KnownFamily {
  std::string_view model_type;
  std::vector<std::string_view> classes;
};

struct ModelsAnswer {
  std::vector<KnownModel> models;  // Every bundled one, with the size its tree says it has.
  std::vector<KnownFamily> families;
  std::vector<DroppedProblem> problems;  // Files in the folder of models that are none.
};
Result<ModelsAnswer> models();  // The bundled ones.
// Those of them whose name, family or class has each of the words; all where there are none. An
// error where no model has them.
Result<ModelsAnswer> models_with(const std::vector<std::string>& words);
Result<ModelsAnswer> models(const Services& services);
// The bundled ones alone.
std::vector<std::string_view> model_names();

std::string to_json(const ModelsAnswer& answer);

// A config to be kept in the folder of models, so that it can be named.
struct AddModelRequest {
  std::string name;
  std::string config;
};
Result<AddModelRequest> add_model_request(const nlohmann::json& body);
// What is now known of it. Fails where it cannot be built, has a bundled model's name, or where
// there is no folder.
Result<KnownModel> add_model(const AddModelRequest& request, const Services& services);
std::string to_json(const KnownModel& model);

}  // namespace wattree
