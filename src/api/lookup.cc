#include "src/api/lookup.h"

#include <algorithm>

#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_if(JsonWriter& out, std::string_view name, std::optional<double> number) {
  if (number) out.field(name, *number);
}

}  // namespace

std::string to_json(const std::vector<Region>& regions) {
  JsonWriter out(2);
  out.begin_object();
  out.key("regions");
  out.begin_array();
  for (const Region& region : regions) {
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
  for (const RegionSource& source : bundled_region_sources()) {
    if (std::none_of(regions.begin(), regions.end(),
                     [&](const Region& region) { return region.source == source.key; })) {
      continue;
    }
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

std::string to_json(const std::vector<Device>& devices) {
  JsonWriter out(2);
  out.begin_object();
  out.key("hardware");
  out.begin_array();
  for (const Device& device : devices) {
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
