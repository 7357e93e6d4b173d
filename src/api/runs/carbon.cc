#include "src/api/runs/carbon.h"

#include "src/api/runs/footprint.h"
#include "src/base/amounts.h"
#include "src/base/json_fields.h"

namespace wattree {

Result<CarbonRequest> carbon_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  CarbonRequest out{read_run(fields, "run"), read_setting(json, fields), read_epochs(fields)};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<CarbonAnswer> carbon(const CarbonRequest& request, const Services& services) {
  Result<Profile> profile = load_run(request.run, services);
  if (!profile.ok()) return profile.error();
  if (Status over = check_epochs(profile.value(), request.epochs, services); !over.ok()) {
    return over.error();
  }
  Result<Footprint> footprint =
      footprint_of(std::move(profile).value(), request.setting, request.epochs);
  if (!footprint.ok()) return footprint.error();
  CarbonAnswer out{std::move(footprint).value(), parse_energy(request.run.name).ok()};
  if (out.footprint.setting.grid) return out;
  Error error = no_grid_error(out.footprint.profile);
  if (out.is_energy) error.message = "the region is not given";
  return error;
}

std::string to_json(const CarbonAnswer& answer) { return to_json(answer.footprint); }

}  // namespace wattree
