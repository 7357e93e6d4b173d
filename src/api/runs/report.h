// The report use case: a statement of what a run took, to paste or to keep.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "src/api/runs/run_request.h"

namespace wattree {

enum class ReportFormat { kMarkdown, kHtml };

struct ReportRequest {
  RunRef profile;
  SettingQuery setting;
  std::optional<std::size_t> epochs;
  MassUnit unit = MassUnit::kAuto;
  ReportFormat format = ReportFormat::kMarkdown;
};
// {"profile", "format"? (markdown or html), "region"?, "intensity"?, "intensity_file"?, "pue"?,
// "price"?, "epochs"?, "unit"?}
Result<ReportRequest> report_request(const nlohmann::json& json);

struct ReportAnswer {
  ReportFormat format = ReportFormat::kMarkdown;
  std::string text;
};
Result<ReportAnswer> report(const ReportRequest& request, const Services& services);

}  // namespace wattree
