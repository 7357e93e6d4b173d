// Errors on measured windows, as JSON.
#include "src/api/learn/evaluate.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_errors(JsonWriter& out, std::string_view key, const NamedErrors& rows) {
  out.key(key);
  out.begin_array();
  for (const auto& [name, e] : rows) {
    out.begin_object();
    out.field("name", name);
    out.field("count", e.count);
    out.field("mean", e.mean);
    out.field("energy_weighted", e.weighted);
    out.field("bias", e.bias);
    out.field("p50", e.p50);
    out.field("p90", e.p90);
    out.field("p99", e.p99);
    out.field("time_mean", e.time_mean);
    out.field("time_p99", e.time_p99);
    out.field("interval_coverage", e.coverage);
    out.field("interval_width", e.width);
    out.end_object();
  }
  out.end_array();
}

void write_checks(JsonWriter& out, const MeasurementChecks& checks) {
  out.key("additivity");
  out.begin_array();
  for (const Additivity& a : checks.additivity) {
    out.begin_object();
    out.field("name", a.name);
    out.field("covered", a.covered);
    out.field("energy_ratio", a.energy);
    out.field("time_ratio", a.time);
    out.end_object();
  }
  out.end_array();
  out.key("repeats");
  out.begin_object();
  out.field("count", checks.repeats);
  out.field("median", checks.repeat_median);
  out.field("most", checks.repeat_most);
  out.end_object();
}

}  // namespace

std::string to_json(const EvaluatedWindows& answer) {
  const KernelDataAnswer& input = answer.data;
  const KernelEvaluation& e = answer.evaluation;
  JsonWriter out(2);
  out.begin_object();
  out.field("dataset", answer.dataset);
  out.field("hardware", input.data.hardware);
  out.field("hold_out", !e.left_out                        ? "none"
                        : *e.left_out == LeaveOut::kFamily ? "leave-one-family-out"
                                                           : "leave-one-model-out");
  out.field("windows", static_cast<std::int64_t>(input.data.samples.size()));
  out.field("doubtful", input.doubtful);
  out.field("models", static_cast<std::int64_t>(input.data.models.size()));
  out.field("families", static_cast<std::int64_t>(input.data.families.size()));
  write_errors(out, "by_subject", e.by_subject);
  write_errors(out, "by_dtype", e.by_dtype);
  write_errors(out, "over_anchor", e.over_anchor);
  write_errors(out, "by_time", e.by_time);
  write_errors(out, "by_kind", e.by_kind);
  write_errors(out, "by_group", e.by_group);
  out.field("rank_correlation", e.rank_correlation);
  out.key("mean_range");
  out.begin_array();
  out.value(e.mean_range.first);
  out.value(e.mean_range.second);
  out.end_array();
  if (answer.checks) write_checks(out, *answer.checks);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
