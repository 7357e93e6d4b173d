#include "src/api/runs/track_setting.h"

#include "src/runs/track/location.h"

namespace wattree {
namespace {

// Found rather than asked for: wrong or right, it is worth a note.
bool was_found(const Place& place) {
  return place.from != PlaceSource::kNowhere && place.from != PlaceSource::kRequest;
}

void add_found_pue(const Settings& settings, Setting& setting, TrackPlan& plan) {
  if (setting.pue || settings.pue.empty()) return;
  const Result<Pue> pue = parse_pue(settings.pue);
  if (pue.ok()) {
    setting.pue = pue.value();
    plan.notes.push_back("PUE " + settings.pue + ", from " + settings.origin);
  } else {
    plan.warnings.push_back(settings.origin + ": " + pue.error().message);
  }
}

}  // namespace

Result<Setting> track_setting(const TrackRequest& request, const Environment& environment,
                              TrackPlan& plan) {
  const Result<Settings> read = read_settings(settings_files(environment));
  if (!read.ok()) plan.warnings.push_back(read.error().message);
  const Settings settings = read.ok() ? read.value() : Settings{};
  plan.warnings.insert(plan.warnings.end(), settings.warnings.begin(), settings.warnings.end());
  Place place;
  if (request.intensity.empty()) {
    place = find_place(request.region, environment, settings, request.instance_data);
  }
  SettingQuery wanted;
  wanted.intensity = request.intensity;
  wanted.region = place.region;
  wanted.pue = request.pue;
  wanted.usd_per_kwh = request.price;
  Result<Setting> setting = setting_of(wanted);
  if (was_found(place) && setting.ok()) {
    plan.notes.push_back("region " + setting.value().grid->region + ", from " + place.said_by);
  } else if (was_found(place)) {
    plan.warnings.push_back(place.said_by + ": " + setting.error().message);
    wanted.region.clear();
    setting = setting_of(wanted);
  }
  if (!setting.ok()) return setting;
  Setting out = std::move(setting).value();
  add_found_pue(settings, out, plan);
  if (!out.grid) {
    plan.notes.emplace_back(
        "CO2 is not shown: the region is not known. Name it with <region> US-GA, WATTREE_REGION or "
        "\"region = US-GA\" in ~/.config/wattree/config; `wattree regions` lists them");
  }
  return out;
}

}  // namespace wattree
