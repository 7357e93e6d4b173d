#include "src/api/export.h"

#include "src/report/document/report.h"
#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {

Result<ExportedProfile> export_as(Profile profile, std::string_view format,
                                  const std::string& region) {
  if (!region.empty()) {
    const Result<Region> found = find_region(region);
    if (!found.ok()) return found.error();
    profile.region = found.value().code;
    profile.intensity.reset();  // It was the other region's.
  }
  if (format == "energyvis") {
    Result<EnergyVisFile> file = write_energyvis(profile);
    if (!file.ok()) return file.error();
    return ExportedProfile{file.value().json, file.value().notes};
  }
  if (format == "html") {
    const Result<Footprint> footprint = footprint_of(std::move(profile), {});
    if (!footprint.ok()) return footprint.error();
    return ExportedProfile{html_report(footprint.value(), MassUnit::kAuto), {}};
  }
  if (format == "wattree") return ExportedProfile{to_json(profile), {}};
  return Error{ErrorCode::kInvalidInput, "format \"" + std::string(format) + "\" is not known",
               "choose wattree, energyvis or html"};
}

std::string to_json(const Profile& profile) { return write_profile_json(profile); }

}  // namespace wattree
