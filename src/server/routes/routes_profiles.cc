#include <nlohmann/json.hpp>

#include "src/api/runs/export.h"
#include "src/api/runs/profile_estimate.h"
#include "src/api/runs/profile_import.h"
#include "src/api/runs/profiles.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/parameters.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using enum ParameterType;

constexpr auto kCompact = [](const auto& answer) { return compact(to_json(answer)); };
// The transport takes no more, either.
constexpr std::size_t kMostOfProfile = std::size_t{64} << 20;

Parameter id_in_path(std::string field) {
  Parameter out{"id", kText, "The profile's id.", "bert-base-v100"};
  out.place = ParameterPlace::kPath;
  out.is_required = true;
  out.field = std::move(field);
  return out;
}

Parameter tags_parameter() { return {"tags", kTexts, "Words to find it by.", "bert"}; }

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
  return api_route(
      HttpMethod::kGet, "profiles/{id}/export", "export_profile", "A profile as a file for others.",
      {id_in_path("profile"),
       choice("format", "wattree, energyvis, or html for a report; wattree where absent.",
              {"energyvis", "wattree", "html"}),
       {"region", kText, "A region in place of the profile's.", "US-GA"},
       {"command", kBoolean, "Whether the run's command is in the notes; not where absent.",
        "false"}},
      "", export_answer);
}

Route list_route() {
  return api_route(
      HttpMethod::kGet, "profiles", "profiles", "The profiles of runs that are kept here.",
      {{"q", kText, "Words that all stand in its id, name, author, hardware, region or tags.",
        "bert"},
       {"tag", kTexts, "Only profiles with this tag; with all of them where it is repeated.",
        "paper"},
       {"region", kText, "Only runs in this region.", "US-GA"},
       {"hardware", kText, "Only runs on hardware with this in its name.", "v100"},
       choice("status", "Only profiles of this status.", {"complete", "unfinished", "unreadable"}),
       {"from", kText, "Only runs that began then or later, in UTC.", "2026-05-01"},
       {"to", kText, "Only runs that began before.", "2026-05-01T12:00:00Z"},
       {"deleted", kBoolean, "Those that were deleted and can be restored.", "true"},
       {"sort", kText,
        "id, name, energy, duration, epochs, started or added; downwards after a \"-\".",
        "-energy"},
       {"limit", kInteger, "At most so many, up to 1000; 100 where absent.", "20"},
       {"cursor", kText, "The `next` of the page before.",
        "5b226964222c312c22626572742d626173652d76313030222c22626572742d626173652d76313030225d"}},
      "profiles", use_case(profiles_request, profiles, kCompact));
}

Result<HttpAnswer> import_answer(const RouteCall& call) {
  const Result<ImportProfileRequest> request = import_profile_request(call.fields, call.http.body);
  if (!request.ok()) return request.error();
  const Result<ImportProfileAnswer> answer = import_profile(request.value(), call.services);
  if (!answer.ok()) return answer.error();
  return json_answer(kCompact(answer.value()));
}

Route import_route() {
  Route out = api_route(
      HttpMethod::kPost, "profiles", "import_profile",
      "Keeps the profiles of a file: Wattree's or EnergyVis's JSON, an HTML report of Wattree's, "
      "or CodeCarbon's emissions.csv. They are told apart by what is in them.",
      {{"id", kText, "The id that is wanted; made from the profile's name where absent.", "my-run"},
       tags_parameter()},
      "imported_profiles", import_answer);
  out.text_bodies = {"application/json", "text/html", "text/csv", "text/plain"};
  out.body_example = R"({"format": "wattree-profile", "version": 1, "name": "An epoch",
    "hardware": [{"kind": "gpu", "name": "Tesla V100 SXM2 32GB", "count": 1}], "region": "US-GA",
    "epochs": [{"duration_s": 600, "energy": [{"component": "gpu", "kind": "gpu",
      "energy_j": 150000, "basis": {"kind": "measured", "by": "NVML", "boundary": "gpu"}}]}]})";
  out.body_limit = kMostOfProfile;
  return out;
}

Route change_route() {
  return api_route(HttpMethod::kPatch, "profiles/{id}", "change_profile",
                   "Gives a profile another name or other tags.",
                   joined({{id_in_path("id")},
                           in_body({{"name", kText, "What it is to be called.", "My run"},
                                    {"tags", kTexts, "All of its tags.", "paper"}})}),
                   "profile_entry", use_case(change_profile_request, change_profile, kCompact));
}

Route estimate_route() {
  Parameters fields = in_body(
      {{"name", kText, "What the run is to be called.", "Their BERT"},
       {"hardware", kFleet, "Devices of /api/v1/hardware with their numbers.",
        "64xTesla V100 SXM2 32GB"},
       {"hours", kNumber, "How long the run took.", "79"},
       {"region", kText, "A code or name of /api/v1/regions.", "US-VA"},
       {"pue", kNumberOrText, "Power usage effectiveness: a number of 1 or more, or average.",
        "1.58"},
       {"utilisation", kNumber, "Share of the rated power, above 0 and up to 1; 1 where absent.",
        "0.8"},
       {"author", kText, "Whose run it was.", "Devlin et al."},
       {"source", kText, "Where its figures are from.", "arXiv:1810.04805"},
       {"id", kText, "The id that is wanted; made from the name where absent.", "their-bert"},
       tags_parameter(),
       {"keep", kBoolean,
        "Whether it is kept; otherwise the profile is only answered. True where "
        "absent.",
        "false"}});
  for (Parameter& field : fields) {
    field.is_required = field.name == "name" || field.name == "hardware" || field.name == "hours";
  }
  return api_route(HttpMethod::kPost, "profiles/estimate", "estimate_profile",
                   "A profile of a run that nobody has a file of: hardware × hours, as assumed.",
                   std::move(fields), "profile_entry|profile",
                   use_case(estimate_profile_request, estimate_profile, kCompact));
}

}  // namespace

Routes profile_routes() {
  Routes out{list_route(),
             api_route(HttpMethod::kGet, "profiles/{id}", "profile", "One profile, whole.",
                       {id_in_path("profile")}, "profile",
                       use_case(show_profile_request, show_profile, kCompact)),
             export_route()};
  Routes changing{
      import_route(), estimate_route(), change_route(),
      api_route(HttpMethod::kDelete, "profiles/{id}", "delete_profile",
                "Deletes a profile. For 30 days it can be restored.", {id_in_path("id")},
                "deleted_profile", use_case(delete_profile_request, delete_profile, kCompact)),
      api_route(HttpMethod::kPost, "profiles/{id}/restore", "restore_profile",
                "Brings a deleted profile back.", {id_in_path("id")}, "profile_entry",
                use_case(delete_profile_request, undelete_profile, kCompact))};
  for (Route& route : changing) {
    route.scope = TokenScope::kIngest;
    route.changes_answers = true;
  }
  append(out, std::move(changing));
  return tagged("Profiles", std::move(out));
}

}  // namespace wattree
