#include "src/predict/estimate/leaderboard.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <variant>

#include "src/base/si_prefix.h"
#include "src/base/thread.h"

namespace wattree {
namespace {

constexpr std::string_view kPerNames[] = {"item", "token", "pass"};
constexpr std::size_t kModelsPerThread = 12;
constexpr unsigned kMostThreads = 4;

std::optional<PassEstimate> unit_of(const Prediction& prediction, Per per) {
  const PassEstimate pass = prediction.root();
  const double items = static_cast<double>(prediction.built.pass.batch);
  switch (per) {
    case Per::kPass: return pass;
    case Per::kItem: return pass * (1 / items);
    case Per::kToken: break;
  }
  const auto tokens = tokens_per_item(prediction.built);
  if (!tokens) return std::nullopt;
  return pass * (1 / (items * static_cast<double>(*tokens)));
}

// A row, or why there is none; neither where the model was not asked for.
using Entry = std::variant<std::monostate, LeaderboardRow, Leaderboard::LeftOut>;

Entry entry_of(const LeaderboardQuery& query, const NamedModel& model) {
  Result<BuiltModel> built =
      build_model(model.name, model.text.json, model.text.origin, query.pass);
  if (!built.ok()) return Leaderboard::LeftOut{model.name, built.error().message};
  LeaderboardRow row;
  row.model_type = built.value().model_type;
  if (const Family* family = find_family(row.model_type)) row.kind = kind_of(*family);
  if ((query.kind && row.kind != *query.kind) ||
      (!query.family.empty() && row.model_type != query.family)) {
    return {};
  }
  const Result<Prediction> predicted = predict(std::move(built).value(), query.by);
  if (!predicted.ok()) return Leaderboard::LeftOut{model.name, predicted.error().message};
  const Prediction& prediction = predicted.value();
  row.model = model.name;
  row.class_name = prediction.built.class_name;
  row.params = prediction.built.tree.root().params;
  row.dtype = name_of(prediction.built.pass.precision);
  row.pass = prediction.root();
  row.unit = unit_of(prediction, query.per);
  row.memory = prediction.memory;
  if (!query.task.empty()) row.score = find_score(model.name, query.task);
  row.meets_budgets = row.memory.fits();
  if (query.most_energy) {
    row.meets_budgets = row.meets_budgets && row.unit && row.unit->energy <= *query.most_energy;
  }
  if (query.most_time) {
    row.meets_budgets = row.meets_budgets && row.pass.time <= *query.most_time;
  }
  return row;
}

std::vector<Entry> entries_of(const LeaderboardQuery& query) {
  std::vector<Entry> out(query.models.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < out.size(); i = next++) {
      const NamedModel& model = query.models[i];
      attempt([&] {  // Without memory even for saying why, a row is missing.
        try {
          out[i] = entry_of(query, model);
        } catch (const std::exception& error) {
          out[i] = Leaderboard::LeftOut{model.name, error.what()};
        }
      });
    }
  };
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads =
      std::min<std::size_t>({cores, kMostThreads, 1 + out.size() / kModelsPerThread});
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    Result<std::jthread> other = start_thread("the leaderboard", work);
    if (!other.ok()) break;  // Those that there are do all of it.
    others.push_back(std::move(other).value());
  }
  work();
  others.clear();  // Waits for them.
  return out;
}

// Marks rows that no other one is at least as good as in `merit` (more is better) for less energy.
template <class Merit>
void mark_front(std::vector<LeaderboardRow>& rows, Merit merit, bool LeaderboardRow::*mark) {
  for (LeaderboardRow& row : rows) {
    const std::optional<double> own = merit(row);
    if (!own || !row.unit || !row.memory.fits()) continue;
    row.*mark = std::none_of(rows.begin(), rows.end(), [&](const LeaderboardRow& other) {
      const std::optional<double> theirs = merit(other);
      if (!theirs || !other.unit || !other.memory.fits()) return false;
      const bool is_no_worse = *theirs >= *own && other.unit->energy <= row.unit->energy;
      return is_no_worse && (*theirs > *own || other.unit->energy < row.unit->energy);
    });
  }
}

std::string headline_of(const LeaderboardQuery& query, const std::vector<LeaderboardRow>& rows) {
  std::vector<const LeaderboardRow*> shown;
  const bool has_budgets = query.most_energy || query.most_time;
  for (const LeaderboardRow& row : rows) {
    if (row.unit && row.memory.fits() && (!has_budgets || row.meets_budgets)) shown.push_back(&row);
  }
  const std::string per = " per " + std::string(name_of(query.per));
  const auto amount = [](const LeaderboardRow& row) {
    return with_si_prefix(row.unit->energy.value, "J");
  };
  if (shown.empty()) {
    return has_budgets ? "No model meets the budgets." : "No model can run such a pass.";
  }
  const LeaderboardRow& least = *shown.front();
  if (has_budgets) {
    const LeaderboardRow& largest =
        **std::max_element(shown.begin(), shown.end(),
                           [](const auto* a, const auto* b) { return a->params < b->params; });
    return std::to_string(shown.size()) + " of " + std::to_string(rows.size()) +
           " models meet the budgets; the largest of them is " + largest.model + " with " +
           amount(largest) + per + ", and " + least.model + " takes least, " + amount(least) + ".";
  }
  const LeaderboardRow& most = *shown.back();
  return "From " + amount(least) + per + " (" + least.model + ") to " + amount(most) + " (" +
         most.model + "): " + std::to_string(shown.size()) + " models.";
}

}  // namespace

std::string_view name_of(Per per) { return kPerNames[static_cast<std::size_t>(per)]; }

std::optional<Per> parse_per(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kPerNames); ++i) {
    if (kPerNames[i] == text) return static_cast<Per>(i);
  }
  return std::nullopt;
}

Leaderboard leaderboard(const LeaderboardQuery& query) {
  Leaderboard out;
  for (Entry& entry : entries_of(query)) {
    if (auto* row = std::get_if<LeaderboardRow>(&entry)) out.rows.push_back(std::move(*row));
    if (auto* why = std::get_if<Leaderboard::LeftOut>(&entry)) {
      out.left_out.push_back(std::move(*why));
    }
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const LeaderboardRow& a, const LeaderboardRow& b) {
                     if (!a.unit || !b.unit) return a.unit.has_value() && !b.unit.has_value();
                     return a.unit->energy < b.unit->energy;
                   });
  using Merit = std::optional<double>;
  mark_front(
      out.rows, [](const LeaderboardRow& r) -> Merit { return static_cast<double>(r.params); },
      &LeaderboardRow::is_on_params_front);
  mark_front(
      out.rows,
      [](const LeaderboardRow& r) -> Merit {
        if (!(r.pass.time > Seconds())) return std::nullopt;
        return -r.pass.time.value;
      },
      &LeaderboardRow::is_on_time_front);
  mark_front(
      out.rows,
      [](const LeaderboardRow& r) -> Merit {
        if (r.score == nullptr) return std::nullopt;
        return r.score->value;
      },
      &LeaderboardRow::is_on_score_front);
  out.headline = headline_of(query, out.rows);
  return out;
}

}  // namespace wattree
