#include "src/base/text.h"

#include <algorithm>
#include <numeric>

namespace wattree {
namespace {

// Levenshtein: insertions, deletions and substitutions between two words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest(std::string_view word,
                                 const std::vector<std::string_view>& candidates,
                                 std::size_t at_most) {
  word = word.substr(0, 100);  // Bounds the work on hostile input.
  std::vector<std::pair<std::size_t, std::string_view>> scored;
  for (std::string_view candidate : candidates) {
    std::size_t distance = edit_distance(word, candidate);
    // A name inside another is close, however long the rest, and closest where it is the beginning:
    // "bert" in "bert-base-uncased" and in "albert-base-v2".
    if (word.size() >= 3 && candidate.find(word) != std::string_view::npos) {
      distance = std::min<std::size_t>(distance, candidate.starts_with(word) ? 1 : 2);
    }
    // Two letters of three are another word.
    if (distance <= (word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3)))
      scored.emplace_back(distance, candidate);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (const auto& [distance, candidate] : scored) {
    if (out.size() == at_most) break;
    out.emplace_back(candidate);
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end > 0) out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

std::string in_words(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace wattree
