#include "src/kernels/window.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/json_parse.h"
#include "src/base/line_reader.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestLine = std::size_t{4} << 20;

// Fields of a line, with the first thing that is wrong kept.
class Line {
 public:
  Line(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  bool has(const char* name) const { return json_.contains(name) && !json_.at(name).is_null(); }
  std::string text(const char* name, bool is_needed = true) {
    if (!has(name)) {
      if (is_needed) fail(name, "is missing");
      return {};
    }
    if (!json_.at(name).is_string()) {
      fail(name, "must be text");
      return {};
    }
    return json_.at(name).get<std::string>();
  }
  double number(const char* name, bool is_needed = true) {
    if (!has(name)) {
      if (is_needed) fail(name, "is missing");
      return 0;
    }
    const Json& value = json_.at(name);
    const double x = value.is_number() ? value.get<double>() : -1;
    if (!(x >= 0 && x <= 1e15)) {
      fail(name, "must be a number that is not negative");
      return 0;
    }
    return x;
  }
  // A size: 0 where it is absent.
  std::int64_t count(const char* name) { return static_cast<std::int64_t>(number(name, false)); }
  bool flag(const char* name) const {
    return has(name) && json_.at(name).is_boolean() && json_.at(name).get<bool>();
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> out;
    if (!has(name)) return out;
    const Json& list = json_.at(name);
    if (!list.is_array() ||
        !std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_string(); })) {
      fail(name, "must be an array of texts");
      return out;
    }
    for (const Json& item : list) out.push_back(item.get<std::string>());
    return out;
  }
  std::vector<std::pair<std::string, std::string>> settings(const char* name) {
    std::vector<std::pair<std::string, std::string>> out;
    if (!has(name)) return out;
    if (!json_.at(name).is_object()) {
      fail(name, "must be an object");
      return out;
    }
    for (const auto& [key, value] : json_.at(name).items()) {
      out.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return out;
  }
  void fail(const std::string& name, const std::string& what) {
    if (!failure) {
      failure = Error{ErrorCode::kInvalidInput, where_ + ": " + name + " " + what,
                      "docs/schemas/h200-window.schema.json describes these files"};
    }
  }

  Failure failure;

 private:
  const Json& json_;
  std::string where_;
};

Window window_of(Line& line) {
  Window w;
  w.key = line.text("key");
  w.subject = line.text("subject");
  w.model = line.text("model", false);
  w.family = line.text("family", false);
  w.overrides = line.settings("overrides");
  w.dtype = line.text("dtype");
  w.attention = line.text("attention", false);
  w.batch = line.count("batch_size");
  w.seq = line.count("seq_len");
  w.past = line.count("past");
  w.source_len = line.count("source_len");
  w.scope = line.text("scope", false);
  w.type = line.text("type");
  w.op = line.text("op", false);
  w.inputs = line.texts("inputs");
  w.outputs = line.texts("outputs");
  w.execution = line.text("execution");
  w.cache = line.text("cache");
  const bool has_pauses = line.has("pauses");
  w.energy_j = line.number(has_pauses ? "node_energy_j" : "energy_j");
  w.time_s = line.number(has_pauses ? "node_time_s" : "time_s");
  w.is_capped = line.flag("is_capped") && !has_pauses;
  return w;
}

// Zeros and sparse values take less; they are there to show it, not to learn from.
bool has_usual_values(Line& line) { return !line.has("values") || line.text("values") == "normal"; }

Failure read_file(const std::filesystem::path& path, Session& session) {
  Result<LineReader> opened = LineReader::open(path, kLongestLine);
  if (!opened.ok()) return opened.error();
  LineReader reader = std::move(opened).value();
  bool has_header = false;
  for (;;) {
    const LineReader::Status status = reader.next();
    if (status == LineReader::Status::kEnd) break;
    if (status == LineReader::Status::kFailed) return reader.failure();
    const std::string where = path.string() + ":" + std::to_string(reader.number());
    if (status == LineReader::Status::kTooLong) {
      return Error{ErrorCode::kInvalidInput, where + ": longer than 4 MiB", ""};
    }
    if (reader.line().empty()) continue;
    const Result<Json> json = parse_json(reader.line(), where);
    if (!json.ok()) return json.error();
    if (!json.value().is_object()) {
      return Error{ErrorCode::kInvalidInput, where + ": not a JSON object", ""};
    }
    Line line(json.value(), where);
    const std::string kind = line.text("kind");
    if (kind == "header") {
      has_header = true;
      session.hardware = line.text("gpu");
      session.power_limit_w = line.number("power_limit_w", false);
      session.idle_power_w = line.number("idle_power_w", false);
      session.anchor_energy_j = line.number("anchor_energy_j", false);
      session.cache_bytes = line.number("cache_bytes", false);
    } else if (kind == "window") {
      if (line.has("doubts") || !has_usual_values(line)) {
        ++session.left_out;
      } else {
        session.windows.push_back(window_of(line));
      }
    }
    if (line.failure) return line.failure;
  }
  if (!has_header) {
    return Error{ErrorCode::kInvalidInput, path.string() + ": has no header of a session",
                 "a file as tools/measure_dataset.py or wattree calibrate writes it is expected"};
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<Session>> read_sessions(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("windows-") && name.ends_with(".jsonl")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
      return Error{ErrorCode::kInvalidInput, path.string() + ": no windows-*.jsonl in it",
                   "name a folder of measurements, such as data/h200"};
    }
  } else {
    files.push_back(path);
  }
  std::vector<Session> sessions;
  for (const auto& file : files) {
    Session session;
    if (Failure failure = read_file(file, session)) return *failure;
    sessions.push_back(std::move(session));
  }
  return sessions;
}

bool holds_windows(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return true;
  Result<LineReader> opened = LineReader::open(path, kLongestLine);
  if (!opened.ok()) return false;
  LineReader reader = std::move(opened).value();
  if (reader.next() != LineReader::Status::kLine) return false;
  const Result<Json> json = parse_json(reader.line(), path.string());
  if (!json.ok() || !json.value().is_object()) return false;
  const auto kind = json.value().find("kind");
  return kind != json.value().end() && *kind == "header";
}

}  // namespace wattree
