#include "src/runs/live/run_registry.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "wattree-run";
constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMost = std::int64_t{1} << 62;
constexpr std::size_t kMostIdLength = 200;
constexpr std::uint64_t kMostBytes = 1 << 20;

fs::path entry_path(const fs::path& folder, const std::string& id) {
  return folder / (id + ".json");
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Field 22 of /proc/PID/stat, after a name that may have anything in it; 0 where there is none.
std::int64_t begun_ticks(std::int64_t process, const fs::path& proc_root) {
  const std::string stat = first_line(proc_root / std::to_string(process) / "stat");
  std::size_t at = stat.rfind(')');
  if (at == std::string::npos) return 0;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  if (at == std::string::npos) return 0;
  std::int64_t out = 0;
  std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), out);
  return out;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Result<RunEntry> parse_entry(std::string_view text, const std::string& origin) {
  const Result<nlohmann::json> json = parse_json(text, origin);
  if (!json.ok()) return json.error();
  Status failure;
  JsonFields fields(json.value(), "", origin, failure);
  if (fields.text("format", true) != kFormat) fields.complain("format", "is another one");
  if (fields.whole("version", 1, kMost, true).value_or(kVersion) != kVersion) {
    fields.complain("version", "is newer than this wattree");
  }
  RunEntry out;
  out.id = fields.text("id", true);
  out.name = fields.text("name");
  out.journal = fields.text("journal");
  out.socket = fields.text("socket");
  out.profile = fields.text("profile");
  out.tracker = {fields.whole("process", 0, kMost, true).value_or(0),
                 fields.whole("process_begun_ticks", 0, kMost).value_or(0), fields.text("boot"),
                 fields.text("host")};
  if (const auto* brief = fields.object("run")) {
    JsonFields below = fields.below(*brief, "run");
    out.brief = read_brief(below);
  }
  if (!failure.ok()) return failure.error();
  return out;
}

}  // namespace

ProcessMark mark_of(std::int64_t process, const fs::path& proc_root) {
  return {process, begun_ticks(process, proc_root),
          first_line(proc_root / "sys/kernel/random/boot_id"), host_name()};
}

std::optional<bool> is_running(const ProcessMark& mark, const fs::path& proc_root) {
  if (mark.host != host_name()) return std::nullopt;
  if (mark.boot != first_line(proc_root / "sys/kernel/random/boot_id")) return false;
  const std::int64_t ticks = begun_ticks(mark.process, proc_root);
  return ticks != 0 && ticks == mark.begun_ticks;
}

std::string run_id(const fs::path& journal) { return journal.stem().string(); }

bool is_run_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostIdLength && id.front() != '.' &&
         std::all_of(id.begin(), id.end(),
                     [](unsigned char c) { return c > ' ' && c != '/' && c != '\\' && c != 0x7f; });
}

Status write_run_entry(const fs::path& folder, const RunEntry& entry) {
  JsonWriter out(1);
  out.begin_object();
  out.field("format", kFormat);
  out.field("version", kVersion);
  out.field("id", entry.id);
  out.field("name", entry.name);
  out.field("process", entry.tracker.process);
  out.field("process_begun_ticks", entry.tracker.begun_ticks);
  out.field("boot", entry.tracker.boot);
  out.field("host", entry.tracker.host);
  for (const auto& [name, path] : {std::pair{"journal", &entry.journal},
                                   {"socket", &entry.socket},
                                   {"profile", &entry.profile}}) {
    if (!path->empty()) out.field(name, path->string());
  }
  if (entry.brief) {
    out.key("run");
    out.begin_object();
    write_brief(out, *entry.brief);
    out.end_object();
  }
  out.end_object();
  (void)make_private_folder(folder);  // Without it, the file says what is wrong.
  return write_file(entry_path(folder, entry.id), out.take() + "\n", {.is_private = true});
}

Result<RunEntry> read_run_entry(const fs::path& folder, const std::string& id) {
  if (!is_run_id(id)) return Error{ErrorCode::kInvalidInput, "this is no run's id", ""};
  const fs::path path = entry_path(folder, id);
  const Result<std::string> text = read_file(path, kMostBytes);
  if (!text.ok()) return text.error();
  Result<RunEntry> entry = parse_entry(text.value(), path.string());
  if (entry.ok() && entry.value().id != id) {
    return Error{ErrorCode::kInvalidInput, path.string() + " is the entry of another run", ""};
  }
  return entry;
}

Status remove_run_entry(const fs::path& folder, const std::string& id) {
  std::error_code error;
  if (is_run_id(id)) fs::remove(entry_path(folder, id), error);
  if (error) return Error{ErrorCode::kInternal, "the run's entry cannot be removed", ""};
  return {};
}

std::vector<std::string> list_run_entries(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const fs::path& path = file->path();
    if (path.extension() == ".json" && is_run_id(path.stem().string())) {
      out.push_back(path.stem().string());
    }
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

}  // namespace wattree
