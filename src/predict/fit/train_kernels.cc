#include "src/predict/fit/train_kernels.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/models/families/build_model.h"
#include "src/models/hub/bundled.h"
#include "src/predict/fit/kernel_prior.h"
#include "src/predict/fit/whole_spread.h"
#include "src/predict/predictor/survey.h"

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

namespace {

// The times of products that stand in a folder instead of windows; nothing where it has none.
constexpr std::string_view kSurveyFile = "survey.json";
constexpr std::string_view kSurveyFormat = "wattree-survey";

std::filesystem::path survey_in(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path file = path / kSurveyFile;
  return std::filesystem::exists(file, ignored) ? file : std::filesystem::path();
}

Result<std::shared_ptr<const Survey>> survey_of(const std::filesystem::path& file,
                                                const Chip& chip) {
  const Result<std::string> text = read_file(file);
  if (!text.ok()) return text.error();
  const Result<nlohmann::json> json = parse_json(text.value(), file.string());
  if (!json.ok()) return json.error();
  Status failure;
  JsonFields fields(json.value(), "", file.string(), failure);
  const std::string format = fields.text("format", true);
  if (format != kSurveyFormat) {
    fields.complain("format", "is \"" + format + "\", not \"" + std::string(kSurveyFormat) + "\"");
  }
  std::shared_ptr<const Survey> survey = read_survey(fields, chip);
  if (!failure.ok()) return failure.error();
  return survey;
}

}  // namespace

Result<KernelDataAnswer> read_kernel_data(const std::vector<std::filesystem::path>& paths) {
  std::vector<MeasuredSession> all;
  std::filesystem::path survey_file;
  for (const std::filesystem::path& path : paths) {
    if (std::filesystem::path found = survey_in(path); !found.empty()) {
      survey_file = std::move(found);
      continue;
    }
    Result<std::vector<MeasuredSession>> sessions = read_windows(path);
    if (!sessions.ok()) return sessions.error();
    std::vector<MeasuredSession> read = std::move(sessions).value();
    std::move(read.begin(), read.end(), std::back_inserter(all));
  }
  Result<KernelDataAnswer> answer = kernel_data_of(all);
  if (!answer.ok() || survey_file.empty()) return answer;
  KernelDataAnswer with_survey = std::move(answer).value();
  Chip& chip = with_survey.data.chip;
  Result<std::shared_ptr<const Survey>> survey = survey_of(survey_file, chip);
  if (!survey.ok()) return survey.error();
  chip.survey = std::move(survey).value();
  return with_survey;
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
