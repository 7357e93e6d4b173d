#include "src/api/runs/lookup.h"

#include <algorithm>

#include "src/base/error_field.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_if(JsonWriter& out, std::string_view name, std::optional<double> number) {
  if (number) out.field(name, *number);
}

}  // namespace

Result<RegionsRequest> regions_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  RegionsRequest out{fields.text("words")};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<RegionsAnswer> regions(const RegionsRequest& request, const Services& /*services*/) {
  RegionsAnswer out{search_regions(request.words), {}};
  if (out.regions.empty()) return of_field("words", find_region(request.words).error());
  for (const RegionSource& source : bundled_region_sources()) {
    if (std::any_of(out.regions.begin(), out.regions.end(),
                    [&](const Region& region) { return region.source == source.key; })) {
      out.sources.push_back(source);
    }
  }
  return out;
}

std::string to_json(const RegionsAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("regions");
  out.begin_array();
  for (const Region& region : answer.regions) {
    out.begin_object();
    out.field("code", region.code);
    out.field("name", region.name);
    out.field("aliases", region.aliases);
    out.field("kind", name_of(region.kind));
    out.field("gco2e_per_kwh", region.intensity.value);
    out.field("year", std::int64_t{region.year});
    out.field("source", region.source);
    if (!region.located_in.empty()) out.field("located_in", region.located_in);
    out.end_object();
  }
  out.end_array();
  out.key("sources");
  out.begin_array();
  for (const RegionSource& source : answer.sources) {
    out.begin_object();
    out.field("source", source.key);
    out.field("title", source.title);
    out.field("covers", source.covers);
    out.field("year", source.year);
    out.field("licence", source.licence);
    if (!source.note.empty()) out.field("note", source.note);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

Result<HardwareRequest> hardware_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  HardwareRequest out{fields.text("words"), read_own_devices(fields)};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<HardwareAnswer> hardware(const HardwareRequest& request, const Services& /*services*/) {
  const Result<std::vector<Device>> all = devices_with(request.own_devices);
  if (!all.ok()) return all.error();
  HardwareAnswer out{search_devices(request.words, all.value())};
  if (!out.devices.empty()) return out;
  // A driver's name may have words that no name in the table has.
  Result<Device> device = find_device(request.words, all.value());
  if (!device.ok()) return of_field("words", device.error());
  out.devices.push_back(std::move(device).value());
  return out;
}

std::string to_json(const HardwareAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("hardware");
  out.begin_array();
  for (const Device& device : answer.devices) {
    out.begin_object();
    out.field("name", device.name);
    out.field("aliases", device.aliases);
    if (!device.vendor.empty()) out.field("vendor", device.vendor);
    out.field("kind", name_of(device.kind));
    if (device.tdp) out.field("tdp_w", device.tdp->value);
    write_if(out, "fp32_gflops", device.fp32_gflops);
    write_if(out, "tensor_or_fp16_gflops", device.tensor_or_fp16_gflops);
    write_if(out, "memory_gb", device.memory_gb);
    write_if(out, "memory_gb_per_s", device.memory_gb_per_s);
    if (device.year) out.field("year", std::int64_t{*device.year});
    out.field("basis", name_of(device.basis));
    if (!device.source.empty()) out.field("source", device.source);
    if (!device.notes.empty()) out.field("notes", device.notes);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
