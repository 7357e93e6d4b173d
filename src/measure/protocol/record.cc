#include "src/measure/protocol/record.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "src/base/json_writer.h"
#include "src/base/version.h"
#include "src/models/tree/causal.h"

namespace wattree {
namespace {

// Counter and readings farther apart than this are doubtful.
constexpr double kMostDisagreement = 0.02;
constexpr int kReadingsToCompare = 5;
constexpr double kMostOtherCpu = 10;  // Percent of all threads.

// As many digits as it deserves: files are smaller and differences readable.
double rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.7g", value);
  return std::strtod(text, nullptr);
}

void number(JsonWriter& out, std::string_view name, double value) {
  out.field(name, rounded(value));
}
void number(JsonWriter& out, std::string_view name, const std::optional<double>& value) {
  out.key(name);
  value ? out.value(rounded(*value)) : out.null();
}
template <class Dimension>
void number(JsonWriter& out, std::string_view name, Quantity<Dimension> value) {
  number(out, name, value.value);
}
template <class Dimension>
void number(JsonWriter& out, std::string_view name,
            const std::optional<Quantity<Dimension>>& value) {
  number(out, name, value ? std::optional(value->value) : std::nullopt);
}
void text_or_null(JsonWriter& out, std::string_view name, const std::string& text) {
  out.key(name);
  text.empty() ? out.null() : out.value(text);
}
void begin(JsonWriter& out, std::string_view kind, const std::string& session) {
  out.begin_object();
  out.field("kind", kind);
  out.field("session", session);
}

std::string finish(JsonWriter& out) {
  out.end_object();
  return out.take();
}

void write_resources(JsonWriter& out, const Resources& r) {
  number(out, "cpu_percent", r.cpu_percent);
  number(out, "own_cpu_percent", r.own_cpu_percent);
  number(out, "ram_percent", r.ram_percent);
  number(out, "gpu_percent", r.gpu_percent);
  number(out, "gpu_memory_percent", r.gpu_memory_percent);
  number(out, "gpu_memory_used_percent", r.gpu_memory_used_percent);
  number(out, "sm_clock_mhz", r.sm_clock_mhz);
  number(out, "memory_clock_mhz", r.memory_clock_mhz);
  number(out, "temperature_c", r.temperature_c);
  out.key("throttle_reasons");
  r.throttle_reasons ? out.value(static_cast<std::int64_t>(*r.throttle_reasons)) : out.null();
  number(out, "sampled_power_w", r.sampled_power);
  number(out, "cpu_energy_j", r.cpu_energy);
  number(out, "dram_energy_j", r.dram_energy);
  out.field("samples", static_cast<std::int64_t>(r.samples));
}

// Of the load as it ran, rest included.
void write_window(JsonWriter& out, const Measurement& m) {
  const LoadWindow& window = m.window;
  number(out, "energy_j", window.run_energy());
  number(out, "time_s", window.run_time());
  number(out, "power_w", window.power());
  number(out, "iterations", window.runs);
  number(out, "duration_s", window.duration());
  number(out, "window_energy_j", window.energy);
  number(out, "relative_error", window.relative_error);
  number(out, "drift", window.drift);
  out.field("ticks", static_cast<std::int64_t>(window.ticks));
  number(out, "tick_uncertainty_s", window.tick_uncertainty);
  out.field("is_settled", m.is_settled);
  out.field("is_capped", m.is_capped);
  number(out, "settle_s", m.settled_after);
  number(out, "load_s", m.load);
  if (!m.round_energies.empty()) {
    out.key("rounds_j");
    out.begin_array();
    for (const Joules energy : m.round_energies) out.value(rounded(energy.value));
    out.end_array();
  }
  write_resources(out, m.resources);
}

void write_node(JsonWriter& out, const NodeFacts& node) {
  out.field("node", node.key);
  out.field("scope", node.scope);
  out.field("type", node.type);
  out.field("level", name_of(node.level));
  out.field("params", node.params);
  out.field("flops", node.flops);
  out.field("kernels", node.kernels);
  out.field("inputs", node.inputs);
  out.field("outputs", node.outputs);
  if (node.is_causal) out.field("is_causal", true);
}

// "{1,768}"; nothing where the elements lie one after the other.
std::string strides_of(const Operand& operand, const Dims& stride) {
  std::int64_t expected = 1;
  bool is_contiguous = true;
  std::string out;
  for (int i = stride.rank() - 1; i >= 0; --i) {
    is_contiguous = is_contiguous && (stride[i] == expected || operand.size[i] == 1);
    expected *= operand.size[i];
    out = std::to_string(stride[i]) + (out.empty() ? "" : ",") + out;
  }
  return is_contiguous ? "" : "{" + out + "}";
}

void write_pass(JsonWriter& out, const PassFacts& pass) {
  if (!pass.attention.empty()) out.field("attention", pass.attention);
  if (pass.batch > 0) {
    out.field("batch_size", pass.batch);
    out.field("seq_len", pass.seq);
  }
  if (pass.past > 0) out.field("past", pass.past);
  if (pass.source_len > 0) out.field("source_len", pass.source_len);
  if (pass.target_len > 0) out.field("target_len", pass.target_len);
}

void write_settings(JsonWriter& out, std::string_view name, const WindowSettings& s) {
  out.key(name);
  out.begin_object();
  out.field("settle_s", s.settle_s);
  out.field("window_s", s.window_s);
  out.field("capped_settle_s", s.capped_settle_s);
  out.field("capped_window_s", s.capped_window_s);
  out.field("iterations", s.runs);
  out.field("relative_error", s.relative_error);
  out.field("drift", s.drift);
  out.field("limit_s", s.limit_s);
  out.field("cap_share", s.cap_share);
  out.field("rounds", static_cast<std::int64_t>(s.rounds));
  out.end_object();
}

}  // namespace

NodeFacts facts_of(const ModelTree& tree, const DistinctNode& distinct) {
  const Node& node = tree.nodes()[static_cast<std::size_t>(distinct.node)];
  NodeFacts out;
  out.subject = distinct.kernels == 1         ? Subject::kOp
                : node.level == Level::kModel ? Subject::kModel
                                              : Subject::kModule;
  out.key = distinct.key;
  out.scope = node.scope;
  out.type = node.type;
  out.level = node.level;
  out.params = node.params;
  out.flops = node.matmul_flops;
  out.kernels = distinct.kernels;
  if (node.op != Op::kNone) out.op = node.op == Op::kOther ? node.type : facts_of(node.op).aten;
  for (std::size_t i = 0; i < tree.inputs(node).size() + tree.outputs(node).size(); ++i) {
    const bool is_input = i < tree.inputs(node).size();
    const Operand& operand =
        is_input ? tree.inputs(node)[i] : tree.outputs(node)[i - tree.inputs(node).size()];
    std::string text = text_of(operand);
    if (tree.has_dataflow) text += strides_of(operand, tree.placements(node)[i].stride);
    (is_input ? out.inputs : out.outputs).push_back(std::move(text));
  }
  out.is_causal = is_causal(node);
  return out;
}

std::string to_line(const WindowRecord& record) {
  const NodeFigures& figures = record.figures;
  const Measurement& m = record.measurement;
  JsonWriter out;
  begin(out, "window", record.session);
  out.field("block", record.block);
  out.field("key", record.key);
  out.field("at_s", record.at_s);
  out.field("subject", name_of(record.node.subject));
  if (!record.pass.model.empty()) {
    out.field("model", record.pass.model);
    out.field("family", record.pass.family);
  }
  if (!record.pass.overrides.empty()) {
    out.key("overrides");
    out.begin_object();
    for (const auto& [name, value] : record.pass.overrides) out.field(name, value);
    out.end_object();
  }
  if (!record.node.op.empty()) out.field("op", record.node.op);
  out.field("dtype", record.pass.dtype);
  write_pass(out, record.pass);
  write_node(out, record.node);
  out.field("execution", name_of(figures.execution));
  if (!record.why_eager.empty()) out.field("why_eager", record.why_eager);
  write_window(out, m);
  out.field("other_processes", static_cast<std::int64_t>(record.other_processes));
  number(out, "idle_j", figures.idle_energy);
  out.field("cache", name_of(figures.cache));
  out.field("copies", static_cast<std::int64_t>(record.copies));
  if (figures.is_paused) {
    out.key("pauses");
    out.begin_object();
    number(out, "time_s", m.paused.value / m.window.runs);
    number(out, "power_w", m.pause_power);
    out.end_object();
    number(out, "node_time_s", figures.time);
    number(out, "node_energy_j", figures.energy);
  }
  if (record.software_energy) {
    number(out, "software_j", record.software_energy);
    out.field("software_covers", record.software_covers);
  }
  if (!figures.doubts.empty()) out.field("doubts", figures.doubts);
  return finish(out);
}

std::string to_line(const std::string& session, const MeasuredModel& model) {
  JsonWriter out;
  begin(out, "model", session);
  out.field("model", model.model);
  out.field("class", model.class_name);
  out.field("config", model.config);
  return finish(out);
}

std::string to_line(const AnchorRecord& record) {
  JsonWriter out;
  begin(out, "anchor", record.session);
  out.field("block", static_cast<std::int64_t>(record.block));
  write_window(out, record.measurement);
  number(out, "deviation", record.deviation);
  return finish(out);
}

std::string verdict_line(const std::string& session, int block, bool is_good, double deviation) {
  JsonWriter out;
  begin(out, "verdict", session);
  out.field("block", static_cast<std::int64_t>(block));
  out.field("is_good", is_good);
  number(out, "deviation", deviation);
  return finish(out);
}

std::string failure_line(const std::string& session, const std::string& key, const Error& why) {
  JsonWriter out;
  begin(out, "failure", session);
  out.field("key", key);
  out.field("why", why.message);
  return finish(out);
}

std::string to_line(const HeaderRecord& record) {
  const MachineFacts& machine = record.machine;
  JsonWriter out;
  begin(out, "header", record.session);
  out.field("at_s", record.at_s);
  out.field("protocol", record.whole.protocol);
  out.field("wattree", kVersion);
  text_or_null(out, "boundary", machine.boundary);
  out.field("meters", machine.meters);
  out.field("device", machine.device.kind);
  text_or_null(out, machine.device.kind == "cpu" ? "device_name" : "gpu", machine.device.name);
  text_or_null(out, "card", machine.card);
  text_or_null(out, "driver", machine.driver);
  out.field("cache_bytes", machine.device.cache_bytes);
  out.field("memory_bytes", machine.device.memory_bytes);
  out.field("multiprocessors", static_cast<std::int64_t>(machine.device.multiprocessors));
  number(out, "power_limit_w", machine.power_limit_w);
  text_or_null(out, "framework", machine.device.framework);
  text_or_null(out, "note", machine.device.note);
  text_or_null(out, "system", machine.system);
  text_or_null(out, "cpu", machine.processor);
  out.field("cpu_count", static_cast<std::int64_t>(machine.cpus));
  text_or_null(out, "governor", machine.governor);
  number(out, "ram_bytes", machine.ram_bytes);
  number(out, "idle_power_w", record.idle.power);
  number(out, "idle_gpu_percent", record.idle.resources.gpu_percent);
  number(out, "idle_temperature_c", record.idle.resources.temperature_c);
  number(out, "idle_sm_clock_mhz", record.idle.resources.sm_clock_mhz);
  number(out, "waited_for_standby_s", record.waited_for_standby_s);
  number(out, "other_cpu_percent", record.other_cpu_percent);
  out.field("other_processes", static_cast<std::int64_t>(record.other_processes));
  write_settings(out, "settings", record.whole);
  write_settings(out, "node_settings", record.node);
  return finish(out);
}

std::string footer_line(const std::string& session, std::int64_t windows, std::int64_t readings,
                        std::string_view ended_by) {
  JsonWriter out;
  begin(out, "footer", session);
  out.field("windows", windows);
  out.field("readings", readings);
  out.field("ended_by", ended_by);
  return finish(out);
}

std::vector<std::string> doubts_about(const Measurement& m, int other_processes) {
  std::vector<std::string> out;
  const Resources& r = m.resources;
  const auto power = m.window.power();
  if (power && r.sampled_power && r.samples >= kReadingsToCompare && m.paused == Seconds() &&
      std::abs(r.sampled_power->value / power->value - 1) > kMostDisagreement) {
    out.emplace_back(name_of(Doubt::kPowerReadings));
  }
  if (!m.is_settled) out.emplace_back(name_of(Doubt::kNotSettled));
  if (other_processes > 0) out.emplace_back(name_of(Doubt::kOthersOnGpu));
  if (r.cpu_percent && r.own_cpu_percent && *r.cpu_percent - *r.own_cpu_percent > kMostOtherCpu) {
    out.emplace_back(name_of(Doubt::kOthersOnHost));
  }
  return out;
}

}  // namespace wattree
