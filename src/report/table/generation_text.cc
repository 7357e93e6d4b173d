#include "src/report/table/generation_text.h"

#include <fmt/format.h>

#include "src/report/table/memory_text.h"
#include "src/report/table/prediction_table.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"
#include "src/report/table/tree_table.h"

namespace wattree {

std::string generation_text(const Generation& generation) {
  const BuiltModel& answer = generation.prefill.built;
  const double items = static_cast<double>(answer.pass.batch);
  const bool has_times = generation.prefill.has_times();
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string name, std::int64_t passes, const PassEstimate& e,
                       std::optional<std::int64_t> tokens) {
    const Joules per_item = e.energy_per(items);
    const auto power = e.power();
    rows.push_back(
        {std::move(name), std::to_string(passes), has_times ? with_any_prefix(e.time) : "–",
         has_times ? plus_minus(e.time_spread()) : "", with_any_prefix(e.energy),
         plus_minus(e.energy_spread()), power ? with_any_prefix(power->value, "W") : "–",
         with_any_prefix(per_item),
         tokens ? with_any_prefix(Joules(per_item.value / static_cast<double>(*tokens))) : "–",
         basis_text(generation.prefill.by)});
  };
  add("prefill", 1, generation.prefill.root(), tokens_per_item(answer));
  add("decode", generation.steps, generation.decode, generation.steps);
  add("request", generation.steps + 1, generation.request(), generation.steps);

  std::string out =
      misfit_line(generation.memory, "the request", generation.prefill.by.predictor->hardware);
  out += fmt::format("{} of {}\n", answer.class_name, answer.model);
  out += prediction_headline(
      generation.prefill.by, answer.pass,
      fmt::format("request: a {} and {} decode steps", pass_phrase(answer), generation.steps));
  out += "\n" + memory_line(generation.memory) + "\n\n";
  out += render_table({{"phase"},
                       {"passes", true},
                       {"time", true},
                       {"90 %", true},
                       {"energy", true},
                       {"90 %", true},
                       {"power", true},
                       {"per request", true},
                       {"per token", true},
                       {"basis"}},
                      rows);
  out += "Per token: of the prompt in prefill, generated ones in decode and in the request.\n";
  if (has_times) {
    out += fmt::format("A token every {} ({} over {} cached tokens, {} over {})\n",
                       with_any_prefix(Seconds(generation.decode.time.value /
                                               static_cast<double>(generation.steps))),
                       with_any_prefix(generation.first.estimate.time), generation.first.past,
                       with_any_prefix(generation.last.estimate.time), generation.last.past);
  }
  if (generation.predicted_steps != generation.steps) {
    out += fmt::format(
        "{} of the {} steps were predicted, evenly spread; each stands for those around it.\n",
        generation.predicted_steps, generation.steps);
  }
  if (!generation.better_class.empty()) {
    out += fmt::format("{} has no language-model head: <as> {} counts it too.\n", answer.class_name,
                       generation.better_class);
  }
  return out;
}

}  // namespace wattree
