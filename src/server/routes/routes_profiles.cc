#include "src/api/runs/carbon.h"
#include "src/api/runs/compare_runs.h"
#include "src/api/runs/export.h"
#include "src/api/runs/profiles.h"
#include "src/api/runs/whatif.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/parameters.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using enum ParameterType;

constexpr auto kCompact = [](const auto& answer) { return compact(to_json(answer)); };

Route route(std::string path, std::string operation, std::string summary, Parameters parameters,
            std::string answer, Handler handle) {
  Route out;
  out.path = "/api/v1/" + std::move(path);
  out.operation = std::move(operation);
  out.tag = "Profiles";
  out.summary = std::move(summary);
  out.parameters = std::move(parameters);
  out.answer = std::move(answer);
  out.handle = std::move(handle);
  return out;
}

Parameter id_in_path() {
  Parameter out{"id", kText, "The profile's id.", "bert-base-v100"};
  out.place = ParameterPlace::kPath;
  out.is_required = true;
  out.field = "profile";
  return out;
}

Parameter required(Parameter parameter) {
  parameter.is_required = true;
  return parameter;
}

// region, intensity and so on, with a word before each name.
Parameters prefixed(const std::string& prefix, Parameters parameters) {
  std::erase_if(parameters, [](const Parameter& p) { return p.name == "price"; });
  for (Parameter& parameter : parameters) {
    parameter.name = prefix + parameter.name;
    parameter.description = "Of the baseline: " + parameter.description;
  }
  return parameters;
}

Result<HttpAnswer> export_answer(const RouteCall& call) {
  const Result<ExportRequest> request = export_request(call.fields);
  if (!request.ok()) return request.error();
  Result<ExportAnswer> answer = export_profile(request.value(), call.services);
  if (!answer.ok()) return answer.error();
  HttpAnswer out = json_answer(std::move(answer).value().text);
  const bool is_page = request.value().format == ExportFormat::kHtml;
  // As a file: a page with styles of its own is not shown as one of this server's.
  out.headers.emplace_back("Content-Disposition", std::string("attachment; filename=\"profile.") +
                                                      (is_page ? "html\"" : "json\""));
  if (is_page) out.type = "text/html; charset=utf-8";
  return out;
}

Route export_route() {
  Parameter format{"format", kText, "wattree, energyvis, or html for a report.", "energyvis"};
  format.values = {"wattree", "energyvis", "html"};
  Route out = route(
      "profiles/{id}/export", "export_profile", "A profile as a file for others.",
      {id_in_path(), format, {"region", kText, "A region in place of the profile's.", "US-GA"}}, "",
      export_answer);
  out.answer_type = "application/json";
  return out;
}

Route whatif_route() {
  Parameter keep{"keep", kText, "What stays the same on other hardware.", "work"};
  keep.values = {"work", "hours"};
  return route(
      "whatif", "whatif", "A run in another region, on other hardware, or with more epochs.",
      joined({{required({"profile", kText, "A profile's id.", "bert-base-v100"}),
               {"hardware", kText, "Other hardware.", "4xT4"},
               {"hardware_file", kText,
                "Devices of one's own: a CSV file's text with the columns name, kind, tdp_w and "
                "fp32_gflops.",
                "name,kind,tdp_w,fp32_gflops\nMy card,gpu,300,50000"},
               {"baseline_hardware", kText, "Hardware of the baseline.", "8xT4"},
               {"other", kText, "A profile's id, or an energy, as the alternative.", "2.5kWh"},
               keep,
               {"epochs", kInteger, "So many epochs.", "10"},
               {"points", kInteger, "At most so many points of each curve, from 4 on.", "500"},
               {"regions", kBoolean, "Also the alternative in every region.", "true"},
               {"equations", kBoolean, "Without the equations' values where false.", "false"},
               {"equivalents", kBoolean, "Without equivalents where false.", "false"}},
              setting_parameters(),
              prefixed("baseline_", setting_parameters())}),
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

Routes profile_routes() {
  Routes out;
  out.push_back(route("profiles", "profiles", "The profiles of runs that are kept here.", {},
                      "profiles", [](const RouteCall& call) -> Result<HttpAnswer> {
                        const Result<ProfilesAnswer> answer = profiles({}, call.services);
                        if (!answer.ok()) return answer.error();
                        return json_answer(kCompact(answer.value()));
                      }));
  out.push_back(route("profiles/{id}", "profile", "One profile, whole.", {id_in_path()}, "profile",
                      use_case(show_profile_request, show_profile, kCompact)));
  out.push_back(export_route());
  out.push_back(whatif_route());
  out.push_back(route("carbon", "carbon", "What an energy, or a run, emits somewhere.",
                      joined({{required({"run", kText, "A profile's id, or an energy.", "2.5kWh"})},
                              setting_parameters(),
                              {{"epochs", kInteger, "So many epochs.", "10"}}}),
                      "footprint", use_case(carbon_request, carbon, kCompact)));
  out.push_back(route(
      "compare/runs", "compare_runs", "Runs beside each other, as recorded.",
      joined({{required({"runs", kTexts, "Profiles' ids, or energies; two or more.", "2.5kWh"})},
              setting_parameters(),
              {{"epochs", kInteger, "So many epochs.", "10"},
               {"fail_above", kText, "More energy than the first by so much is too much.", "3%"}}}),
      "compare_profiles", use_case(compare_runs_request, compare_runs, kCompact)));
  return out;
}

}  // namespace wattree
