#include "src/api/runs/profile_estimate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/api/runs/open_profiles.h"
#include "src/api/runs/profile_list.h"
#include "src/api/runs/run_request.h"
#include "src/base/error_field.h"
#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/facts/carbon/region.h"
#include "src/facts/hardware/fleet.h"
#include "src/runs/profile/folder.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/store/profile_texts.h"

namespace wattree {
namespace {

// A century, and the largest machines there are: energies stay within what a profile may hold.
constexpr double kMostHours = 1e6;
constexpr std::int64_t kMostCards = 100'000;
constexpr std::size_t kMostModels = 100;
constexpr double kSecondsPerHour = 3600;

std::vector<EstimateProfileRequest::Card> read_cards(JsonFields& fields) {
  std::vector<EstimateProfileRequest::Card> out;
  const nlohmann::json* cards = fields.array("hardware", true);
  if (cards == nullptr) return out;
  if (cards->empty() || cards->size() > kMostModels) {
    fields.complain("hardware", "must name 1 to " + std::to_string(kMostModels) + " models");
    return out;
  }
  for (std::size_t i = 0; i < cards->size(); ++i) {
    JsonFields card = fields.below((*cards)[i], "hardware", i);
    std::string name = card.text("name", true);
    const std::int64_t count =
        card.whole("count", 1, kMostCards, (*cards)[i].contains("count")).value_or(1);
    out.push_back({std::move(name), static_cast<int>(count)});
    card.finish();
  }
  return out;
}

std::string text_or_number(const nlohmann::json& json, JsonFields& fields, const char* name) {
  if (!fields.has(name) || !json.at(name).is_number()) return fields.text(name);
  return fmt::format("{}", fields.number(name, 1, 10).value_or(1));
}

std::string field_of(std::size_t index) { return "hardware[" + std::to_string(index) + "].name"; }

// What the request names, in the catalogue's words.
Result<Fleet> fleet_of(const EstimateProfileRequest& request) {
  Fleet out;
  if (!request.fleet.empty()) {
    Result<Fleet> fleet = parse_fleet(request.fleet, bundled_devices());
    if (!fleet.ok()) return of_field("hardware", fleet.error());
    out = std::move(fleet).value();
  }
  for (std::size_t i = 0; i < request.hardware.size(); ++i) {
    Result<Device> device = find_device(request.hardware[i].name, bundled_devices());
    if (!device.ok()) return of_field(field_of(i), device.error());
    out.push_back({std::move(device).value(), request.hardware[i].count});
  }
  if (out.empty()) {
    return Error{ErrorCode::kInvalidInput, "<hardware> names nothing", "", "hardware"};
  }
  for (const DeviceCount& entry : out) {
    if (entry.count >= 1 && entry.count <= kMostCards) continue;
    return Error{
        ErrorCode::kInvalidInput,
        "<hardware>: the number of devices must be between 1 and " + std::to_string(kMostCards), "",
        "hardware"};
  }
  return out;
}

Result<ComponentEnergy> energy_of(const DeviceCount& entry, std::size_t index,
                                  const EstimateProfileRequest& request) {
  const Device& device = entry.device;
  if (!device.tdp) {
    return Error{ErrorCode::kInvalidInput,
                 "no rated power is published for " + in_quotes(device.name),
                 "name a similar device", request.fleet.empty() ? field_of(index) : "hardware"};
  }
  const bool is_card = is_accelerator(device.kind);
  const Watts power = *device.tdp * (entry.count * request.utilisation);
  return ComponentEnergy{fmt::format("{} {}", name_of(device.kind), index + 1),
                         is_card ? ComponentKind::kGpu : ComponentKind::kCpu,
                         power * Seconds(request.hours * kSecondsPerHour),
                         std::nullopt,
                         std::nullopt,
                         {Basis::kAssumed,
                          fmt::format("{} × {} W rated power × utilisation {}", entry.count,
                                      device.tdp->value, request.utilisation),
                          is_card ? Boundary::kGpu : Boundary::kHost}};
}

}  // namespace

Result<EstimateProfileRequest> estimate_profile_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  EstimateProfileRequest out;
  out.name = fields.text("name", true);
  out.author = fields.text("author");
  out.source = fields.text("source");
  if (fields.has("hardware") && json.at("hardware").is_string()) {
    out.fleet = fields.text("hardware");
  } else {
    out.hardware = read_cards(fields);
  }
  out.hours = fields.number("hours", 0, kMostHours, true).value_or(0);
  out.region = fields.text("region");
  out.pue = text_or_number(json, fields, "pue");
  out.utilisation = fields.number("utilisation", 0, 1).value_or(1);
  out.id = fields.text("id");
  out.tags = read_tags(json, fields, "tags").value_or(std::vector<std::string>());
  out.is_kept = !fields.has("keep") || fields.flag("keep");
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<Profile> estimated_profile(const EstimateProfileRequest& request) {
  if (Status failure = check_name(request.name); !failure.ok()) return failure.error();
  if (!(request.hours > 0) || request.hours > kMostHours) {
    return Error{ErrorCode::kInvalidInput, "<hours> must be above 0 and at most 1000000", "",
                 "hours"};
  }
  if (!(request.utilisation > 0) || request.utilisation > 1) {
    return Error{ErrorCode::kInvalidInput, "<utilisation> must be above 0 and at most 1", "",
                 "utilisation"};
  }
  Profile out;
  out.name = request.name;
  out.author = request.author;
  out.source = request.source;
  if (!request.region.empty()) {
    const Result<Region> region = find_region(request.region);
    if (!region.ok()) return of_field("region", region.error());
    out.region = region.value().code;
  }
  if (!request.pue.empty()) {
    Result<Pue> pue = parse_pue(request.pue);
    if (!pue.ok()) return of_field("pue", pue.error());
    out.pue = std::move(pue).value();
  }
  Epoch& run = out.epochs.emplace_back();
  run.duration = Seconds(request.hours * kSecondsPerHour);
  const Result<Fleet> fleet = fleet_of(request);
  if (!fleet.ok()) return fleet.error();
  for (const DeviceCount& entry : fleet.value()) {
    Result<ComponentEnergy> energy = energy_of(entry, run.energy.size(), request);
    if (!energy.ok()) return energy.error();
    run.energy.push_back(std::move(energy).value());
    out.hardware.push_back({entry.device.kind, entry.device.name, entry.count});
  }
  out.notes = fmt::format("Estimated from {} for {} hours at {} of its rated power.",
                          hardware_text(out), request.hours, request.utilisation);
  return out;
}

Result<EstimateProfileAnswer> estimate_profile(const EstimateProfileRequest& request,
                                               const Services& services) {
  if (Status failure = check_tags(request.tags); !failure.ok()) return failure.error();
  Result<Profile> profile = estimated_profile(request);
  if (!profile.ok()) return profile.error();
  EstimateProfileAnswer out{std::move(profile).value(), std::nullopt};
  if (!request.is_kept) return out;
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(request.folder, services, StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  const std::string id = profile_id(request.id.empty() ? request.name : request.id);
  Result<std::vector<ProfileSummary>> kept = store.value()->add(
      {{out.profile, id, ProfileOrigin::kEstimated, request.tags, now(services)}});
  if (!kept.ok()) return kept.error();
  out.kept = std::move(kept).value().front();
  return out;
}

std::string to_json(const EstimateProfileAnswer& answer) {
  if (!answer.kept) return write_profile_json(answer.profile);
  JsonWriter out(2);
  write_json(out, *answer.kept);
  return out.take() + "\n";
}

}  // namespace wattree
