#include "src/api/train.h"

#include <set>

#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/json_lines_writer.h"
#include "src/predict/evaluate/irene.h"
#include "src/predict/fit/annotate.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/irene/fit.h"
#include "src/predict/predictor/predictor_file.h"

namespace wattree {
namespace {

TrainOptions filled(TrainOptions options, const std::vector<const DatasetTree*>& trees) {
  if (options.hardware.empty()) options.hardware = "unknown";
  if (options.meter.empty()) options.meter = "unknown";
  if (options.boundary.empty()) options.boundary = "wall";
  if (!options.dtypes.empty()) return options;
  std::set<std::string> dtypes;
  for (const DatasetTree* tree : trees) dtypes.insert(tree->dtype.empty() ? "fp32" : tree->dtype);
  options.dtypes.assign(dtypes.rbegin(), dtypes.rend());  // fp32 before bf16.
  return options;
}

Status train_reconciled(const ChosenTrees& chosen, const TrainQuery& query, TrainAnswer& answer) {
  Result<Trained> trained = train_predictor(work_of(chosen.trees), query.options);
  if (!trained.ok()) return trained.error();
  Trained out = std::move(trained).value();
  answer.warnings = std::move(out.warnings);
  answer.json = to_json(out.predictor);
  answer.predictor = std::move(out.predictor);
  return {};
}

Status train_irene(const ChosenTrees& chosen, const TrainQuery& query, TrainAnswer& answer) {
  IreneOptions options;
  options.aggregate = irene_aggregate(query.aggregate);
  options.features = query.features;
  options.seed = query.seed;
  Result<IreneFit> fitted = fit_irene(chosen.trees, options);
  if (!fitted.ok()) return fitted.error();
  IreneFit fit = std::move(fitted).value();
  answer.warnings = std::move(fit.warnings);
  IrenePredictor p;
  p.name = query.options.name;
  p.hardware = query.options.hardware;
  p.meter = query.options.meter;
  p.boundary = query.options.boundary;
  p.dtypes = query.options.dtypes;
  p.models = chosen.models;
  p.trees = static_cast<std::int64_t>(chosen.trees.size());
  p.model = std::move(fit.model);
  if (chosen.models.size() > 1) {
    const EvaluationData data(chosen.trees);
    const Result<IreneEvaluation> held_out =
        evaluate_irene(data, model_groups(data.work), options, 1);
    if (held_out.ok()) p.errors = held_out.value().evaluation.overall.at;
  } else {
    answer.warnings.emplace_back("only one model: nothing says how far others will be off");
  }
  answer.json = to_json(p);
  answer.predictor = std::move(p);
  return {};
}

Result<TrainAnswer> train_on_windows(const std::string& path, const TrainQuery& query) {
  if (query.aggregate != Aggregate::kReconciled) {
    return Error{ErrorCode::kInvalidInput,
                 path + ": IrEne's methods need measured trees, and this holds windows",
                 "leave --aggregate out"};
  }
  const TrainOptions& options = query.options;
  const ModelChoice& models = query.models;
  if (!options.boundary.empty() || !options.dtypes.empty() || !models.include.empty() ||
      !models.exclude.empty() || models.skips_bad) {
    return Error{ErrorCode::kInvalidInput,
                 "--boundary, --dtypes, --include, --exclude and --skip-bad go with datasets of "
                 "trees, and " +
                     path + " holds windows",
                 "windows say their boundary and precisions themselves"};
  }
  Result<KernelDataAnswer> read = read_kernel_data(path);
  if (!read.ok()) return read.error();
  KernelDataAnswer input = std::move(read).value();
  if (!options.hardware.empty()) input.data.hardware = options.hardware;
  if (!options.meter.empty()) input.data.meter = options.meter;
  const std::vector<std::string> problems = input.problems;
  Result<Predictor> trained = train_on_kernels(std::move(input), options.name);
  if (!trained.ok()) return trained.error();
  TrainAnswer answer;
  answer.json = to_json(trained.value());
  answer.predictor = std::move(trained).value();
  answer.warnings = problems;
  return answer;
}

}  // namespace

Result<TrainAnswer> train_on(const std::string& dataset, const TrainQuery& asked) {
  if (holds_windows(dataset)) return train_on_windows(dataset, asked);
  const Result<Dataset> read = read_dataset(dataset, {.skips_bad = asked.models.skips_bad});
  if (!read.ok()) return read.error();
  Result<ChosenTrees> chosen = choose_models(read.value().trees, asked.models);
  if (!chosen.ok()) return chosen.error();
  TrainQuery query = asked;
  query.options = filled(std::move(query.options), chosen.value().trees);
  TrainAnswer answer;
  answer.models_left_out = chosen.value().left_out;
  const Status failure = query.aggregate == Aggregate::kReconciled
                             ? train_reconciled(chosen.value(), query, answer)
                             : train_irene(chosen.value(), query, answer);
  if (!failure.ok()) return failure.error();
  note_bad_lines(read.value().skipped, read.value().problems, answer.warnings);
  return answer;
}

Result<AnnotateAnswer> annotate_file(const std::filesystem::path& input,
                                     const std::filesystem::path& predictor,
                                     const std::filesystem::path& output,
                                     const AnnotateOptions& options) {
  const Result<std::string> text = read_file(predictor);
  if (!text.ok()) return text.error();
  Result<AnyPredictor> parsed = parse_any_predictor(text.value(), predictor.string());
  if (!parsed.ok()) return parsed.error();
  Annotator annotator(std::move(parsed).value());

  Result<DatasetReader> opened = DatasetReader::open(input, {.skips_bad = options.skips_bad});
  if (!opened.ok()) return opened.error();
  DatasetReader reader = std::move(opened).value();
  AnnotateAnswer answer;
  OutputFile file(output);
  while (std::optional<DatasetTree> tree = reader.next()) {
    annotator.annotate(*tree, options.predict);
    file.write(to_json_line(*tree));
    ++answer.trees;
    answer.nodes += static_cast<std::int64_t>(tree->nodes.size());
    if (!file.failure().ok()) return file.failure().error();
  }
  if (!reader.failure().ok()) return reader.failure().error();
  if (const Status failure = file.finish(); !failure.ok()) return failure.error();
  answer.warnings.assign(annotator.warnings().begin(), annotator.warnings().end());
  note_bad_lines(reader.skipped_lines(), reader.problems(), answer.warnings);
  return answer;
}

}  // namespace wattree
