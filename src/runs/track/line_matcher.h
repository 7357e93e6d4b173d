// Finds the lines of a stream that tell of an epoch.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

// A POSIX extended regular expression, with \d, \w, \s and \b as everybody writes them. Whatever it
// is, matching takes time in proportion to the line. It is tried on every line, which ends in LF or
// CR (progress bars rewrite theirs); only the first 4096 bytes of a line are looked at.
class LineMatcher {
 public:
  static Result<LineMatcher> compile(const std::string& pattern);

  // Calls `found` for every line that matches and is complete: with the first group that took part,
  // or without groups the whole match.
  void feed(std::string_view bytes, const std::function<void(std::string_view)>& found);
  // The stream has ended: what came after the last line end is a line too.
  void finish(const std::function<void(std::string_view)>& found);

  // What every match has in it, where the pattern says so: lines without it are not looked at.
  const std::string& required() const { return required_; }

 private:
  struct Compiled;
  explicit LineMatcher(std::shared_ptr<const Compiled> compiled);
  void try_line(std::string_view line, const std::function<void(std::string_view)>& found) const;
  void try_lines(std::string_view lines, const std::function<void(std::string_view)>& found) const;
  std::size_t find_required(std::string_view text, std::size_t from) const;

  std::shared_ptr<const Compiled> compiled_;
  std::string required_;
  std::size_t rarest_ = 0;  // Of the required text, the letter that other texts have least of.
  std::string begun_;       // Of a line that has not ended.
};

// The longest text that every match of the pattern has in it; empty where that is not plain.
std::string required_text(std::string_view pattern);

}  // namespace wattree
