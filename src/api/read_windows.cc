#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "src/api/measure_session.h"
#include "src/base/file.h"
#include "src/base/json_parse.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

std::string text(const Json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}
std::optional<double> number(const Json& record, const char* name) {
  const auto found = record.find(name);
  if (found == record.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}
bool truth(const Json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_boolean() && found->get<bool>();
}

std::optional<CacheState> parse_cache(std::string_view name) {
  for (const CacheState cache :
       {CacheState::kNatural, CacheState::kCold, CacheState::kInPlace, CacheState::kWarm}) {
    if (name_of(cache) == name) return cache;
  }
  return std::nullopt;
}

// Nothing where it is no window that this program has written.
std::optional<NodeFigures> figures_of(const Json& record) {
  NodeFigures out;
  out.key = text(record, "node");
  const auto cache = parse_cache(text(record, "cache"));
  const auto time = number(record, "time_s");
  if (out.key.empty() || !cache || !time || *time <= 0 || !std::isfinite(*time)) {
    return std::nullopt;
  }
  out.cache = *cache;
  out.is_paused = record.contains("pauses");
  out.execution = text(record, "execution") == "graph" ? Execution::kGraph : Execution::kEager;
  out.energy_j = number(record, out.is_paused ? "node_energy_j" : "energy_j");
  out.time_s = out.is_paused ? number(record, "node_time_s").value_or(*time) : *time;
  out.idle_j = number(record, "idle_j");
  out.relative_error = number(record, "relative_error").value_or(0);
  out.drift = number(record, "drift").value_or(0);
  out.is_capped = truth(record, "is_capped");
  out.is_settled = truth(record, "is_settled");
  Resources& r = out.resources;
  r.cpu_percent = number(record, "cpu_percent");
  r.own_cpu_percent = number(record, "own_cpu_percent");
  r.ram_percent = number(record, "ram_percent");
  r.gpu_percent = number(record, "gpu_percent");
  r.gpu_memory_percent = number(record, "gpu_memory_percent");
  r.sm_clock_mhz = number(record, "sm_clock_mhz");
  r.memory_clock_mhz = number(record, "memory_clock_mhz");
  r.temperature_c = number(record, "temperature_c");
  r.sampled_power_w = number(record, "sampled_power_w");
  r.samples = static_cast<int>(std::clamp(number(record, "samples").value_or(0), 0.0, 1e9));
  if (const auto doubts = record.find("doubts"); doubts != record.end() && doubts->is_array()) {
    for (const Json& doubt : *doubts) {
      if (doubt.is_string()) out.doubts.push_back(doubt.get<std::string>());
    }
  }
  return out;
}

}  // namespace

Result<Figures> parse_windows(std::string_view lines, const std::string& origin,
                              const DeviceFacts& device) {
  struct Window {
    std::string session;
    double block;
    NodeFigures figures;
  };
  std::vector<Window> windows;
  std::set<std::pair<std::string, double>> discarded;
  bool is_gpu = false;
  std::size_t number_of_line = 0;
  // A last line without its end was cut short when the program was killed: it is passed over.
  for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    const std::string where = origin + ":" + std::to_string(++number_of_line);
    if (line.empty()) continue;
    const Result<Json> parsed = parse_json(line, where);
    if (!parsed.ok()) return parsed.error();
    const Json& record = parsed.value();
    if (!record.is_object() || text(record, "kind").empty()) {
      return Error{ErrorCode::kInvalidInput, where + ": no record of a measuring session",
                   "give the file that profile wrote beside its dataset"};
    }
    const std::string kind = text(record, "kind");
    const double block = number(record, "block").value_or(0);
    if (kind == "header") {
      const std::string name = text(record, device.kind == "cpu" ? "device_name" : "gpu");
      is_gpu = text(record, "boundary") == "gpu";
      if (name != device.name) {
        return Error{ErrorCode::kInvalidInput,
                     where + ": measured on \"" + name + "\", and this is \"" + device.name + "\"",
                     "start a new file"};
      }
    } else if (kind == "verdict" && !truth(record, "is_good")) {
      discarded.emplace(text(record, "session"), block);
    } else if (kind == "window") {
      std::optional<NodeFigures> figures = figures_of(record);
      if (!figures) {
        return Error{ErrorCode::kInvalidInput, where + ": a window without node, cache or time_s",
                     ""};
      }
      if (is_gpu) figures->gpu_energy_j = figures->energy_j;
      windows.push_back({text(record, "session"), block, std::move(*figures)});
    }
  }
  Figures out;
  for (Window& window : windows) {
    if (discarded.count({window.session, window.block}) > 0) continue;
    NodeFigures& f = window.figures;
    std::string key = window_key(f.key, f.cache, f.is_paused);
    out.insert_or_assign(std::move(key), std::move(f));
  }
  return out;
}

Result<Figures> read_windows(const std::filesystem::path& path, const DeviceFacts& device) {
  const Result<std::string> text = read_file(path);
  if (!text.ok()) return text.error();
  return parse_windows(text.value(), path.string(), device);
}

}  // namespace wattree
