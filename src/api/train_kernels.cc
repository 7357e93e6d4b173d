#include "src/api/train_kernels.h"

#include "src/api/tree.h"
#include "src/hub/bundled.h"

namespace wattree {
namespace {

// The config that stands beside the windows, or else that of a bundled model.
std::optional<MeasuredModel> find_model(const MeasuredSession& session, const std::string& name) {
  for (const MeasuredModel& model : session.models) {
    if (model.model == name) return model;
  }
  for (const BundledModel& model : bundled_models()) {
    if (model.name == name) return MeasuredModel{name, "", std::string(model.json)};
  }
  return std::nullopt;
}

Result<ModelTree> build_pass(const MeasuredSession& session, const Window& window) {
  const PassFacts& pass = window.pass;
  const std::optional<MeasuredModel> model = find_model(session, pass.model);
  if (!model) {
    return Error{
        ErrorCode::kInvalidInput,
        window.key + ": no config of " + pass.model + ", so that its kernels are not known", ""};
  }
  TreeQuery query;
  query.batch = pass.batch;
  query.past = pass.past;
  if (pass.past == 0) query.seq = pass.seq;
  if (pass.source_len > 0) query.seq = pass.source_len;
  if (pass.target_len > 0) query.target_len = pass.target_len;
  query.dtype = pass.dtype;
  query.attention = pass.attention;
  query.as = model->class_name;
  query.overrides = pass.overrides;
  Result<TreeAnswer> answer = tree_of(pass.model, model->config, session.where, query);
  if (!answer.ok()) return answer.error();
  return std::move(answer).value().tree;
}

}  // namespace

Result<KernelDataAnswer> read_kernel_data(const std::filesystem::path& path) {
  const Result<std::vector<MeasuredSession>> sessions = read_windows(path);
  if (!sessions.ok()) return sessions.error();
  return kernel_data_of(sessions.value());
}

Result<KernelDataAnswer> kernel_data_of(const std::vector<MeasuredSession>& sessions) {
  return kernel_data(sessions, build_pass);
}

Result<Predictor> train_on_kernels(const KernelDataAnswer& input, const std::string& name) {
  Result<Predictor> trained = train_kernels(input.data, name);
  if (!trained.ok()) return trained;
  Predictor predictor = std::move(trained).value();
  predictor.boundary = input.boundary;
  predictor.dtypes = input.dtypes;
  return predictor;
}

}  // namespace wattree
