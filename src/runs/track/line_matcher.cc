#include "src/runs/track/line_matcher.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace wattree {
namespace {

constexpr std::size_t kMostOfALine = 4096;
constexpr int kMostGroups = 10;
constexpr std::string_view kLineEnds = "\n\r";
// The usual ones of logs, most frequent first. What is not among them is rarer than all of them.
constexpr std::string_view kFrequent = " e0taoins.1r2,lhd:3u4c5m6/7f8=9p-gwybv_k[]()%|";

std::size_t rarest_of(std::string_view text) {
  const auto rarity = [](char c) { return std::min(kFrequent.find(c), kFrequent.size()); };
  const auto found = std::max_element(text.begin(), text.end(),
                                      [&](char a, char b) { return rarity(a) < rarity(b); });
  return static_cast<std::size_t>(found - text.begin());
}

// As egrep reads a pattern, and finds the longest of the first matches; \d, \w, \s and \b are
// known, too. Bytes are bytes: output need not be UTF-8.
RE2::Options options() {
  RE2::Options out(RE2::POSIX);
  out.set_posix_syntax(true);
  out.set_longest_match(true);
  out.set_perl_classes(true);
  out.set_word_boundary(true);
  out.set_one_line(false);
  out.set_encoding(RE2::Options::EncodingLatin1);
  out.set_log_errors(false);
  return out;
}

}  // namespace

struct LineMatcher::Compiled {
  explicit Compiled(const std::string& pattern) : regex(pattern, options()) {}
  RE2 regex;
};

std::string required_text(std::string_view pattern) {
  if (pattern.find('|') != std::string_view::npos) return "";
  std::string best, run;
  const auto end_run = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  int depth = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    bool is_literal = std::string_view(".[](){}*+?^$\\").find(c) == std::string_view::npos;
    if (c == '\\' && i + 1 < pattern.size()) {
      c = pattern[++i];
      is_literal = std::ispunct(static_cast<unsigned char>(c)) != 0 && c != '<' && c != '>' &&
                   c != '`' && c != '\'';
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == '[') {
      // Up to its end: ']' as the first member is one of them.
      std::size_t end = i + 1;
      if (end < pattern.size() && pattern[end] == '^') ++end;
      if (end < pattern.size()) ++end;
      while (end < pattern.size() && pattern[end] != ']') ++end;
      i = end;
    } else if (c == '{') {
      while (i < pattern.size() && pattern[i] != '}') ++i;
    }
    // A group may be repeated, also no times: what is in it does not count.
    if (!is_literal || depth > 0) {
      end_run();
      continue;
    }
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == '*' || next == '?' || next == '{') {
      end_run();
    } else {
      run += c;
    }
  }
  end_run();
  return best;
}

LineMatcher::LineMatcher(std::shared_ptr<const Compiled> compiled)
    : compiled_(std::move(compiled)) {}

Result<LineMatcher> LineMatcher::compile(const std::string& pattern) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidInput,
                 "\"" + pattern + "\" is not a valid regular expression: " + why,
                 "an extended regular expression, such as 'epoch +(\\d+)' or '^Epoch ([0-9]+)/'"};
  };
  if (pattern.empty()) return refuse("it is empty");
  if (pattern.find("(?") != std::string::npos) return refuse("groups with (? are not known");
  const auto compiled = std::make_shared<Compiled>(pattern);
  if (!compiled->regex.ok()) return refuse(compiled->regex.error());
  LineMatcher out(std::move(compiled));
  out.try_line("", [](std::string_view) {});
  out.required_ = required_text(pattern);
  if (!out.required_.empty()) out.rarest_ = rarest_of(out.required_);
  return out;
}

// string_view::find looks for the first letter, which may be any line's; the rarest one is found by
// memchr() at the speed of memory.
std::size_t LineMatcher::find_required(std::string_view text, std::size_t from) const {
  for (std::size_t at = from + rarest_; at < text.size(); ++at) {
    at = text.find(required_[rarest_], at);
    if (at == std::string_view::npos) break;
    const std::size_t begin = at - rarest_;
    if (text.substr(begin, required_.size()) == required_) return begin;
  }
  return std::string_view::npos;
}

void LineMatcher::try_line(std::string_view line,
                           const std::function<void(std::string_view)>& found) const {
  line = line.substr(0, kMostOfALine);
  if (!required_.empty() && find_required(line, 0) == std::string_view::npos) return;
  std::array<re2::StringPiece, kMostGroups> groups;
  const int known = std::min<int>(compiled_->regex.NumberOfCapturingGroups() + 1, kMostGroups);
  const re2::StringPiece text(line.data(), line.size());
  if (!compiled_->regex.Match(text, 0, text.size(), RE2::UNANCHORED, groups.data(), known)) return;
  // One that took no part has no address.
  const auto taken = std::find_if(groups.begin() + 1, groups.begin() + known,
                                  [](const re2::StringPiece& group) { return group.data(); });
  const re2::StringPiece& name = taken == groups.begin() + known ? groups[0] : *taken;
  found({name.data(), name.size()});
}

// Whole lines. Only those that have the required text in them are taken apart: output is mostly
// something else, and searching for a text is a hundred times as fast as a regular expression.
void LineMatcher::try_lines(std::string_view lines,
                            const std::function<void(std::string_view)>& found) const {
  std::size_t at = 0;
  while (at < lines.size()) {
    std::size_t begin = at;
    if (!required_.empty()) {
      const std::size_t hit = find_required(lines, at);
      if (hit == std::string_view::npos) return;
      const std::size_t before = lines.find_last_of(kLineEnds, hit);
      if (before != std::string_view::npos && before >= at) begin = before + 1;
    }
    const std::size_t end = std::min(lines.find_first_of(kLineEnds, begin), lines.size());
    try_line(lines.substr(begin, end - begin), found);
    at = end + 1;
  }
}

void LineMatcher::feed(std::string_view bytes, const std::function<void(std::string_view)>& found) {
  const std::size_t last = bytes.find_last_of(kLineEnds);
  if (last == std::string_view::npos) {
    if (begun_.size() < kMostOfALine) begun_ += bytes.substr(0, kMostOfALine - begun_.size());
    return;
  }
  const std::size_t first = bytes.find_first_of(kLineEnds);
  if (!begun_.empty()) {
    begun_ += bytes.substr(0, std::min(first, kMostOfALine));
    try_line(begun_, found);
    begun_.clear();
    bytes.remove_prefix(first + 1);
  }
  const std::size_t whole = bytes.find_last_of(kLineEnds);
  if (whole != std::string_view::npos) {
    try_lines(bytes.substr(0, whole + 1), found);
    bytes.remove_prefix(whole + 1);
  }
  begun_ = bytes.substr(0, kMostOfALine);
}

void LineMatcher::finish(const std::function<void(std::string_view)>& found) {
  if (!begun_.empty()) try_line(begun_, found);
  begun_.clear();
}

}  // namespace wattree
