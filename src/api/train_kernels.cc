#include "src/api/train_kernels.h"

#include "src/api/tree.h"
#include "src/hub/bundled.h"

namespace wattree {
namespace {

Result<ModelTree> build_pass(const Window& window) {
  for (const BundledModel& model : bundled_models()) {
    if (model.name != window.model) continue;
    TreeQuery query;
    query.batch = window.batch;
    query.past = window.past;
    if (window.past == 0) query.seq = window.seq;
    if (window.source_len > 0) query.seq = window.source_len;
    query.dtype = window.dtype;
    query.attention = window.attention;
    query.overrides = window.overrides;
    Result<TreeAnswer> answer = tree_of(window.model, std::string(model.json), window.model, query);
    if (!answer.ok()) return answer.error();
    return std::move(answer).value().tree;
  }
  return Error{ErrorCode::kInvalidInput, window.key + ": no bundled model " + window.model, ""};
}

}  // namespace

Result<KernelDataAnswer> read_kernel_data(const std::filesystem::path& path) {
  const Result<std::vector<Session>> sessions = read_sessions(path);
  if (!sessions.ok()) return sessions.error();
  return kernel_data(sessions.value(), build_pass);
}

}  // namespace wattree
