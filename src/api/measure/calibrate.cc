#include "src/api/measure/calibrate.h"

#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/measure/campaign/jobs.h"
#include "src/predict/predictor/predictor_file.h"

namespace wattree {
namespace {

Result<std::vector<CacheState>> caches_of(const MeasureRequest& request) {
  Result<std::vector<CacheState>> caches = parse_caches(request.cache);
  if (caches.ok() && caches.value().front() != CacheState::kInPlace) {
    return Error{ErrorCode::kInvalidInput,
                 "a predictor is fitted to kernels in place, as they run in a model",
                 "put it first: <cache> in_place,cold", "cache"};
  }
  return caches;
}

// The most telling first.
std::vector<Job> jobs_of(const CalibrationSets& sets, const std::vector<CacheState>& caches) {
  std::vector<Job> out;
  for (const CalibrationKernels& set : sets) {
    PassFacts pass;
    pass.dtype = set.dtype;
    for (Job& job : jobs_of(set.tree, set.distinct, pass, caches)) {
      const auto found = set.order.find(job.node.key);
      if (found == set.order.end()) continue;
      job.weight = -static_cast<double>(found->second);
      out.push_back(std::move(job));
    }
  }
  return out;
}

Status add_earlier_of(const std::filesystem::path& windows, bool is_processor,
                      CalibrationSets& sets) {
  const Result<bool> is_there = file_exists(windows);
  if (!is_there.ok()) return is_there.error();
  if (!is_there.value()) return {};
  const Result<std::vector<MeasuredSession>> earlier = read_windows(windows);
  if (!earlier.ok()) return earlier.error();
  return add_earlier(earlier.value(), is_processor, sets);
}

std::optional<AnchorPass> anchor_of(const SessionResult& session) {
  if (!session.anchor_energy || !session.anchor_time) return std::nullopt;
  Result<BuiltModel> pass = anchor_tree();
  if (!pass.ok()) return std::nullopt;
  return AnchorPass{std::move(pass).value(), *session.anchor_energy, *session.anchor_time};
}

}  // namespace

Result<CalibrateRequest> calibrate_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", "request", failure);
  CalibrateRequest out;
  out.on = fields.text("on", true);
  out.hardware = fields.text("hardware");
  out.dtype = fields.text("dtype");
  return with_measurement(std::move(out), fields, failure);
}

Result<CalibrateAnswer> calibrate(const CalibrateRequest& request, const Services& services,
                                  const MeasureHost& host) {
  const Result<std::vector<CacheState>> caches = caches_of(request.measure);
  if (!caches.ok()) return caches.error();
  const WindowsFile windows{windows_beside(request.output), request.resume};
  Result<CampaignOptions> options = campaign_options(request.measure, windows, services, host);
  if (!options.ok()) return options.error();
  CampaignOptions campaign = std::move(options).value();
  campaign.needs_energy = true;
  // What device it is decides what is measured.
  Result<Rig> opened = open_rig(request.measure, services, host);
  if (!opened.ok()) return opened.error();
  Rig rig = std::move(opened).value();
  Result<CalibrationSets> found = calibration_kernels(request.dtype, !rig.is_gpu());
  if (!found.ok()) return found.error();
  CalibrationSets sets = std::move(found).value();
  std::vector<Job> jobs = jobs_of(sets, caches.value());
  if (request.resume) {
    const Status failure = add_earlier_of(windows.path, !rig.is_gpu(), sets);
    if (!failure.ok()) return failure.error();
  }
  Result<Campaign> measured = run_campaign(std::move(jobs), rig, std::move(campaign));
  if (!measured.ok()) return measured.error();
  CalibrateAnswer answer;
  answer.campaign = std::move(measured).value();
  // What was written down is what is fitted to: train makes the same of it.
  Result<std::vector<MeasuredSession>> sessions = read_windows(windows.path);
  if (!sessions.ok()) return sessions.error();
  Result<Calibration> fitted = fit_calibration(
      std::move(sessions).value(), sets, {request.on, request.hardware, request.measure.allow_load},
      anchor_of(answer.campaign.session));
  if (!fitted.ok()) return fitted.error();
  answer.calibration = std::move(fitted).value();
  answer.json = to_json(answer.calibration.predictor);
  return answer;
}

}  // namespace wattree
