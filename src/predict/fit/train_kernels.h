// The train and evaluate use cases for kernels that were measured one by one, and in passes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/fit/kernel_data.h"

namespace wattree {

// The tree of a window's pass, from the config that stands beside it or else a bundled one.
Result<ModelTree> build_pass(const MeasuredSession& session, const MeasuredWindow& window);

// Windows in files or folders. Their passes are built from the configs that stand beside them, or
// else from the bundled models.
Result<KernelDataAnswer> read_kernel_data(const std::vector<std::filesystem::path>& paths);
Result<KernelDataAnswer> kernel_data_of(const std::vector<MeasuredSession>& sessions);

// With the boundary and the precisions of what was measured.
Result<Predictor> train_on_kernels(KernelDataAnswer input, const std::string& name);
// What kernels, each by itself, were found to fall short of whole passes by (data/h200/README.md: 4
// to 6 %). Where only kernels were measured, it is in the intervals of modules and models.
inline constexpr double kShortfall = 0.06;
// Makes these intervals wider, by shares of the prediction.
void widen_for_wholes(Predictor& predictor, double energy, double time);

}  // namespace wattree
