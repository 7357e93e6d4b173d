#include "src/api/measure/meters.h"

#include "src/base/error_field.h"
#include "src/base/error_text.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_meter(const KnownMeter& meter, JsonWriter& out) {
  const Description& d = meter.description;
  out.begin_object();
  out.field("name", d.name);
  out.field("device", d.device);
  out.field("source", d.source);
  out.field("read_from", d.read_from);
  out.field("covers", d.covers);
  out.field("kind", name_of(d.kind));
  out.field("unit", name_of(d.unit));
  out.field("component", name_of(d.component));
  out.field("scope", name_of(d.scope));
  out.field("boundary", name_of(d.boundary));
  out.field("basis", name_of(d.basis));
  out.field("period_s", d.period.value);
  out.field("resolution", d.resolution);
  out.key("wraps_at");
  if (d.wrap > 0) {
    out.value(static_cast<double>(d.wrap) * d.resolution);
  } else {
    out.null();
  }
  out.field("counted", d.is_counted);
  if (!d.counted_by.empty()) out.field("counted_by", d.counted_by);
  if (d.kind == Kind::kLevel) {
    out.key("now");
    if (meter.now) {
      out.value(*meter.now);
    } else {
      out.null();
    }
  }
  out.end_object();
}

}  // namespace

Result<MeterQuery> with_assumptions(MeterQuery query, const std::vector<std::string>& assume) {
  for (const std::string& text : assume) {
    const Result<Assumption> assumption = parse_assumption(text);
    if (!assumption.ok()) return of_field("assume", assumption.error());
    query.assumptions.push_back(assumption.value());
  }
  return query;
}

Result<MetersAnswer> meters(const MetersRequest& request, const Services& services) {
  const Result<MeterQuery> query = with_assumptions(services.meters, request.assume);
  if (!query.ok()) return query.error();
  Found found = find_meters(query.value());
  MetersAnswer answer;
  for (const auto& meter : found.meters) {
    KnownMeter known{meter->description(), std::nullopt};
    const Sample sample = meter->read();
    if (known.description.kind == Kind::kLevel && sample.absence == Absence::kNone) {
      known.now = sample.level;
    }
    answer.meters.push_back(std::move(known));
  }
  answer.obstacles = std::move(found.obstacles);
  answer.processes = std::move(found.processes);
  answer.limits = find_cgroup_limits(services.meters.proc_root, services.meters.sys_root, "self");
  return answer;
}

std::string to_json(const MetersAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("meters");
  out.begin_array();
  for (const KnownMeter& meter : answer.meters) write_meter(meter, out);
  out.end_array();
  out.key("obstacles");
  out.begin_array();
  for (const Obstacle& obstacle : answer.obstacles) {
    out.begin_object();
    out.field("what", obstacle.what);
    out.field("why", obstacle.why);
    out.field("remedy", with_fields_named(obstacle.remedy, plain_field_name));
    out.end_object();
  }
  out.end_array();
  out.key("processes");
  out.begin_array();
  for (const GpuProcess& process : answer.processes) {
    out.begin_object();
    out.field("gpu", process.gpu);
    out.field("process", std::int64_t{process.process});
    if (process.memory_bytes) {
      out.field("memory_bytes", static_cast<std::int64_t>(*process.memory_bytes));
    }
    if (process.sm_percent) out.field("sm_percent", *process.sm_percent);
    out.end_object();
  }
  out.end_array();
  out.key("limits");
  out.begin_object();
  if (answer.limits.cpus) out.field("cpus", *answer.limits.cpus);
  if (answer.limits.memory_bytes) {
    out.field("memory_bytes", static_cast<std::int64_t>(*answer.limits.memory_bytes));
  }
  out.end_object();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
