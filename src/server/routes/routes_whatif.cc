#include "src/api/runs/carbon.h"
#include "src/api/runs/compare_runs.h"
#include "src/api/runs/whatif.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/parameters.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using enum ParameterType;

constexpr auto kCompact = [](const auto& answer) { return compact(to_json(answer)); };

Parameter required(Parameter parameter) {
  parameter.is_required = true;
  return parameter;
}

// region, intensity and so on, with a word before each name.
Parameters of_baseline(Parameters parameters) {
  std::erase_if(parameters, [](const Parameter& p) { return p.name == "price"; });
  for (Parameter& parameter : parameters) {
    parameter.name = "baseline_" + parameter.name;
    parameter.description = "Of the baseline: " + parameter.description;
  }
  return parameters;
}

// A model as the alternative, whose energy is predicted.
Parameters predicted_parameters() {
  return {{"other_model", kText,
           "A model as the alternative, whose energy is predicted: a bundled name, or org/name.",
           "bert-base-uncased"},
          {"other_batch", kInteger, "Items in one pass of that model; 1 where absent.", "16"},
          {"other_seq", kInteger, "Tokens of each item's text; 128 where absent.", "128"},
          choice("other_dtype", "Its precision; the config's where absent.",
                 {"fp32", "tf32", "bf16", "fp16", "int8", "int4"}),
          {"other_on", kText, "Hardware or predictor that it runs on, by name.", "h200"},
          {"other_passes", kNumber,
           "Its forward passes in the whole run, planned epochs included; one in each epoch where "
           "absent.",
           "1000000"},
          {"other_factor", kNumber,
           "For training: so many forward passes are assumed to take what a step does.", "3"}};
}

Route whatif_route() {
  Parameter keep = choice("keep", "What stays the same on other hardware.", {"work", "hours"});
  return api_route(
      HttpMethod::kGet, "whatif", "whatif",
      "A run in another region, on other hardware, or with more epochs; or beside another run or a "
      "model's predicted passes.",
      joined(
          {{required({"profile", kText, "A profile's id, or a run's.", "bert-base-v100"}),
            {"hardware", kText, "Other hardware.", "4xT4"},
            {"baseline_hardware", kText, "Hardware of the baseline.", "8xT4"},
            {"hardware_file", kText,
             "Devices of one's own: a CSV file's text with the columns name, kind, tdp_w and "
             "fp32_gflops.",
             "name,kind,tdp_w,fp32_gflops\nMy card,gpu,300,50000"},
            {"other", kText, "A profile's id, or an energy, as the alternative.", "2.5kWh"},
            keep,
            choice("formula",
                   "How other hardware is compared: by the precision that the run computes in, "
                   "or as EnergyVis does, by TDP and FP32 peaks.",
                   {"precision", "energyvis"}),
            choice(
                "precision",
                "Precision that the run computes in; where absent the profile's, or else 16 bits, "
                "or fp32 on hardware without 16-bit units.",
                {"fp32", "tf32", "bf16", "fp16"}),
            {"epochs", kInteger, "So many epochs.", "10"},
            {"points", kInteger, "At most so many points of each curve, from 4 on.", "500"},
            {"regions", kBoolean, "Also the alternative in every region.", "true"},
            {"equations", kBoolean, "Without the equations' values where false.", "false"},
            {"equivalents", kBoolean, "Without equivalents where false.", "false"},
            {"over_time", kBoolean, "Also the energy of both with time, as far as it is known.",
             "true"}},
           predicted_parameters(),
           setting_parameters(),
           of_baseline(setting_parameters())}),
      "whatif", [](const RouteCall& call) -> Result<HttpAnswer> {
        const Result<WhatIfRequest> request = what_if_request(call.fields);
        if (!request.ok()) return request.error();
        const Result<WhatIfForm> form = what_if_form(call.fields);
        if (!form.ok()) return form.error();
        const Result<WhatIfAnswer> answer = what_if(request.value(), call.services);
        if (!answer.ok()) return answer.error();
        return json_answer(compact(to_json(answer.value(), form.value())));
      });
}

}  // namespace

Routes whatif_routes() {
  const Parameter epochs{"epochs", kInteger, "So many epochs.", "10"};
  return tagged(
      "Profiles",
      {whatif_route(),
       api_route(HttpMethod::kGet, "carbon", "carbon", "What an energy, or a run, emits somewhere.",
                 joined({{required({"run", kText, "A profile's id, or an energy.", "2.5kWh"})},
                         setting_parameters(),
                         {epochs}}),
                 "footprint", use_case(carbon_request, carbon, kCompact)),
       api_route(
           HttpMethod::kGet, "compare/runs", "compare_runs", "Runs beside each other, as recorded.",
           joined(
               {{required({"runs", kTexts, "Profiles' ids, or energies; two or more.", "2.5kWh"})},
                setting_parameters(),
                {epochs,
                 {"fail_above", kText, "More energy than the first by so much is too much.",
                  "3%"}}}),
           "compare_profiles", use_case(compare_runs_request, compare_runs, kCompact))});
}

}  // namespace wattree
