#include "src/predict/fit/calibration_kernels.h"

#include <algorithm>

#include "src/base/text.h"
#include "src/predict/fit/kernel_data.h"
#include "src/predict/fit/primitives.h"

namespace wattree {
namespace {

// A processor does some hundred GFLOP a second: what is larger takes too long.
constexpr PrimitiveLimits kProcessorLimits{4e9, 2.5e8};

Error bad_dtype(std::string message, std::string hint) {
  return {ErrorCode::kInvalidInput, std::move(message), std::move(hint), "dtype"};
}

// Prices are of 16 and of 32 bits: two precisions of the same width would be one muddle.
Status check_widths(const std::vector<std::string>& dtypes, const std::string& hint) {
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (is_single_precision(dtypes[i]) != is_single_precision(dtypes[j])) continue;
      return bad_dtype("a predictor can not know both " + dtypes[j] + " and " + dtypes[i] +
                           ": they share prices",
                       hint);
    }
  }
  return {};
}

Result<std::vector<std::string>> parse_dtypes(const std::string& list, bool is_processor) {
  std::vector<std::string> out;
  for (const std::string& name : split(!list.empty()  ? list
                                       : is_processor ? "fp32"
                                                      : "bf16,fp32",
                                       ',')) {
    const auto known = {"fp32", "tf32", "bf16", "fp16"};
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return bad_dtype("dtype \"" + name + "\" is not known",
                       "choose with <dtype>: fp32, tf32, bf16 or fp16, or two of them: bf16,fp32");
    }
    out.push_back(name);
  }
  if (const Status failure = check_widths(out, "calibrate twice, into two files"); !failure.ok())
    return failure.error();
  return out;
}

Result<CalibrationKernels> kernels_of(const std::string& dtype, bool is_processor) {
  Result<ModelTree> tree = primitive_tree(parse_precision(dtype).value_or(Precision::kFp32),
                                          is_processor ? kProcessorLimits : PrimitiveLimits{});
  if (!tree.ok()) return tree.error();
  CalibrationKernels out{dtype, std::move(tree).value(), {}, {}};
  out.distinct = distinct_nodes(out.tree);
  const std::vector<double> ranks = information_of(out.tree);
  std::vector<std::pair<double, std::string>> ranked;
  for (const DistinctNode& node : out.distinct.nodes) {
    if (node.kernels == 1) {
      ranked.emplace_back(-ranks[static_cast<std::size_t>(node.node)], node.key);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  for (std::size_t i = 0; i < ranked.size(); ++i) out.order[ranked[i].second] = i;
  return out;
}

}  // namespace

Result<CalibrationSets> calibration_kernels(const std::string& list, bool is_processor) {
  const Result<std::vector<std::string>> dtypes = parse_dtypes(list, is_processor);
  if (!dtypes.ok()) return dtypes.error();
  CalibrationSets out;
  for (const std::string& dtype : dtypes.value()) {
    Result<CalibrationKernels> found = kernels_of(dtype, is_processor);
    if (!found.ok()) return found.error();
    out.push_back(std::move(found).value());
  }
  return out;
}

Status add_earlier(const std::vector<MeasuredSession>& sessions, bool is_processor,
                   CalibrationSets& sets) {
  std::vector<std::string> dtypes;
  for (const CalibrationKernels& each : sets) dtypes.push_back(each.dtype);
  for (const MeasuredSession& session : sessions) {
    for (const MeasuredWindow& window : session.windows) {
      const std::string& dtype = window.pass.dtype;
      if (std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end()) continue;
      Result<CalibrationKernels> more = kernels_of(dtype, is_processor);
      if (!more.ok()) return more.error();
      sets.push_back(std::move(more).value());
      dtypes.push_back(dtype);
    }
  }
  return check_widths(dtypes, "start a new file");
}

}  // namespace wattree
