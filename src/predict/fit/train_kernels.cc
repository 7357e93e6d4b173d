#include "src/predict/fit/train_kernels.h"

#include <algorithm>
#include <iterator>

#include "src/models/families/build_model.h"
#include "src/models/hub/bundled.h"
#include "src/predict/fit/kernel_prior.h"
#include "src/predict/fit/whole_spread.h"

namespace wattree {
namespace {

// The config that stands beside the windows, or else that of a bundled model: files that name no
// class hold passes of base models.
std::optional<MeasuredModel> find_model(const MeasuredSession& session, const std::string& name) {
  for (const MeasuredModel& model : session.models) {
    if (model.model == name) return model;
  }
  const BundledModel* model = find_bundled(name);
  if (model == nullptr) return std::nullopt;
  return MeasuredModel{name, std::string(kBaseModel), std::string(model->json)};
}

}  // namespace

Result<ModelTree> build_pass(const MeasuredSession& session, const MeasuredWindow& window) {
  const PassFacts& pass = window.pass;
  const std::optional<MeasuredModel> model = find_model(session, pass.model);
  if (!model) {
    return Error{
        ErrorCode::kInvalidInput,
        window.key + ": no config of " + pass.model + ", so that its kernels are not known", ""};
  }
  PassShape query;
  query.batch = pass.batch;
  if (pass.past > 0) query.past = pass.past;
  if (pass.past == 0) query.seq = pass.seq;
  if (pass.source_len > 0) query.seq = pass.source_len;
  if (pass.target_len > 0) query.target_len = pass.target_len;
  query.dtype = pass.dtype;
  query.attention = pass.attention;
  query.as = model->class_name;
  query.overrides = pass.overrides;
  query.checks_overrides = false;
  Result<BuiltModel> answer = build_model(pass.model, model->config, session.where, query);
  if (!answer.ok()) return answer.error();
  return std::move(answer).value().tree;
}

Result<KernelDataAnswer> read_kernel_data(const std::vector<std::filesystem::path>& paths) {
  std::vector<MeasuredSession> all;
  for (const std::filesystem::path& path : paths) {
    Result<std::vector<MeasuredSession>> sessions = read_windows(path);
    if (!sessions.ok()) return sessions.error();
    std::vector<MeasuredSession> read = std::move(sessions).value();
    std::move(read.begin(), read.end(), std::back_inserter(all));
  }
  return kernel_data_of(all);
}

Result<KernelDataAnswer> kernel_data_of(const std::vector<MeasuredSession>& sessions) {
  return kernel_data(sessions, build_pass);
}

Result<Predictor> train_on_kernels(KernelDataAnswer input, const std::string& name) {
  // Nothing but kernels: some of them are what others are predicted from.
  if (input.data.families.empty()) deal_into_families(input.data);
  const auto& samples = input.data.samples;
  const auto has = [&](auto is_one) { return std::any_of(samples.begin(), samples.end(), is_one); };
  const bool has_passes = has([](const KernelSample& sample) { return sample.is_pass(); });
  if (!has_passes && !has([](const KernelSample& sample) { return sample.is_assumed; })) {
    if (const Status failure = add_prior(input.data); !failure.ok()) return failure.error();
  }
  Result<TrainedKernels> trained = train_kernels(input.data, name);
  if (!trained.ok()) return trained.error();
  auto [predictor, held_out] = std::move(trained).value();
  predictor.boundary = input.boundary;
  predictor.dtypes = input.dtypes;
  if (!has_passes) {
    const auto is_sequence = [](const KernelSample& sample) {
      return sample.subject != KernelSample::Subject::kKernel;
    };
    if (!has(is_sequence)) {
      if (const Status failure = assume_sequence(input.data, predictor); !failure.ok())
        return failure.error();
    }
    if (const Status failure = set_whole_spreads(input.data, held_out, predictor); !failure.ok())
      return failure.error();
    widen_for_wholes(predictor, kShortfall, kShortfall);
  }
  return predictor;
}

void widen_for_wholes(Predictor& predictor, double energy, double time) {
  const auto widen = [&](std::optional<Spread>& spread) {
    if (!spread) return;
    for (const TreeLevel level : {TreeLevel::kModule, TreeLevel::kModel}) {
      const auto at = static_cast<std::size_t>(level);
      spread->energy[at] = std::min(1.0, spread->energy[at] + energy);
      spread->time[at] = std::min(1.0, spread->time[at] + time);
    }
  };
  for (auto& spread : predictor.spreads) widen(spread);
  widen(predictor.single_spread);
}

}  // namespace wattree
