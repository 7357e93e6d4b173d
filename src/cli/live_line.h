// One line on a terminal that is written over again and again.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace wattree {

// Where the command writes to the same terminal, the line has the bottom row for itself and the
// rest scrolls above it, as with apt: nothing of the command's output is written over. Otherwise it
// is the line that the cursor is on.
class LiveLine {
 public:
  enum class Place { kNone, kHere, kBottomRow };
  LiveLine(int terminal, Place place) : terminal_(terminal), place_(place) {}
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  ~LiveLine() { clear(); }

  // `text` makes a line of at most so many cells.
  void show(const std::function<std::string(std::size_t columns)>& text);
  void clear();  // And gives the row back.

 private:
  bool find_size();

  int terminal_;
  Place place_;
  int rows_ = 0, columns_ = 0;
  bool is_shown_ = false;
};

}  // namespace wattree
