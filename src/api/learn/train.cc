#include "src/api/learn/train.h"

#include <nlohmann/json.hpp>
#include <set>

#include "src/base/error_field.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/json_lines_writer.h"
#include "src/predict/evaluate/irene.h"
#include "src/predict/fit/annotate.h"
#include "src/predict/fit/train.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/irene/fit.h"
#include "src/predict/predictor/predictor_file.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;

TrainOptions options_of(const TrainRequest& request, const std::vector<const DatasetTree*>& trees) {
  TrainOptions out;
  out.name = request.name;
  out.hardware = request.hardware.empty() ? "unknown" : request.hardware;
  out.meter = request.meter.empty() ? "unknown" : request.meter;
  if (!request.boundary.empty()) out.boundary = request.boundary;
  out.dtypes = request.dtypes;
  if (!out.dtypes.empty()) return out;
  std::set<std::string> dtypes;
  for (const DatasetTree* tree : trees) dtypes.insert(tree->dtype.empty() ? "fp32" : tree->dtype);
  out.dtypes.assign(dtypes.rbegin(), dtypes.rend());  // fp32 before bf16.
  return out;
}

Status train_reconciled(const ChosenTrees& chosen, const TrainOptions& options,
                        TrainAnswer& answer) {
  Result<Trained> trained = train_predictor(work_of(chosen.trees), options);
  if (!trained.ok()) return trained.error();
  answer.warnings = trained.value().warnings;
  answer.predictor = std::move(trained).value().predictor;
  return {};
}

Status train_irene(const ChosenTrees& chosen, const TrainOptions& options,
                   const IreneOptions& irene, TrainAnswer& answer) {
  Result<IreneFit> fitted = fit_irene(chosen.trees, irene);
  if (!fitted.ok()) return fitted.error();
  IreneFit fit = std::move(fitted).value();
  answer.warnings = std::move(fit.warnings);
  IrenePredictor p;
  p.name = options.name;
  p.hardware = options.hardware;
  p.meter = options.meter;
  p.boundary = options.boundary;
  p.dtypes = options.dtypes;
  p.models = chosen.models;
  p.trees = static_cast<std::int64_t>(chosen.trees.size());
  p.model = std::move(fit.model);
  if (chosen.models.size() > 1) {
    const EvaluationData data(chosen.trees);
    const Result<IreneEvaluation> held_out =
        evaluate_irene(data, model_groups(data.work), irene, 1);
    if (held_out.ok()) p.errors = held_out.value().evaluation.overall.at;
  } else {
    answer.warnings.emplace_back("only one model: nothing says how far others will be off");
  }
  answer.predictor = std::move(p);
  return {};
}

Status check_for_windows(const TrainRequest& request, Aggregate aggregate) {
  if (aggregate != Aggregate::kReconciled) {
    return Error{ErrorCode::kInvalidInput,
                 request.dataset + ": IrEne's methods need measured trees, and this holds windows",
                 "leave <aggregate> out", "aggregate"};
  }
  const ModelChoice& models = request.models;
  if (request.boundary.empty() && request.dtypes.empty() && models.include.empty() &&
      models.exclude.empty() && !models.skips_bad) {
    return {};
  }
  return Error{ErrorCode::kInvalidInput,
               "<boundary>, <dtypes>, <include>, <exclude> and <skip_bad> go with datasets of "
               "trees, and " +
                   request.dataset + " holds windows",
               "windows say their boundary and precisions themselves"};
}

Result<TrainAnswer> train_on_windows(const TrainRequest& request, Aggregate aggregate) {
  if (const Status failure = check_for_windows(request, aggregate); !failure.ok())
    return failure.error();
  Result<KernelDataAnswer> read = read_kernel_data(all_paths(request.dataset, request.further));
  if (!read.ok()) return of_windows(request.further, read.error());
  KernelDataAnswer input = std::move(read).value();
  if (!request.hardware.empty()) input.data.hardware = request.hardware;
  if (!request.meter.empty()) input.data.meter = request.meter;
  TrainAnswer answer;
  answer.warnings = input.problems;
  Result<Predictor> trained = train_on_kernels(std::move(input), request.name);
  if (!trained.ok()) return trained.error();
  answer.predictor = std::move(trained).value();
  return answer;
}

Result<TrainAnswer> train_on_trees(const TrainRequest& request, const Method& method) {
  if (const Status wrong = check_single(request.dataset, request.further); !wrong.ok())
    return wrong.error();
  const Result<Dataset> read =
      read_dataset(request.dataset, {.skips_bad = request.models.skips_bad});
  if (!read.ok()) return of_field("dataset", read.error());
  const Result<ChosenTrees> chosen = choose_models(read.value().trees, request.models);
  if (!chosen.ok()) return chosen.error();
  const TrainOptions options = options_of(request, chosen.value().trees);
  TrainAnswer answer;
  answer.aggregate = method.aggregate;
  answer.models_left_out = chosen.value().left_out;
  IreneOptions irene;
  irene.aggregate = irene_aggregate(method.aggregate);
  irene.features = method.features;
  irene.seed = request.seed.value_or(1);
  const Status failure = method.aggregate == Aggregate::kReconciled
                             ? train_reconciled(chosen.value(), options, answer)
                             : train_irene(chosen.value(), options, irene, answer);
  if (!failure.ok()) return failure.error();
  note_bad_lines(read.value().skipped, read.value().problems, answer.warnings);
  return answer;
}

Result<PredictOptions> predict_options(const AnnotateRequest& request) {
  const auto known = parse_known(request.known.empty() ? "node" : request.known);
  if (known) return PredictOptions{*known, !request.no_twins};
  return Error{ErrorCode::kInvalidInput, "known \"" + request.known + "\" is not known",
               "choose nothing, leaves, children, node or root", "known"};
}

}  // namespace

Result<TrainRequest> train_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", "request", failure);
  TrainRequest out;
  out.dataset = fields.text("dataset", true);
  out.further = fields.texts("further");
  out.method = read_method_request(fields);
  out.seed = fields.whole("seed", 0, kMostSeed);
  out.name = fields.text("name", true);
  out.hardware = fields.text("hardware");
  out.meter = fields.text("meter");
  out.boundary = fields.text("boundary");
  out.dtypes = fields.texts("dtypes");
  out.models = read_model_choice(fields);
  fields.finish();
  if (!failure.ok()) return failure.error();
  if (const Status wrong = check(out); !wrong.ok()) return wrong.error();
  return out;
}

std::string to_json(const TrainAnswer& answer) {
  return std::visit([](const auto& predictor) { return to_json(predictor); }, answer.predictor);
}

Status check(const TrainRequest& request) {
  const Result<Method> method = parse_method(request.method);
  if (!method.ok()) return method.error();
  const std::string& boundary = request.boundary;
  if (!boundary.empty() && boundary != "gpu" && boundary != "host" && boundary != "wall") {
    return Error{ErrorCode::kInvalidInput, "boundary \"" + boundary + "\" is not known",
                 "choose gpu, host or wall", "boundary"};
  }
  if (method.value().aggregate != Aggregate::kReconciled) return {};
  if (!request.seed && request.method.features.empty()) return {};
  return Error{ErrorCode::kInvalidInput,
               "<features> and <seed> go with IrEne's methods, not with reconciled", "",
               request.seed ? "seed" : "features"};
}

Result<TrainAnswer> train(const TrainRequest& request, const Services& /*services*/) {
  if (const Status wrong = check(request); !wrong.ok()) return wrong.error();
  const Result<Method> method = parse_method(request.method);
  if (!method.ok()) return method.error();
  return holds_windows(request.dataset) ? train_on_windows(request, method.value().aggregate)
                                        : train_on_trees(request, method.value());
}

Result<AnnotateRequest> annotate_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", "request", failure);
  AnnotateRequest out;
  out.dataset = fields.text("dataset", true);
  out.predictor = fields.text("predictor", true);
  out.output = fields.text("output", true);
  out.known = fields.text("known");
  out.no_twins = fields.flag("no_twins");
  out.skip_bad = fields.flag("skip_bad");
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<AnnotateAnswer> annotate(const AnnotateRequest& request, const Services& /*services*/) {
  const Result<PredictOptions> options = predict_options(request);
  if (!options.ok()) return options.error();
  const Result<std::string> text = read_file(request.predictor);
  if (!text.ok()) return of_file("predictor", text.error());
  Result<AnyPredictor> parsed = parse_any_predictor(text.value(), request.predictor.string());
  if (!parsed.ok()) return of_file("predictor", parsed.error());
  Annotator annotator(std::move(parsed).value());

  Result<DatasetReader> opened =
      DatasetReader::open(request.dataset, {.skips_bad = request.skip_bad});
  if (!opened.ok()) return of_field("dataset", opened.error());
  DatasetReader reader = std::move(opened).value();
  AnnotateAnswer answer;
  OutputFile file(request.output);
  while (std::optional<DatasetTree> tree = reader.next()) {
    annotator.annotate(*tree, options.value());
    file.write(to_json_line(*tree));
    ++answer.trees;
    answer.nodes += static_cast<std::int64_t>(tree->nodes.size());
    if (!file.failure().ok()) return of_field("output", file.failure().error());
  }
  if (!reader.failure().ok()) return of_field("dataset", reader.failure().error());
  if (const Status failure = file.finish(); !failure.ok()) {
    return of_field("output", failure.error());
  }
  answer.warnings.assign(annotator.warnings().begin(), annotator.warnings().end());
  note_bad_lines(reader.skipped_lines(), reader.problems(), answer.warnings);
  return answer;
}

}  // namespace wattree
