// Profiles as files for others.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/runs/run_request.h"

namespace wattree {

enum class ExportFormat { kWattree, kEnergyVis, kHtml };
std::optional<ExportFormat> parse_export_format(std::string_view name);  // "wattree", …

struct ExportRequest {
  RunRef profile;
  ExportFormat format = ExportFormat::kWattree;
  std::string region;        // In the place of the profile's, where it is not empty.
  bool has_command = false;  // The notes have the run's command.
};
// {"profile", "format"? (wattree, energyvis or html), "region"?, "command"?}
Result<ExportRequest> export_request(const nlohmann::json& json);

struct ExportAnswer {
  std::string text;
  std::vector<std::string> notes;  // What the format cannot say.
};
Result<ExportAnswer> export_profile(const ExportRequest& request, const Services& services);

}  // namespace wattree
