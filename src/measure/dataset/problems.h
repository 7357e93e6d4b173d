// What is wrong in a file, all of it: somebody who mends a file wants the whole list at once. Only
// so many are kept; the others are counted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/result.h"

namespace wattree {

class Problems {
 public:
  static constexpr std::size_t kKept = 20;

  // Says whether another one would be kept; whoever writes long sentences asks first.
  bool has_room() const { return kept_.size() < kKept; }
  void add(std::string what) {
    ++count_;
    if (has_room()) kept_.push_back(std::move(what));
  }
  void append(const Problems& others);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  const std::vector<std::string>& kept() const { return kept_; }
  // One a line, and how many more there are.
  std::string text() const;
  // All of them as one error about `origin`.
  Error error(const std::string& origin) const;

 private:
  std::vector<std::string> kept_;
  std::size_t count_ = 0;
};

// Adds to `warnings` that so many bad lines were left out, and why; nothing for none.
void note_bad_lines(std::size_t count, const Problems& problems,
                    std::vector<std::string>& warnings);

}  // namespace wattree
