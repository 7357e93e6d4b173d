#include "src/api/runs/export.h"

#include "src/base/error_field.h"
#include "src/base/json_fields.h"
#include "src/report/document/report.h"
#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {

std::optional<ExportFormat> parse_export_format(std::string_view name) {
  if (name == "wattree") return ExportFormat::kWattree;
  if (name == "energyvis") return ExportFormat::kEnergyVis;
  if (name == "html") return ExportFormat::kHtml;
  return std::nullopt;
}

Result<ExportRequest> export_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  ExportRequest out;
  out.profile = read_run(fields, "profile");
  if (const std::string name = fields.text("format"); !name.empty()) {
    const std::optional<ExportFormat> format = parse_export_format(name);
    if (!format) fields.complain("format", "must be wattree, energyvis or html");
    out.format = format.value_or(ExportFormat::kWattree);
  }
  out.region = fields.text("region");
  out.has_command = fields.flag("command");
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<ExportAnswer> export_profile(const ExportRequest& request, const Services& services) {
  Result<Profile> loaded = load_profile(request.profile, services);
  if (!loaded.ok()) return loaded.error();
  Profile profile = std::move(loaded).value();
  // Files are for others, whom it does not concern.
  if (!request.has_command || !services.shows_private) {
    profile.notes = without_command(profile.notes);
  }
  if (!request.region.empty()) {
    const Result<Region> found = find_region(request.region);
    if (!found.ok()) return of_field("region", found.error());
    profile.region = found.value().code;
    profile.intensity.reset();  // It was the other region's.
  }
  switch (request.format) {
    case ExportFormat::kWattree: break;
    case ExportFormat::kEnergyVis: {
      Result<EnergyVisFile> file = write_energyvis(profile);
      if (!file.ok()) return file.error();
      return ExportAnswer{file.value().json, file.value().notes};
    }
    case ExportFormat::kHtml: {
      const Result<Footprint> footprint = footprint_of(std::move(profile), {});
      if (!footprint.ok()) return footprint.error();
      return ExportAnswer{html_report(footprint.value(), MassUnit::kAuto), {}};
    }
  }
  return ExportAnswer{write_profile_json(profile), {}};
}

}  // namespace wattree
