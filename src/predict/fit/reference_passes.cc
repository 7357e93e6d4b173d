#include "src/predict/fit/reference_passes.h"

#include "src/models/families/build_model.h"
#include "src/models/hub/bundled.h"

namespace wattree {

Result<ModelTree> reference_tree(const ReferencePass& pass, const std::string& dtype) {
  PassShape query;
  query.batch = pass.batch;
  if (pass.past > 0) query.past = pass.past;
  query.as = kBaseModel;
  query.dtype = dtype;
  const std::string name(pass.model);
  const BundledModel* model = find_bundled(name);
  if (model == nullptr) return Error{ErrorCode::kInternal, "no bundled model " + name, ""};
  Result<BuiltModel> answer = build_model(name, std::string(model->json), name, query);
  if (!answer.ok()) return answer.error();
  return std::move(answer).value().tree;
}

}  // namespace wattree
