#include "src/api/runs/compare_runs.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/api/predict/request_reader.h"
#include "src/api/runs/footprint.h"
#include "src/api/runs/run_request.h"
#include "src/base/error_field.h"
#include "src/base/file.h"
#include "src/models/hub/bundled.h"

namespace wattree {
namespace {

constexpr std::size_t kMostRuns = 100;
constexpr std::int64_t kMostComparedEpochs = 1'000'000'000;

// Whoever may not have files of models opened may not have files of profiles opened either.
RunRef run_named(const std::string& name, const Services& services) {
  return {name, {}, services.hub.allow_files};
}

SettingQuery read_setting(JsonFields& fields) {
  SettingQuery setting;
  setting.region = fields.text("region");
  setting.intensity = fields.text("intensity");
  setting.pue = fields.text("pue");
  setting.usd_per_kwh = fields.number("price", 0, 1e6);
  return setting;
}

}  // namespace

Result<CompareRunsRequest> compare_runs_request(const nlohmann::json& body) {
  RequestReader reader(body);
  CompareRunsRequest request;
  request.runs = reader.fields().texts("runs", true);
  if (request.runs.size() < 2 || request.runs.size() > kMostRuns) {
    reader.fields().complain("runs", "must name 2 to " + std::to_string(kMostRuns));
  }
  request.setting = read_setting(reader.fields());
  if (const auto epochs = reader.fields().whole("epochs", 1, kMostComparedEpochs)) {
    request.epochs = static_cast<std::size_t>(*epochs);
  }
  request.limit = reader.limit();
  return reader.take(std::move(request));
}

Result<CompareRunsAnswer> compare_runs(const CompareRunsRequest& request,
                                       const Services& services) {
  CompareRunsAnswer answer;
  std::vector<Profile> profiles;
  std::vector<const Profile*> all;
  for (const std::string& run : request.runs) {
    Result<Profile> profile = load_run(run_named(run, services), services);
    if (!profile.ok()) {
      const std::string which = "runs[" + std::to_string(profiles.size()) + "]";
      return renamed_field("run", which, profile.error());
    }
    profiles.push_back(std::move(profile).value());
  }
  for (const Profile& profile : profiles) all.push_back(&profile);
  if (!request.epochs) answer.shared_epochs = epochs_of_all(all);
  const std::optional<std::size_t> epochs = request.epochs ? request.epochs : answer.shared_epochs;
  for (Profile& profile : profiles) {
    const std::size_t laid_out = epochs.value_or(0) * request.runs.size();
    if (Status over = check_epochs(profile, laid_out, services); !over.ok()) return over.error();
    Result<Footprint> footprint = footprint_of(std::move(profile), request.setting, epochs);
    if (!footprint.ok()) return footprint.error();
    answer.footprints.push_back(std::move(footprint).value());
  }
  if (!request.limit) return answer;
  const Joules first = answer.footprints.front().curve.points.back().device_energy.value;
  for (const Footprint& footprint : answer.footprints) {
    const auto more = excess(footprint.curve.points.back().device_energy.value, first);
    if (more && *more > *request.limit) answer.above_limit.push_back(footprint.profile.name);
  }
  return answer;
}

std::string to_json(const CompareRunsAnswer& answer) {
  return to_json(answer.footprints, answer.shared_epochs);
}

bool names_a_model(const std::string& name, const Services& services) {
  std::error_code ignored;
  if (services.hub.allow_files && std::filesystem::is_directory(name, ignored)) return true;
  if (services.hub.allow_files && std::filesystem::exists(name, ignored)) {
    const Result<std::string> text = read_file(name);
    return text.ok() && text.value().find("\"model_type\"") != std::string::npos;
  }
  if (find_bundled(name) != nullptr) return true;
  // What is neither is more likely a model: of those there are many more.
  return !load_run(run_named(name, services), services).ok();
}

}  // namespace wattree
