#include "src/api/model/models.h"
#include "src/api/model/predictors.h"
#include "src/api/runs/equivalents.h"
#include "src/api/runs/lookup.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using enum ParameterType;

constexpr auto kCompact = [](const auto& answer) { return compact(to_json(answer)); };

// Its path, its operation and its answer have one name.
Route route(const std::string& name, std::string summary, std::vector<Parameter> parameters,
            Handler handle) {
  Route out = api_route(HttpMethod::kGet, name, name, std::move(summary), std::move(parameters),
                        name, std::move(handle));
  out.tag = "Look-up";
  out.is_cacheable = true;
  return out;
}

Route add_model_route() {
  Parameter name{"name", kText, "What the model is to be called.", "my-bert",
                 ParameterPlace::kBody};
  Parameter config{"config", kObject, "Its config.json.",
                   R"({"model_type": "bert", "num_hidden_layers": 6})", ParameterPlace::kBody};
  name.is_required = config.is_required = true;
  Route out = route("models", "Keeps a config in the server's folder of models, to be named later.",
                    {name, config}, use_case(add_model_request, add_model, kCompact));
  out.method = HttpMethod::kPost;
  out.operation = "add_model";
  out.answer = "model";
  out.scope = TokenScope::kIngest;
  out.changes_answers = true;
  out.is_cacheable = false;
  return out;
}

}  // namespace

Routes lookup_routes() {
  return {
      route("models", "The bundled models, and the families that configs may be of.", {},
            [](const RouteCall& call) -> Result<HttpAnswer> {
              const Result<ModelsAnswer> answer = models(call.services);
              if (!answer.ok()) return answer.error();
              return json_answer(kCompact(answer.value()));
            }),
      add_model_route(),
      route("predictors", "The predictors that have names here, and how far to trust them.", {},
            [](const RouteCall& call) -> Result<HttpAnswer> {
              return json_answer(kCompact(predictors(call.services)));
            }),
      route("hardware", "Devices with their published figures.",
            {{"words", kText, "Beginnings of words of a name, alias or maker.", "a100"}},
            use_case(hardware_request, hardware, kCompact)),
      route("regions", "Regions with the carbon of their electricity.",
            {{"words", kText, "Part of a code, name or source.", "georgia"}},
            use_case(regions_request, regions, kCompact)),
      route("equivalents", "What emissions and energy are compared with.",
            {{"carbon_gco2e", kNumber, "An emission to express in them.", "100000"},
             {"energy_j", kNumber, "Its energy, for things that take electricity.", "1000000"}},
            use_case(
                equivalents_request,
                [](const EquivalentsRequest& request, const Services&) {
                  return Result<EquivalentsAnswer>(equivalents(request));
                },
                kCompact)),
  };
}

}  // namespace wattree
