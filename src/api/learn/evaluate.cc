#include "src/api/learn/evaluate.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/error_field.h"
#include "src/base/text.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/predictor/loaded_predictor.h"
#include "src/report/document/accuracy_report.h"
#include "src/report/document/kernel_report.h"

namespace wattree {
namespace {

constexpr int kMostSeeds = 100;

Error misuse(std::string message, std::string field) {
  return {ErrorCode::kInvalidInput, std::move(message), "", std::move(field)};
}

// Fields that the chosen method would silently pass over.
Status check_method(const EvaluateRequest& request, const Method& method) {
  if (method.aggregate == Aggregate::kReconciled) {
    if (!request.method.features.empty())
      return misuse("<features> goes with IrEne's methods; <known> says what reconciled looks at",
                    "features");
    if (request.seeds && !request.report)
      return misuse("<seeds> goes with IrEne's methods; reconciled draws nothing at random",
                    "seeds");
    return {};
  }
  if (!request.known.empty())
    return misuse("<known> goes with <aggregate> reconciled; <features> says what " +
                      std::string(name_of(method.aggregate)) + " looks at",
                  "known");
  if (request.no_twins)
    return misuse("<no_twins> goes with <aggregate> reconciled; IrEne's methods look nothing up",
                  "no_twins");
  return {};
}

Result<Known> known_in(const EvaluateRequest& request) {
  const auto known = parse_known(request.known.empty() ? "nothing" : request.known);
  if (known) return *known;
  return Error{ErrorCode::kInvalidInput, "known \"" + request.known + "\" is not known",
               "choose nothing, leaves, children, node or root", "known"};
}

Result<StudyOptions> study_options(const EvaluateRequest& request) {
  const Result<Method> method = parse_method(request.method);
  if (!method.ok()) return method.error();
  const Result<Known> known = known_in(request);
  if (!known.ok()) return known.error();
  StudyOptions out;
  out.hold_out = request.leave_one_family_out ? HoldOut::kFamily : HoldOut::kModel;
  out.aggregate = method.value().aggregate;
  out.features = method.value().features;
  out.seeds = request.seeds.value_or(out.seeds);
  out.known = known.value();
  out.use_twins = !request.no_twins;
  return out;
}

Result<EvaluateAnswer> evaluate_trees(const EvaluateRequest& request,
                                      const std::function<void(std::string_view)>& begins) {
  const Result<StudyOptions> options = study_options(request);
  if (!options.ok()) return options.error();
  Result<StudyData> read = read_study_data(request.dataset, request.models);
  if (!read.ok()) return of_field("dataset", read.error());
  StudyData data = std::move(read).value();
  std::optional<Document> report;
  if (request.report) {
    Result<Document> written = accuracy_report(data, options.value().seeds, begins);
    if (!written.ok()) return written.error();
    report = std::move(written).value();
  }
  Result<Study> study = run_study(data, options.value());
  if (!study.ok()) return study.error();
  std::vector<std::string> warnings = study.value().evaluation.warnings;
  return EvaluateAnswer{EvaluatedTrees{std::move(data), std::move(study).value()},
                        std::move(report), std::move(warnings)};
}

Result<LoadedPredictor> predictor_for(const EvaluateRequest& request, const Services& services) {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(request.predictor, error);
  Result<LoadedPredictor> loaded = load_predictor(
      {is_file ? request.predictor : "", is_file ? "" : request.predictor, services.predictors});
  if (loaded.ok() && !loaded.value().predictor->is_by_kernel) {
    return Error{
        ErrorCode::kInvalidInput,
        "the predictor " + loaded.value().predictor->name + " was fitted to a dataset of trees",
        "check one that was fitted to windows", "predictor"};
  }
  if (!loaded.ok()) return of_file("predictor", loaded.error());
  return loaded;
}

// Of a predictor that is there.
Status check_windows(const EvaluateRequest& request, const Services& services,
                     EvaluatedWindows& windows, EvaluateAnswer& answer) {
  const Result<LoadedPredictor> loaded = predictor_for(request, services);
  if (!loaded.ok()) return loaded.error();
  const Predictor& predictor = *loaded.value().predictor;
  windows.evaluation = check_predictor(windows.data.data, predictor);
  const std::vector<std::string> seen = models_fitted_to(windows.data.data, predictor);
  if (!seen.empty()) {
    answer.warnings.push_back("this is no check of " + in_words(seen) + ": the predictor " +
                              predictor.name + " was fitted to them");
  }
  if (request.report) {
    answer.report = check_report(windows.dataset, windows.data, predictor, windows.evaluation);
  }
  return {};
}

// Of models and families that are left out.
Status hold_windows_out(const EvaluateRequest& request, EvaluatedWindows& windows,
                        EvaluateAnswer& answer) {
  const bool by_family = request.leave_one_family_out;
  const auto evaluated = [&](bool of_family) {
    return evaluate_on_kernels(windows.data, of_family ? LeaveOut::kFamily : LeaveOut::kModel);
  };
  Result<KernelEvaluation> asked = evaluated(by_family);
  if (!asked.ok()) return asked.error();
  windows.evaluation = std::move(asked).value();
  if (!request.report) return {};
  const Result<KernelEvaluation> other = evaluated(!by_family);
  if (!other.ok()) return other.error();
  answer.report =
      kernel_report(windows.dataset, windows.data, by_family ? windows.evaluation : other.value(),
                    by_family ? other.value() : windows.evaluation, *windows.checks);
  return {};
}

Result<EvaluateAnswer> evaluate_windows(const EvaluateRequest& request, const Services& services) {
  Result<KernelDataAnswer> read = read_kernel_data(all_paths(request.dataset, request.further));
  if (!read.ok()) return of_windows(request.further, read.error());
  EvaluatedWindows windows{
      all_names(request.dataset, request.further), std::move(read).value(), {}, std::nullopt};
  EvaluateAnswer answer{EvaluatedWindows{}, std::nullopt, windows.data.problems};
  const bool is_check = !request.predictor.empty();
  if (request.checks || (request.report && !is_check)) {
    Result<MeasurementChecks> checks = check_measurements(windows.data.data);
    if (checks.ok()) {
      windows.checks = std::move(checks).value();
    } else if (!is_check) {  // A predictor that is there can be checked without them.
      return checks.error();
    }
  }
  const Status failure = is_check ? check_windows(request, services, windows, answer)
                                  : hold_windows_out(request, windows, answer);
  if (!failure.ok()) return failure.error();
  answer.of = std::move(windows);
  return answer;
}

}  // namespace

Result<EvaluateRequest> evaluate_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", "request", failure);
  EvaluateRequest out;
  out.dataset = fields.text("dataset", true);
  out.further = fields.texts("further");
  out.leave_one_family_out = fields.flag("leave_one_family_out");
  if (fields.flag("leave_one_model_out") && out.leave_one_family_out)
    fields.complain("leave_one_model_out", "excludes leave_one_family_out");
  out.method = read_method_request(fields);
  out.known = fields.text("known");
  if (const auto seeds = fields.whole("seeds", 1, kMostSeeds)) out.seeds = static_cast<int>(*seeds);
  out.no_twins = fields.flag("no_twins");
  out.predictions = fields.flag("predictions");
  out.models = read_model_choice(fields);
  out.predictor = fields.text("predictor");
  out.report = fields.flag("report");
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Status check(const EvaluateRequest& request) {
  const Result<Method> method = parse_method(request.method);
  if (!method.ok()) return method.error();
  if (holds_windows(request.dataset)) {
    if (request.known.empty() && !request.no_twins && !request.predictions && !request.seeds)
      return {};
    return misuse(
        "<known>, <no_twins>, <predictions> and <seeds> go with datasets of trees, not "
        "with windows",
        "dataset");
  }
  if (Status wrong = check_single(request.dataset, request.further); !wrong.ok()) return wrong;
  if (!request.predictor.empty()) {
    return misuse(
        "<predictor> goes with windows, such as data/h200; datasets of trees are "
        "evaluated by leaving models out",
        "predictor");
  }
  return check_method(request, method.value());
}

Result<EvaluateAnswer> evaluate(const EvaluateRequest& request, const Services& services,
                                const std::function<void(std::string_view)>& begins) {
  if (const Status wrong = check(request); !wrong.ok()) return wrong.error();
  return holds_windows(request.dataset) ? evaluate_windows(request, services)
                                        : evaluate_trees(request, begins);
}

std::string to_json(const EvaluateAnswer& answer) {
  if (const auto* windows = std::get_if<EvaluatedWindows>(&answer.of)) return to_json(*windows);
  return to_json(std::get_if<EvaluatedTrees>(&answer.of)->study);
}

}  // namespace wattree
