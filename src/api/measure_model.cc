#include "src/api/measure_model.h"

#include "src/api/measure_session.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

// What a node takes within the model. At the power cap by itself, it is not so among lighter ones,
// unless the whole is at the cap too.
const NodeFigures* figures_in_place(const Figures& figures, const std::string& key,
                                    CacheState cache, bool is_whole_capped) {
  const auto alone = figures.find(window_key(key, cache, false));
  if (alone == figures.end()) return nullptr;
  const auto paused = figures.find(window_key(key, cache, true));
  const bool takes_paused = alone->second.is_capped && !is_whole_capped && paused != figures.end();
  return takes_paused ? &paused->second : &alone->second;
}

void choose_figures(MeasureAnswer& answer, CacheState cache) {
  const std::int32_t root = answer.distinct.of.back();
  const NodeFigures* whole =
      root < 0 ? nullptr
               : figures_in_place(answer.figures,
                                  answer.distinct.nodes[static_cast<std::size_t>(root)].key,
                                  CacheState::kNatural, true);
  const bool is_capped = whole != nullptr && whole->is_capped;
  for (std::size_t i = 0; i < answer.distinct.nodes.size(); ++i) {
    const bool is_root = static_cast<std::int32_t>(i) == root;
    const NodeFigures* figures =
        is_root ? whole
                : figures_in_place(answer.figures, answer.distinct.nodes[i].key, cache, is_capped);
    answer.in_place.push_back(figures != nullptr ? std::optional(*figures) : std::nullopt);
  }
}

SumOfParts add_up(const MeasureAnswer& answer) {
  SumOfParts out;
  double energy = 0;
  double time = 0;
  for (std::size_t i = 0; i < answer.distinct.nodes.size(); ++i) {
    const DistinctNode& node = answer.distinct.nodes[i];
    if (node.kernels != 1) continue;
    out.kernels += node.count;
    if (!answer.in_place[i]) continue;
    out.known += node.count;
    energy += static_cast<double>(node.count) * answer.in_place[i]->energy_j.value_or(0.0);
    time += static_cast<double>(node.count) * answer.in_place[i]->time_s;
  }
  const std::int32_t root = answer.distinct.of.back();
  if (root < 0 || !answer.in_place[static_cast<std::size_t>(root)]) return out;
  const NodeFigures& whole = *answer.in_place[static_cast<std::size_t>(root)];
  if (whole.energy_j) out.energy = energy / *whole.energy_j;
  out.time = time / whole.time_s;
  return out;
}

void write_optional(JsonWriter& out, std::string_view name, std::optional<double> value) {
  out.key(name);
  value ? out.value(*value) : out.null();
}

void write_figures(JsonWriter& out, const NodeFigures& f) {
  out.field("cache", name_of(f.cache));
  out.field("execution", name_of(f.execution));
  out.field("paused", f.is_paused);
  write_optional(out, "energy_j", f.energy_j);
  out.field("time_s", f.time_s);
  write_optional(out, "idle_j", f.idle_j);
  out.field("relative_error", f.relative_error);
  out.field("capped", f.is_capped);
  out.field("settled", f.is_settled);
  write_optional(out, "sm_clock_mhz", f.resources.sm_clock_mhz);
  out.field("doubts", f.doubts);
}

}  // namespace

std::filesystem::path windows_beside(const std::filesystem::path& dataset) {
  std::filesystem::path out = dataset;
  const std::string stem = dataset.stem().string();
  if (stem.size() > 8 && stem.substr(stem.size() - 8) == ".windows") return out;
  out.replace_filename(stem + ".windows.jsonl");
  return out;
}

Result<MeasureAnswer> measure_model(BuiltModel tree, const MeasureQuery& query) {
  const Result<std::vector<CacheState>> caches = parse_caches(query.caches);
  if (!caches.ok()) return caches.error();
  MeasureAnswer answer;
  answer.tree = std::move(tree);
  answer.distinct = distinct_nodes(answer.tree.tree);
  MeasureQuery asked = query;
  if (!answer.tree.config.empty()) {
    asked.model = {answer.tree.model, answer.tree.class_name, answer.tree.config};
  }
  Result<MeasuredJobs> measured = measure_jobs(
      jobs_of(answer.tree.tree, answer.distinct, pass_facts(answer.tree), caches.value()), asked);
  if (!measured.ok()) return measured.error();
  MeasuredJobs all = std::move(measured).value();
  answer.figures = std::move(all.figures);
  answer.reused = all.reused;
  answer.session = std::move(all.session);
  answer.obstacles = std::move(all.obstacles);
  choose_figures(answer, caches.value().front());
  answer.ops = add_up(answer);
  return answer;
}

std::string to_json(const MeasureAnswer& answer) {
  const BuiltModel& tree = answer.tree;
  const MachineFacts& machine = answer.session.machine;
  JsonWriter out(2);
  out.begin_object();
  out.field("model", tree.model);
  out.field("class", tree.class_name);
  out.field("batch_size", tree.pass.batch);
  out.field("seq_len", tree.pass.seq);
  if (tree.pass.past > 0) out.field("past", tree.pass.past);
  out.field("dtype", name_of(tree.pass.precision));
  out.field("attention", name_of(tree.pass.attention));
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
  write_optional(out, "idle_power_w", answer.session.idle.power_w);
  out.field("ended_by", name_of(answer.session.ending));
  out.field("duration_s", answer.session.duration_s);
  out.field("windows_measured", static_cast<std::int64_t>(answer.session.measured));
  out.field("windows_reused", static_cast<std::int64_t>(answer.reused));
  out.key("additivity");
  out.begin_object();
  out.field("kernels", answer.ops.kernels);
  out.field("kernels_measured", answer.ops.known);
  write_optional(out, "energy_ratio",
                 answer.ops.energy > 0 ? std::optional(answer.ops.energy) : std::nullopt);
  write_optional(out, "time_ratio",
                 answer.ops.time > 0 ? std::optional(answer.ops.time) : std::nullopt);
  out.end_object();
  out.key("nodes");
  out.begin_array();
  for (std::size_t i = 0; i < answer.distinct.nodes.size(); ++i) {
    if (!answer.in_place[i]) continue;
    const DistinctNode& distinct = answer.distinct.nodes[i];
    const Node& node = tree.tree.nodes()[static_cast<std::size_t>(distinct.node)];
    out.begin_object();
    out.field("node", distinct.key);
    out.field("scope", node.scope);
    out.field("type", node.type);
    out.field("level", name_of(node.level));
    out.field("count", distinct.count);
    out.field("kernels", distinct.kernels);
    write_figures(out, *answer.in_place[i]);
    out.end_object();
  }
  out.end_array();
  out.key("skipped");
  out.begin_array();
  for (const Skipped& skipped : answer.session.skipped) {
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
