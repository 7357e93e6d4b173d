#include "src/api/model/request_texts.h"

#include "src/base/csv.h"

namespace wattree {

Result<std::pair<std::string, std::string>> parse_set(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Error{ErrorCode::kInvalidInput,
                 "<set> needs key=value, not \"" + std::string(text) + "\"", "", "set"};
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Result<TreeView> parse_view(std::string_view level, std::optional<int> depth, Level otherwise) {
  TreeView view;
  view.level = otherwise;
  view.depth = depth;
  if (depth && *depth < 0) {
    return Error{ErrorCode::kInvalidInput, "<depth> is " + std::to_string(*depth),
                 "give the number of levels to show: 0 or more", "depth"};
  }
  if (level.empty()) return view;
  const std::optional<Level> parsed = parse_level(level);
  if (!parsed) {
    return Error{ErrorCode::kInvalidInput, "level \"" + std::string(level) + "\" is not known",
                 "choose model, module, ml or math", "level"};
  }
  view.level = *parsed;
  return view;
}

Result<double> parse_limit(std::string_view text) {
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  const std::optional<double> percent = parse_number(number);
  if (percent && *percent >= 0) return *percent / 100;
  return Error{ErrorCode::kInvalidInput,
               "<fail_above> needs a percentage of 0 or more, not \"" + std::string(text) + "\"",
               "for example <fail_above> 3%", "fail_above"};
}

}  // namespace wattree
