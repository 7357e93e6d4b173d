// Comparing models: the flags, the work and the table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/pass_flags.h"
#include "src/cli/predict_flags.h"
#include "src/predict/estimate/compare_models.h"

namespace wattree {

struct ModelFlags {
  PassFlags pass;
  PredictorFlags predictor;
  void add_to(CLI::App& command);
};
// Their names, and those of what describe_pass() and describe_predictor() add.
inline constexpr const char* kModelFlags[] = {"--batch",    "--seq",       "--target-len", "--past",
                                              "--dtype",    "--attention", "--as",         "--set",
                                              "--revision", "--predictor", "--on"};

// read_sets() comes before.
Result<ModelComparison> compare_models(const std::vector<std::string>& names,
                                       const ModelFlags& flags, std::optional<double> limit,
                                       Surroundings& world);

std::string comparison_table(const ModelComparison& comparison);

}  // namespace wattree
