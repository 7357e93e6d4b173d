// Predictions for the terminal.
#pragma once

#include <string>

#include "src/models/tree/view.h"
#include "src/predict/estimate/breakdown.h"
#include "src/predict/estimate/sweep.h"
#include "src/predict/estimate/totals.h"

namespace wattree {

// All that a number depends on, in one line: "1× H200, GPU only, bf16, sdpa attention, per pass of
// 16 × 128; predicted by h200 (shipped)". `per` is what is predicted: "pass of 16 × 128".
std::string prediction_headline(const LoadedPredictor& by, const Pass& pass, std::string_view per);

// What a predictor's numbers rest on, as columns have it: "pred", "assumed".
std::string basis_text(const LoadedPredictor& by);

// "12.3 J ±5.0 % in 31.2 ms ±8.0 %, 395 W on average; 0.77 J per item, 6.0 mJ per token"
std::string estimate_line(const PassEstimate& estimate, std::int64_t items,
                          std::optional<std::int64_t> tokens);

// Rows as tree_rows() has them, and footnotes where a number needs one.
std::string prediction_table(const Prediction& prediction, const TreeView& view, bool unfolds);

// Of top nodes or of a breakdown; `title` names the first column.
std::string groups_table(const std::vector<NodeGroup>& groups, std::string_view title,
                         const std::string& basis);

std::string sweep_table(const Sweep& sweep);

// Mentions fields of a request, as errors do.
std::string totals_table(const QueryTotals& totals);

}  // namespace wattree
