#include "src/measure/dataset/irene_import.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/measure/dataset/irene_parameters.h"
#include "src/measure/dataset/irene_trees.h"
#include "src/measure/dataset/published_kernels.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, kIreneFileCount> kFileNames{
    "model_level_features.csv", "module_level_features.csv", "ml1_level_features.csv",
    "ml2_level_features.csv"};

Result<IreneTexts> read_files(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return Error{fs::exists(folder, ignored) ? ErrorCode::kInvalidInput : ErrorCode::kNotFound,
                 folder.string() + " is not a folder",
                 "name the folder that holds " + std::string(kFileNames[0]) + " and the others"};
  }
  IreneTexts out;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < kIreneFileCount; ++i) {
    fs::path path = folder / kFileNames[i];
    if (!fs::exists(path, ignored)) path += ".gz";
    if (!fs::exists(path, ignored)) {
      missing.emplace_back(kFileNames[i]);
      continue;
    }
    Result<std::string> text = read_maybe_gzip(path);
    if (!text.ok()) return text.error();
    out[i] = {path.string(), std::move(text).value()};
  }
  if (missing.empty()) return out;
  return Error{ErrorCode::kNotFound, folder.string() + " lacks " + join(missing),
               "IrEne's data has four files, each as .csv or .csv.gz"};
}

// Adds what the files do not have. A module's parameters are those of its leaves.
void derive(IreneTree& irene, std::optional<double> hidden) {
  DatasetTree& tree = irene.tree;
  std::vector<double> sums(tree.nodes.size(), 0.0);  // NaN where a leaf's are not known.
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    DatasetNode& node = tree.nodes[i];
    if (node.is_leaf()) {
      sums[i] =
          leaf_parameters(tree, node, hidden).value_or(std::numeric_limits<double>::quiet_NaN());
    }
    if (node.parent >= 0) sums[static_cast<std::size_t>(node.parent)] += sums[i];
    if (irene.is_whole[i]) node.features.set(Feature::kParameters, sums[i]);
  }
  add_published_kernels(tree, hidden);
}

}  // namespace

Result<Dataset> import_irene(IreneTexts texts, const std::string& origin, ImportOptions options) {
  Dataset out;
  const Result<IreneRows> rows = read_irene_rows(std::move(texts), out.problems);
  if (!rows.ok()) return rows.error();
  IreneTrees built = build_irene_trees(rows.value(), out.problems);
  if (!out.problems.empty() && !options.skips_bad) return out.problems.error(origin);
  if (built.trees.empty()) {
    return Error{ErrorCode::kInvalidInput,
                 out.problems.empty()
                     ? origin + " has no rows"
                     : "every tree in " + origin + " is bad:\n  " + out.problems.text(),
                 ""};
  }
  std::map<std::string_view, double> hidden;  // By model, for trees that do not show it themselves.
  for (const IreneTree& irene : built.trees) {
    if (const auto width = hidden_size(irene.tree)) hidden.emplace(irene.tree.model_name, *width);
  }
  for (IreneTree& irene : built.trees) {
    std::optional<double> width = hidden_size(irene.tree);
    const auto of_model = hidden.find(irene.tree.model_name);
    if (!width && of_model != hidden.end()) width = of_model->second;
    derive(irene, width);
  }
  hidden.clear();  // It points into the trees.
  for (IreneTree& irene : built.trees) out.trees.push_back(std::move(irene.tree));
  out.skipped = built.skipped;
  return out;
}

Result<Dataset> import_irene(const fs::path& folder, ImportOptions options) {
  Result<IreneTexts> texts = read_files(folder);
  if (!texts.ok()) return texts.error();
  return import_irene(std::move(texts).value(), folder.string(), options);
}

}  // namespace wattree
