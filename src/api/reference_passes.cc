#include "src/api/reference_passes.h"

#include "src/api/tree.h"
#include "src/hub/bundled.h"

namespace wattree {

Result<ModelTree> reference_tree(const ReferencePass& pass, const std::string& dtype) {
  TreeQuery query;
  query.batch = pass.batch;
  query.past = pass.past;
  query.dtype = dtype;
  const std::string name(pass.model);
  const BundledModel* model = find_bundled(name);
  if (model == nullptr) return Error{ErrorCode::kInternal, "no bundled model " + name, ""};
  Result<TreeAnswer> answer = tree_of(name, std::string(model->json), name, query);
  if (!answer.ok()) return answer.error();
  return std::move(answer).value().tree;
}

}  // namespace wattree
