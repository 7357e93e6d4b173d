#include "src/predict/fit/shipped_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "src/base/csv.h"
#include "src/base/text.h"
#include "src/measure/shipped/shipped_nodes.h"
#include "src/measure/windows/read_windows.h"
#include "src/predict/fit/train_kernels.h"

namespace wattree {
namespace {

// A window, and the card that it was measured on.
struct CardWindow {
  MeasuredWindow window;
  std::string card;
  bool has_doubts() const { return !window.figures.doubts.empty(); }
};
using CardWindows = std::vector<const CardWindow*>;

// The work, whether in TF32, and how it was launched.
using RowKey = std::tuple<std::uint64_t, bool, Execution>;

bool is_usual(const MeasuredWindow& window) {
  return (window.values.empty() || window.values == "normal") &&
         window.figures.cache != CacheState::kWarm &&
         window.figures.energy.value_or(Joules()) > Joules();
}

// Those for which `is_better` holds, where there are any, or else all.
template <class Predicate>
CardWindows prefer(const CardWindows& windows, Predicate is_better) {
  CardWindows out;
  std::copy_if(windows.begin(), windows.end(), std::back_inserter(out), is_better);
  return out.empty() ? windows : out;
}

CardWindows in_place(const CardWindows& all) {
  CardWindows out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [](const CardWindow* w) { return w->window.figures.cache != CacheState::kCold; });
  out = prefer(out, [](const CardWindow* w) { return !w->has_doubts(); });
  // With pauses a kernel has the clock that it has within a pass.
  return prefer(out, [](const CardWindow* w) { return w->window.figures.is_paused; });
}

CardWindows alone(const CardWindows& all) {
  CardWindows out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [](const CardWindow* w) { return w->window.figures.cache == CacheState::kCold; });
  out = prefer(out, [](const CardWindow* w) { return !w->has_doubts(); });
  return prefer(out, [](const CardWindow* w) { return !w->window.figures.is_paused; });
}

template <class Value>
double mean_of(const CardWindows& windows, Value value) {
  double sum = 0;
  for (const CardWindow* w : windows) sum += value(w->window.figures);
  return sum / static_cast<double>(windows.size());
}

// energy_j,time_s,relative_error,windows,cards,doubts
std::string figures_text(const CardWindows& windows) {
  if (windows.empty()) return ",,,,,";
  const double energy = mean_of(windows, [](const NodeFigures& f) { return f.energy->value; });
  const double time = mean_of(windows, [](const NodeFigures& f) { return f.time.value; });
  double error = 0;
  std::set<std::string> cards;
  std::set<std::string> doubts;
  for (const CardWindow* w : windows) {
    const NodeFigures& f = w->window.figures;
    error = std::max({error, f.relative_error, std::abs(f.energy->value / energy - 1)});
    cards.insert(w->card);
    doubts.insert(f.doubts.begin(), f.doubts.end());
  }
  return fmt::format("{:.5g},{:.5g},{:.2g},{},{},{}", energy, time, error, windows.size(),
                     cards.size(), csv_field(join({doubts.begin(), doubts.end()}, "; ")));
}

// ",12.2": the mean over the windows that have it; "," where none has.
std::string mean_text(const CardWindows& windows, std::optional<double> Resources::*figure) {
  double sum = 0;
  double count = 0;
  for (const CardWindow* w : windows) {
    if (const auto& value = w->window.figures.resources.*figure) {
      sum += *value;
      count += 1;
    }
  }
  return count > 0 ? fmt::format(",{:.4g}", sum / count) : ",";
}

std::string row_text(const RowKey& key, const CardWindows& all) {
  const auto& [work, is_tf32, execution] = key;
  const CardWindows placed = in_place(all);
  const CardWindows by_itself = alone(all);
  const CardWindows& seen = placed.empty() ? by_itself : placed;
  std::string out = fmt::format("{:016x},{},{},{},{}", work, is_tf32 ? "tf32" : "",
                                name_of(execution), figures_text(placed), figures_text(by_itself));
  for (const auto figure :
       {&Resources::cpu_percent, &Resources::ram_percent, &Resources::gpu_percent,
        &Resources::gpu_memory_percent, &Resources::sm_clock_mhz, &Resources::memory_clock_mhz}) {
    out += mean_text(seen, figure);
  }
  return out + "\n";
}

Status read_folder(const std::filesystem::path& folder, std::vector<MeasuredSession>& out) {
  std::vector<std::filesystem::path> paths{folder};
  std::error_code ignored;  // A folder that cannot be read is an error below.
  if (std::filesystem::exists(folder / "tf32.jsonl", ignored)) {
    paths.push_back(folder / "tf32.jsonl");
  }
  for (const std::filesystem::path& path : paths) {
    Result<std::vector<MeasuredSession>> sessions = read_windows(path);
    if (!sessions.ok()) return sessions.error();
    for (MeasuredSession session : std::move(sessions).value()) {
      if (session.device != kShippedDevice) {
        return Error{ErrorCode::kInvalidInput,
                     session.where + ": measured on " + session.device + ", not on " +
                         std::string(kShippedDevice),
                     ""};
      }
      session.card = folder.filename().string() + "/" + session.card;
      out.push_back(std::move(session));
    }
  }
  return {};
}

}  // namespace

Result<ShippedTable> shipped_table(const std::vector<std::filesystem::path>& folders) {
  std::vector<MeasuredSession> sessions;
  for (const std::filesystem::path& folder : folders) {
    if (const Status failure = read_folder(folder, sessions); !failure.ok()) return failure.error();
  }
  ShippedTable out;
  std::map<RowKey, std::vector<CardWindow>> rows;
  for (const MeasuredSession& session : sessions) {
    for (const MeasuredWindow& window : session.windows) {
      if (!is_usual(window)) continue;
      const Result<std::uint64_t> work = work_hash(session, window, build_pass);
      if (!work.ok()) {
        out.problems.push_back(work.error().message);
        continue;
      }
      rows[{work.value(), window.pass.dtype == "tf32", window.figures.execution}].push_back(
          {window, session.card});
    }
  }
  out.csv =
      "work,precision,execution,energy_j,time_s,relative_error,windows,cards,doubts,"
      "alone_energy_j,alone_time_s,alone_relative_error,alone_windows,alone_cards,alone_doubts,"
      "cpu_percent,ram_percent,gpu_percent,gpu_memory_percent,sm_clock_mhz,memory_clock_mhz\n";
  for (const auto& [key, windows] : rows) {
    CardWindows all;
    for (const CardWindow& window : windows) all.push_back(&window);
    out.csv += row_text(key, all);
  }
  return out;
}

}  // namespace wattree
