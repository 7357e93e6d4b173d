#include "src/report/table/suggestion_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/report/table/prediction_table.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"
#include "src/report/table/tree_table.h"

namespace wattree {

std::string suggestions_text(const Suggestions& suggestions) {
  const Prediction& now = suggestions.now;
  const BuiltModel& built = now.built;
  std::string out = fmt::format("{} of {}\n", built.class_name, built.model);
  out += prediction_headline(now.by, built.pass, pass_phrase(built)) + "\n";
  out += estimate_line(now.root(), built.pass.batch, tokens_per_item(built)) + "\n\n";
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> caveats;
  for (const Suggestion& suggestion : suggestions.savings) {
    std::string mark;
    if (!suggestion.caveat.empty()) {
      auto said = std::find(caveats.begin(), caveats.end(), suggestion.caveat);
      if (said == caveats.end()) said = caveats.insert(said, suggestion.caveat);
      mark = fmt::format(" [{}]", said - caveats.begin() + 1);
    }
    rows.push_back({suggestion.what + mark, with_any_prefix(suggestion.per_item),
                    saving_phrase(suggestion.ratio),
                    std::string(short_name_of(suggestion.provenance.basis))});
  }
  if (rows.empty()) {
    out += "Nothing that was tried saves energy.\n";
  } else {
    out += render_table({{"instead"}, {"per item", true}, {"saves"}, {"basis"}}, rows);
  }
  for (std::size_t i = 0; i < caveats.size(); ++i) {
    out += fmt::format("[{}] {}\n", i + 1, caveats[i]);
  }
  if (!suggestions.no_saving.empty()) {
    std::vector<std::string> kinds;
    for (const SuggestionKind kind : suggestions.no_saving) kinds.emplace_back(name_of(kind));
    out += "Tried without a saving: " + join(kinds) + "\n";
  }
  return out;
}

}  // namespace wattree
