// From windows to what a fit takes: the kernels of everything that was measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/measure/windows/read_windows.h"
#include "src/models/tree/model_tree.h"
#include "src/predict/fit/kernel_fit.h"

namespace wattree {

// The tree, with its costs, of the pass that a window was measured in.
using BuildPass =
    std::function<Result<ModelTree>(const MeasuredSession& session, const MeasuredWindow& window)>;

// What tells the work of a window from others' in every tree: see WorkHashes.
Result<std::uint64_t> work_hash(const MeasuredSession& session, const MeasuredWindow& window,
                                const BuildPass& build);

struct KernelDataAnswer {
  KernelData data;
  std::string boundary;               // Of the energies.
  std::vector<std::string> dtypes;    // Precisions that were measured.
  std::int64_t doubtful = 0;          // Windows that were left out.
  std::vector<std::string> problems;  // Windows whose kernels could not be told, and why.
};

// Sessions on different cards are brought to the middle one by their anchors. Windows that are
// doubtful, without energy or with other values than usual are left out. Fails where the sessions
// are of different hardware, or hold nothing.
Result<KernelDataAnswer> kernel_data(const std::vector<MeasuredSession>& sessions,
                                     const BuildPass& build);

// Of 32 bits. Precisions of one width share their prices.
bool is_single_precision(std::string_view dtype);

// Kernels that belong to no model are dealt into five families, neighbours in kind and order into
// different ones: each then is left out by hold_out() once.
void deal_into_families(KernelData& data);

}  // namespace wattree
