#include "src/api/measure/measure_model.h"

#include <nlohmann/json.hpp>

#include "src/api/model/model_source.h"
#include "src/api/model/read_pass.h"
#include "src/api/model/script_model.h"
#include "src/base/json_writer.h"
#include "src/measure/campaign/dataset_tree.h"
#include "src/measure/campaign/jobs.h"

namespace wattree {
namespace {

Result<BuiltModel> build(const ProfileRequest& request, const Services& services,
                         std::vector<std::string>& notes) {
  const ModelRef model{request.model, request.revision};
  PassShape pass = request.pass;
  pass.keeps_dataflow = true;
  Result<OpenedModel> opened = open_model(model, pass, services);
  if (!opened.ok()) return opened.error();
  OpenedModel found = std::move(opened).value();
  notes = std::move(found.notes);
  return std::move(found.built);
}

// What has loaded a TorchScript file is what runs its nodes, so that the tree comes with the rig.
Result<Rig> open_script_rig(const ProfileRequest& request, const Services& services,
                            const MeasureHost& host, BuiltModel& tree) {
  if (const Status failure = check_script(request.model, request.pass); !failure.ok()) {
    return failure.error();
  }
  MeasureHost with_script = host;
  with_script.open_executor = [&]() -> Result<std::unique_ptr<Executor>> {
    const ExecutorQuery executor{request.measure.device, request.measure.torch_plugin,
                                 host.program};
    Result<ScriptModel> opened = open_script_model(
        request.model, ScriptQuery{executor, request.input, request.pass.batch, request.pass.seq});
    if (!opened.ok()) return opened.error();
    ScriptModel script = std::move(opened).value();
    tree = std::move(script.answer);
    return shared_executor(script);
  };
  return open_rig(request.measure, services, with_script);
}

void write_optional(JsonWriter& out, std::string_view name, std::optional<double> value) {
  out.key(name);
  value ? out.value(*value) : out.null();
}

template <class Dimension>
void write_optional(JsonWriter& out, std::string_view name,
                    const std::optional<Quantity<Dimension>>& value) {
  write_optional(out, name, value ? std::optional(value->value) : std::nullopt);
}

void write_figures(JsonWriter& out, const NodeFigures& f) {
  out.field("cache", name_of(f.cache));
  out.field("execution", name_of(f.execution));
  out.field("paused", f.is_paused);
  write_optional(out, "energy_j", f.energy);
  out.field("time_s", f.time.value);
  write_optional(out, "idle_j", f.idle_energy);
  out.field("relative_error", f.relative_error);
  out.field("capped", f.is_capped);
  out.field("settled", f.is_settled);
  write_optional(out, "sm_clock_mhz", f.resources.sm_clock_mhz);
  out.field("doubts", f.doubts);
}

void write_measured_pass(JsonWriter& out, const BuiltModel& tree) {
  out.field("model", tree.model);
  out.field("class", tree.class_name);
  out.field("batch_size", tree.pass.batch);
  out.field("seq_len", tree.pass.seq);
  if (tree.pass.past > 0) out.field("past", tree.pass.past);
  out.field("dtype", name_of(tree.pass.precision));
  out.field("attention", name_of(tree.pass.attention));
}

void write_machine(JsonWriter& out, const MachineFacts& machine) {
  out.field("device", machine.device.name);
  out.field("framework", machine.device.framework);
  if (!machine.device.note.empty()) out.field("note", machine.device.note);
  out.key("basis");
  if (machine.boundary.empty()) {
    out.null();
  } else {
    write_json(out, Provenance{Basis::kMeasured, machine.meters.front(),
                               parse_boundary(machine.boundary).value_or(Boundary::kHost)});
  }
}

void write_additivity(JsonWriter& out, const SumOfParts& ops) {
  out.key("additivity");
  out.begin_object();
  out.field("kernels", ops.kernels);
  out.field("kernels_measured", ops.known);
  write_optional(out, "energy_ratio", ops.energy > 0 ? std::optional(ops.energy) : std::nullopt);
  write_optional(out, "time_ratio", ops.time > 0 ? std::optional(ops.time) : std::nullopt);
  out.end_object();
}

void write_nodes(JsonWriter& out, const MeasuredPass& pass) {
  out.key("nodes");
  out.begin_array();
  for (std::size_t i = 0; i < pass.distinct.nodes.size(); ++i) {
    if (!pass.in_place[i]) continue;
    const DistinctNode& distinct = pass.distinct.nodes[i];
    const Node& node = pass.tree.tree.nodes()[static_cast<std::size_t>(distinct.node)];
    out.begin_object();
    out.field("node", distinct.key);
    out.field("scope", node.scope);
    out.field("type", node.type);
    out.field("level", name_of(node.level));
    out.field("count", distinct.count);
    out.field("kernels", distinct.kernels);
    write_figures(out, *pass.in_place[i]);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

Result<ProfileRequest> profile_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", "request", failure);
  ProfileRequest out;
  out.model = fields.text("model", true);
  out.pass = read_pass(fields);
  out.revision = fields.text("revision");
  out.input = fields.texts("input");
  return with_measurement(std::move(out), fields, failure);
}

Result<ProfileAnswer> profile_model(const ProfileRequest& request, const Services& services,
                                    const MeasureHost& host) {
  ProfileAnswer answer;
  answer.dataset = request.output;
  answer.windows = windows_beside(request.output);
  BuiltModel tree;
  if (!is_script(request.model)) {
    Result<BuiltModel> built = build(request, services, answer.notes);
    if (!built.ok()) return built.error();
    tree = std::move(built).value();
  }
  const Result<std::vector<CacheState>> caches = parse_caches(request.measure.cache);
  if (!caches.ok()) return caches.error();
  Result<CampaignOptions> options =
      campaign_options(request.measure, {answer.windows, request.resume}, services, host);
  if (!options.ok()) return options.error();
  Result<Rig> opened = is_script(request.model) ? open_script_rig(request, services, host, tree)
                                                : open_rig(request.measure, services, host);
  if (!opened.ok()) return opened.error();
  Rig rig = std::move(opened).value();
  Result<MeasuredPass> measured =
      measure_pass(std::move(tree), caches.value(), rig, std::move(options).value());
  if (!measured.ok()) return measured.error();
  answer.pass = std::move(measured).value();
  const Status failure = add_to_dataset(to_dataset(answer.pass), answer.dataset);
  if (!failure.ok()) return failure.error();
  return answer;
}

std::string to_json(const ProfileAnswer& answer) {
  const MeasuredPass& pass = answer.pass;
  const SessionResult& session = pass.campaign.session;
  JsonWriter out(2);
  out.begin_object();
  write_measured_pass(out, pass.tree);
  write_machine(out, session.machine);
  write_optional(out, "idle_power_w", session.idle.power);
  out.field("ended_by", name_of(session.ending));
  out.field("duration_s", session.duration.value);
  out.field("windows_measured", static_cast<std::int64_t>(session.measured));
  out.field("windows_reused", static_cast<std::int64_t>(pass.campaign.reused));
  write_additivity(out, pass.ops);
  write_nodes(out, pass);
  out.key("skipped");
  out.begin_array();
  for (const Skipped& skipped : session.skipped) {
    out.begin_object();
    out.field("key", skipped.key);
    out.field("scope", skipped.scope);
    out.field("why", skipped.why);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
