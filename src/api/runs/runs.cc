#include "src/api/runs/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/api/runs/run_request.h"
#include "src/base/amounts.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostOfTrace = 2000;
constexpr std::int64_t kMostListed = 2000;

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// --- which of them ---

double order_of(const RunBrief& brief, std::string_view field) {
  const RunStatus& status = brief.status;
  if (field == "energy") return status.energy.value_or(Joules(-1)).value;
  if (field == "carbon") return status.emissions.value_or(GramsCo2e(-1)).value;
  if (field == "elapsed") return status.elapsed.value;
  if (field == "power") return status.power.value_or(Watts(-1)).value;
  return std::chrono::duration<double>(brief.begun.time_since_epoch()).count();
}

constexpr std::array<std::string_view, 6> kSortFields{"begun",  "name",    "energy",
                                                      "carbon", "elapsed", "power"};

void sort_by(const std::string& sort, std::vector<ListedRun>& runs) {
  const bool is_down = sort.starts_with('-');
  const std::string_view field = std::string_view(sort).substr(is_down ? 1 : 0);
  const auto is_before = [&](const ListedRun& a, const ListedRun& b) {
    if (field == "name") return a.brief.status.name < b.brief.status.name;
    return order_of(a.brief, field) < order_of(b.brief, field);
  };
  std::stable_sort(runs.begin(), runs.end(), [&](const ListedRun& a, const ListedRun& b) {
    return is_down ? is_before(b, a) : is_before(a, b);
  });
}

bool fits(const ListedRun& run, const RunsRequest& request) {
  const RunBrief& brief = run.brief;
  const auto& wanted = request.status;
  if (!wanted.empty() &&
      std::find(wanted.begin(), wanted.end(), brief.status.state) == wanted.end()) {
    return false;
  }
  const std::string all =
      lower_case(run.id + "\n" + brief.status.name + "\n" + brief.host + "\n" + brief.job + "\n" +
                 brief.hardware + "\n" + brief.region + "\n" + brief.command);
  return all.find(lower_case(request.words)) != std::string::npos;
}

// --- what they took together ---

void add(const RunBrief& brief, RunSums& sums) {
  const RunStatus& status = brief.status;
  ++sums.runs;
  if (is_live(status.state)) {
    ++sums.live;
    if (status.power) sums.power = sums.power.value_or(Watts()) + *status.power;
  }
  if (!status.energy) return;
  sums.basis = sums.energy ? of_sum(sums.basis, status.basis) : status.basis;
  sums.energy = sums.energy.value_or(Joules()) + *status.energy;
  if (status.emissions) {
    sums.emissions = sums.emissions.value_or(GramsCo2e()) + *status.emissions;
  } else {
    ++sums.without_emissions;
  }
}

// "267", "26.7", "2.67".
std::string three_digits_of(double number) {
  const int places = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", number, places);
}

// As the pages write figures: with a prefix and three digits.
std::string prefixed(double value, const char* unit) {
  constexpr std::array<std::pair<double, const char*>, 6> kPrefixes{
      {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}}};
  for (const auto& [factor, prefix] : kPrefixes) {
    if (value >= factor * 0.9995) return three_digits_of(value / factor) + " " + prefix + unit;
  }
  return three_digits_of(value) + " " + unit;
}

std::string count_text(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// "2 runs are live and draw 1.31 kW; today's 5 runs used 4.2 kWh and emitted 1.37 kg of CO2e."
std::string headline_of(const RunsAnswer& answer) {
  if (answer.sums.runs == 0) return "No run is known here.";
  std::string out;
  if (answer.sums.live == 0) {
    out = "No run is live";
  } else {
    out = count_text(answer.sums.live, "run") + (answer.sums.live == 1 ? " is live" : " are live");
    if (answer.sums.power) {
      out += (answer.sums.live == 1 ? " and draws " : " and draw ") +
             prefixed(answer.sums.power->value, "W");
    }
  }
  if (!answer.today.energy) return out + ".";
  out += "; today's " + count_text(answer.today.runs, "run") + " used " +
         prefixed(answer.today.energy->value / 3600, "Wh");
  if (answer.today.emissions) {
    out += " and emitted " + prefixed(answer.today.emissions->value, "g") + " of CO2e";
  }
  return out + ".";
}

void write_sums(JsonWriter& out, const char* name, const RunSums& sums) {
  out.key(name);
  out.begin_object();
  out.field("runs", static_cast<std::int64_t>(sums.runs));
  out.field("live", static_cast<std::int64_t>(sums.live));
  if (sums.power) out.field("power_w", sums.power->value);
  if (sums.energy) {
    out.field("energy_j", sums.energy->value);
    out.key("basis");
    write_json(out, sums.basis);
  }
  if (sums.emissions) out.field("carbon_gco2e", sums.emissions->value);
  if (sums.without_emissions > 0) {
    out.field("runs_without_carbon", static_cast<std::int64_t>(sums.without_emissions));
  }
  out.end_object();
}

}  // namespace

Result<RunsRequest> runs_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  RunsRequest out;
  std::vector<std::string> wanted;
  if (json.is_object() && json.contains("status") && json.at("status").is_array()) {
    wanted = fields.texts("status");
  } else if (std::string one = fields.text("status"); !one.empty()) {
    wanted.push_back(std::move(one));
  }
  for (const std::string& name : wanted) {
    const std::optional<RunState> state = parse_run_state(name);
    if (!state) {
      fields.complain("status",
                      "must be live, waiting, paused, stale, lost, ended, failed or stopped");
    }
    out.status.push_back(state.value_or(RunState::kLive));
  }
  out.words = fields.text("q");
  if (const std::string sort = fields.text("sort"); !sort.empty()) {
    const std::string_view field = std::string_view(sort).substr(sort.starts_with('-') ? 1 : 0);
    if (std::find(kSortFields.begin(), kSortFields.end(), field) == kSortFields.end()) {
      fields.complain("sort",
                      "must be begun, name, energy, carbon, elapsed or power, or one of "
                      "them after a \"-\"");
    }
    out.sort = sort;
  }
  out.points = static_cast<std::size_t>(fields.whole("points", 2, kMostOfTrace).value_or(60));
  out.offset = static_cast<std::size_t>(fields.whole("offset", 0, kMostListed).value_or(0));
  out.limit = static_cast<std::size_t>(fields.whole("limit", 1, kMostListed).value_or(200));
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<LiveRuns*> live_runs(const Services& services) {
  if (services.live != nullptr) return services.live;
  return Error{ErrorCode::kUnavailable, "nobody follows the runs of this machine here",
               "`wattree serve` does"};
}

ListedRun listed(const LiveRun& run, std::size_t points, const Services& services) {
  ListedRun out{run.id(), "", run.link(), run.brief(points)};
  if (!services.shows_private) out.brief.command.clear();
  const std::filesystem::path profile = run.entry().profile;
  if (!profile.empty() && profile.parent_path() == services.profiles) {
    out.profile = profile.stem().string();
  }
  return out;
}

Result<RunsAnswer> runs(const RunsRequest& request, const Services& services) {
  const Result<LiveRuns*> live = live_runs(services);
  if (!live.ok()) return live.error();
  using Days = std::chrono::days;
  const auto midnight = std::chrono::floor<Days>(
      std::chrono::sys_seconds(std::chrono::seconds(services.seconds_since_1970())));
  RunsAnswer out;
  for (const std::shared_ptr<LiveRun>& run : live.value()->list()) {
    ListedRun entry = listed(*run, request.points, services);
    if (!fits(entry, request)) continue;
    add(entry.brief, out.sums);
    if (entry.brief.begun >= midnight || !is_over(entry.brief.status.state)) {
      add(entry.brief, out.today);
    }
    out.runs.push_back(std::move(entry));
  }
  sort_by(request.sort, out.runs);
  const auto begin = static_cast<std::ptrdiff_t>(std::min(request.offset, out.runs.size()));
  out.runs.erase(out.runs.begin(), out.runs.begin() + begin);
  out.runs.resize(std::min(out.runs.size(), request.limit));
  out.headline = headline_of(out);
  return out;
}

void write_listed(JsonWriter& out, const ListedRun& run) {
  out.field("id", run.id);
  if (!run.profile.empty()) out.field("profile", run.profile);
  if (!run.link.empty()) out.field("link", run.link);
  write_brief(out, run.brief);
}

std::string to_json(const RunsAnswer& answer) {
  JsonWriter out;
  out.begin_object();
  out.field("headline", answer.headline);
  write_sums(out, "sums", answer.sums);
  write_sums(out, "today", answer.today);
  out.key("runs");
  out.begin_array();
  for (const ListedRun& run : answer.runs) {
    out.begin_object();
    write_listed(out, run);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

Result<PauseAnswer> pause_run(const PauseRequest& request, const Services& services) {
  const Result<LiveRuns*> live = live_runs(services);
  if (!live.ok()) return live.error();
  const Result<ControlAnswer> answer = live.value()->set_paused(request.id, request.is_paused);
  if (!answer.ok()) return answer.error();
  return PauseAnswer{request.id, answer.value().pause == PauseState::kStanding ? RunState::kPaused
                                 : answer.value().pause == PauseState::kAsked  ? RunState::kWaiting
                                                                               : RunState::kLive};
}

std::string to_json(const PauseAnswer& answer) {
  JsonWriter out;
  out.begin_object();
  out.field("id", answer.id);
  out.field("status", name_of(answer.state));
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
