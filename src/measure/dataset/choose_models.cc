#include "src/measure/dataset/choose_models.h"

#include <algorithm>
#include <utility>

#include "src/base/error_field.h"
#include "src/base/in_quotes.h"
#include "src/base/text.h"

namespace wattree {
namespace {

constexpr std::string_view kNotInThePaper = "sshleifer/tiny-ctrl";

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status check_names(const std::vector<std::string>& asked, const std::vector<std::string>& known) {
  for (const std::string& name : asked) {
    if (has(known, name)) continue;
    return Error{ErrorCode::kNotFound, "the dataset has no model " + in_quotes(name),
                 "it has " + join(known)};
  }
  return {};
}

Status check_protocols(const std::vector<const DatasetTree*>& trees) {
  const DatasetTree* first = nullptr;
  for (const DatasetTree* tree : trees) {
    if (tree->protocol.empty()) continue;  // Older files do not say.
    if (first == nullptr) first = tree;
    if (tree->protocol == first->protocol) continue;
    return Error{ErrorCode::kInvalidInput,
                 tree->model_name + " was measured by the protocol " + tree->protocol + ", and " +
                     first->model_name + " by " + first->protocol,
                 "their figures are not alike: choose models of one protocol with <include>, or "
                 "measure all by one"};
  }
  return {};
}

}  // namespace

Result<ChosenTrees> choose_models(const std::vector<DatasetTree>& trees,
                                  const ModelChoice& choice) {
  std::vector<std::string> known;
  for (const DatasetTree& tree : trees) {
    if (!has(known, tree.model_name)) known.push_back(tree.model_name);
  }
  if (known.empty()) {
    return Error{ErrorCode::kInvalidInput, "the dataset has no trees", ""};
  }
  for (const auto& [field, asked] :
       {std::pair("include", &choice.include), std::pair("exclude", &choice.exclude)}) {
    if (const Status failure = check_names(*asked, known); !failure.ok()) {
      return of_field(field, failure.error());
    }
  }
  ChosenTrees out;
  for (const std::string& model : known) {
    const bool is_asked_for = choice.include.empty()
                                  ? choice.takes_all || model != kNotInThePaper || known.size() == 1
                                  : has(choice.include, model);
    (is_asked_for && !has(choice.exclude, model) ? out.models : out.left_out).push_back(model);
  }
  if (out.models.empty()) {
    return Error{ErrorCode::kInvalidInput, "every model of the dataset is left out",
                 "it has " + join(known)};
  }
  for (const DatasetTree& tree : trees) {
    if (has(out.models, tree.model_name)) out.trees.push_back(&tree);
  }
  if (const Status failure = check_protocols(out.trees); !failure.ok()) return failure.error();
  return out;
}

}  // namespace wattree
