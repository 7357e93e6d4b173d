#include "src/measure/windows/read_windows.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "src/base/file.h"
#include "src/base/folder_entries.h"
#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/line_reader.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestHeader = std::size_t{4} << 20;
constexpr double kMost = 1e15;
constexpr double kShortest = 1e-12;  // Seconds.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;

std::optional<double> amount(JsonFields& fields, std::string_view name) {
  return fields.number(name, 0, kMost);
}

std::optional<Joules> joules(JsonFields& fields, std::string_view name) {
  const auto value = amount(fields, name);
  return value ? std::optional(Joules(*value)) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> settings(JsonFields& fields,
                                                          std::string_view name) {
  std::vector<std::pair<std::string, std::string>> out;
  const Json* object = fields.object(name);
  if (object == nullptr) return out;
  for (const auto& [key, value] : object->items()) {
    out.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

PassFacts pass_of(JsonFields& fields) {
  const auto size = [&](std::string_view name) {
    return fields.whole(name, 0, kMostTokens).value_or(0);
  };
  PassFacts out;
  out.model = fields.text("model");
  out.family = fields.text("family");
  out.dtype = fields.text("dtype", true);
  out.attention = fields.text("attention");
  out.batch = size("batch_size");
  out.seq = size("seq_len");
  out.past = size("past");
  out.source_len = size("source_len");
  out.target_len = size("target_len");
  out.overrides = settings(fields, "overrides");
  return out;
}

NodeFacts node_of(JsonFields& fields) {
  NodeFacts out;
  const std::string subject = fields.text("subject", true);
  if (const auto known = parse_subject(subject)) {
    out.subject = *known;
  } else {
    fields.complain("subject", "must be model, decode, module or op");
  }
  out.key = fields.text("node", true);
  out.scope = fields.text("scope");
  out.type = fields.text("type", true);
  out.op = fields.text("op");
  out.inputs = fields.texts("inputs");
  out.outputs = fields.texts("outputs");
  return out;
}

Resources resources_of(JsonFields& fields) {
  Resources out;
  out.cpu_percent = amount(fields, "cpu_percent");
  out.own_cpu_percent = amount(fields, "own_cpu_percent");
  out.ram_percent = amount(fields, "ram_percent");
  out.gpu_percent = amount(fields, "gpu_percent");
  out.gpu_memory_percent = amount(fields, "gpu_memory_percent");
  out.sm_clock_mhz = amount(fields, "sm_clock_mhz");
  out.memory_clock_mhz = amount(fields, "memory_clock_mhz");
  out.temperature_c = fields.number("temperature_c", -kMost, kMost);
  if (const auto power = amount(fields, "sampled_power_w")) out.sampled_power = Watts(*power);
  out.samples = static_cast<int>(fields.whole("samples", 0, 1'000'000'000).value_or(0));
  return out;
}

NodeFigures read_figures(JsonFields& fields) {
  NodeFigures out;
  const auto cache = parse_cache(fields.text("cache", true));
  if (!cache) fields.complain("cache", "must be natural, cold, in_place or warm");
  out.cache = cache.value_or(CacheState::kNatural);
  const auto execution = parse_execution(fields.text("execution", true));
  if (!execution) fields.complain("execution", "must be graph or eager");
  out.execution = execution.value_or(Execution::kGraph);
  out.is_paused = fields.has("pauses");
  out.energy = joules(fields, out.is_paused ? "node_energy_j" : "energy_j");
  out.time = Seconds(
      fields.number(out.is_paused ? "node_time_s" : "time_s", kShortest, kMost, true).value_or(1));
  out.idle_energy = joules(fields, "idle_j");
  out.relative_error = amount(fields, "relative_error").value_or(0);
  out.drift = fields.number("drift", -kMost, kMost).value_or(0);
  out.is_capped = fields.flag("is_capped");
  out.is_settled = fields.flag("is_settled");
  out.resources = resources_of(fields);
  out.doubts = fields.texts("doubts");
  return out;
}

MeasuredWindow window_of(JsonFields& fields) {
  MeasuredWindow out;
  out.key = fields.text("key", true);
  out.pass = pass_of(fields);
  out.node = node_of(fields);
  out.figures = read_figures(fields);
  out.figures.key = out.node.key;
  out.values = fields.text("values");
  out.plan = fields.text("plan");
  out.experts_at_work = amount(fields, "experts_at_work").value_or(0);
  out.node.is_causal = fields.flag("is_causal");
  return out;
}

// Both of ours were called "wattree-1" at first. Python told of itself, and the program did not.
std::string protocol_of(JsonFields& fields) {
  std::string name = fields.text("protocol");
  if (name != "wattree-1") return name;
  return std::string(fields.has("python") ? kTorchProtocol : kNativeProtocol);
}

MeasuredSession session_of(JsonFields& fields, std::string where) {
  MeasuredSession out;
  out.where = std::move(where);
  out.device = fields.text(fields.has("device_name") ? "device_name" : "gpu", true);
  out.card = fields.text("card");
  out.device_kind = fields.text("device");
  out.boundary = fields.text("boundary");
  out.protocol = protocol_of(fields);
  if (const auto meters = fields.texts("meters"); !meters.empty()) out.meter = meters.front();
  out.power_limit_w = amount(fields, "power_limit_w").value_or(0);
  out.idle_power_w = amount(fields, "idle_power_w").value_or(0);
  out.native_kernel_s = amount(fields, "native_kernel_s").value_or(0);
  out.anchor_energy_j = amount(fields, "anchor_energy_j");
  out.cache_bytes = amount(fields, "cache_bytes").value_or(0);
  out.multiprocessors = fields.whole("multiprocessors", 0, 1'000'000).value_or(0);
  return out;
}

// Reads the records of a file, one after the other.
class Reader {
 public:
  void read(JsonFields& fields, const std::string& where) {
    const std::string kind = fields.text("kind", true);
    if (kind == "header") {
      finish();
      sessions_.push_back(session_of(fields, where));
      return;
    }
    const bool is_ours =
        kind == "window" || kind == "verdict" || kind == "anchor" || kind == "model";
    if (!is_ours) return;
    if (sessions_.empty()) return fields.complain("kind", "is " + kind + " before any header");
    MeasuredSession& session = sessions_.back();
    const std::int64_t block = fields.whole("block", 0, kMostTokens).value_or(0);
    if (kind == "window") {
      session.windows.push_back(window_of(fields));
      session.windows.back().block = block;
    } else if (kind == "verdict") {
      if (!fields.flag("is_good")) discarded_.insert(block);
    } else if (kind == "anchor") {
      if (const auto energy = amount(fields, "energy_j")) session.anchors_j.push_back(*energy);
    } else {
      session.models.push_back(
          {fields.text("model", true), fields.text("class"), fields.text("config", true)});
    }
  }
  std::vector<MeasuredSession> take() {
    finish();
    return std::move(sessions_);
  }

 private:
  void finish() {
    if (!sessions_.empty()) {
      std::erase_if(sessions_.back().windows, [&](const MeasuredWindow& window) {
        return discarded_.contains(window.block);
      });
    }
    discarded_.clear();
  }

  std::vector<MeasuredSession> sessions_;
  std::set<std::int64_t> discarded_;  // Blocks of the last one.
};

Error with_hint(Error error) {
  if (error.hint.empty()) error.hint = "docs/schemas/window.schema.json describes these files";
  return error;
}

bool is_windows_name(const std::string& name) {
  return name.ends_with(".windows.jsonl") ||
         (name.starts_with("windows-") && name.ends_with(".jsonl"));
}

}  // namespace

Result<std::vector<MeasuredSession>> parse_windows(std::string_view lines,
                                                   const std::string& origin) {
  Reader reader;
  std::size_t number = 0;
  for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    const std::string where = origin + ":" + std::to_string(++number);
    if (line.empty()) continue;
    const Result<Json> json = parse_json(line, where);
    if (!json.ok()) return with_hint(json.error());
    Status failure;
    JsonFields fields(json.value(), "", where, failure);
    if (failure.ok()) reader.read(fields, where);
    if (!failure.ok()) return with_hint(failure.error());
  }
  std::vector<MeasuredSession> sessions = reader.take();
  if (sessions.empty()) {
    return Error{ErrorCode::kInvalidInput, origin + ": has no header of a session",
                 "give a file that wattree profile, wattree calibrate or tools/measure_dataset.py "
                 "wrote"};
  }
  return sessions;
}

Result<std::vector<MeasuredSession>> read_windows(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    const Result<std::vector<std::filesystem::path>> entries = folder_entries(path);
    if (!entries.ok()) return entries.error();
    for (const std::filesystem::path& entry : entries.value()) {
      if (is_windows_name(entry.filename().string())) files.push_back(entry);
    }
    if (files.empty()) {
      return Error{ErrorCode::kInvalidInput,
                   path.string() + ": no windows-*.jsonl and no *.windows.jsonl in it",
                   "name a folder of measurements, such as data/h200"};
    }
  } else {
    files.push_back(path);
  }
  std::vector<MeasuredSession> out;
  for (const auto& file : files) {
    const Result<std::string> text = read_file(file);
    if (!text.ok()) return text.error();
    Result<std::vector<MeasuredSession>> parsed = parse_windows(text.value(), file.string());
    if (!parsed.ok()) return parsed.error();
    auto sessions = std::move(parsed).value();
    std::move(sessions.begin(), sessions.end(), std::back_inserter(out));
  }
  return out;
}

bool holds_windows(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return true;
  Result<LineReader> opened = LineReader::open(path, kLongestHeader);
  if (!opened.ok()) return false;
  LineReader reader = std::move(opened).value();
  if (reader.next() != LineReader::Found::kLine) return false;
  const Result<Json> json = parse_json(reader.line(), path.string());
  if (!json.ok() || !json.value().is_object()) return false;
  const auto kind = json.value().find("kind");
  return kind != json.value().end() && *kind == "header";
}

Result<Figures> figures_of(std::vector<MeasuredSession> sessions, const std::string& device) {
  Figures out;
  for (MeasuredSession& session : sessions) {
    if (session.device != device) {
      return Error{ErrorCode::kInvalidInput,
                   session.where + ": measured on \"" + session.device + "\", and this is \"" +
                       device + "\"",
                   "start a new file"};
    }
    for (MeasuredWindow& window : session.windows) {
      NodeFigures& figures = window.figures;
      const std::string key = window_key(figures.key, figures.cache, figures.is_paused);
      out.insert_or_assign(key, std::move(figures));
    }
  }
  return out;
}

}  // namespace wattree
