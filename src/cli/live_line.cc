#include "src/cli/live_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "src/base/text.h"

namespace wattree {
namespace {

constexpr int kLeastRows = 4;

// At most so many cells.
std::string cut(std::string_view text, int columns) {
  std::string out(text);
  while (display_width(out) > static_cast<std::size_t>(columns)) {
    // Whole characters: continuation bytes go with the one they belong to.
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
    if (!out.empty()) out.pop_back();
  }
  return out;
}

std::string line(const std::function<std::string(std::size_t columns)>& text, int columns) {
  return cut(text(static_cast<std::size_t>(columns)), columns);
}

std::string row_text(int row) { return "\x1b[" + std::to_string(row) + ";1H"; }

// With the cursor back where it was.
std::string aside(const std::string& text) {
  return "\x1b"
         "7" +
         text +
         "\x1b"
         "8";
}

void put(int terminal, const std::string& text) {
  [[maybe_unused]] const ssize_t written = ::write(terminal, text.data(), text.size());
}

}  // namespace

// True where it is another than before.
bool LiveLine::find_size() {
  winsize size{};
  if (::ioctl(terminal_, TIOCGWINSZ, &size) != 0) size = {};
  const bool is_new = size.ws_row != rows_ || size.ws_col != columns_;
  rows_ = size.ws_row;
  columns_ = size.ws_col;
  return is_new;
}

void LiveLine::show(const std::function<std::string(std::size_t columns)>& text) {
  if (place_ == Place::kNone) return;
  const bool is_new = find_size();
  if (columns_ < 2) return;
  if (place_ == Place::kHere) {
    put(terminal_, "\r" + line(text, columns_ - 1) + "\x1b[K");
    is_shown_ = true;
    return;
  }
  if (rows_ < kLeastRows) return;
  std::string out;
  // The first time the cursor may be on the last row: a line more makes room.
  if (!is_shown_) out += "\n\x1b[A";
  if (!is_shown_ || is_new) out += aside("\x1b[1;" + std::to_string(rows_ - 1) + "r");
  put(terminal_, out + aside(row_text(rows_) + "\x1b[2K" + line(text, columns_)));
  is_shown_ = true;
}

void LiveLine::clear() {
  if (!is_shown_) return;
  is_shown_ = false;
  if (place_ == Place::kHere) {
    put(terminal_, "\r\x1b[K");
  } else {
    put(terminal_, aside("\x1b[r" + row_text(rows_) + "\x1b[2K"));
  }
}

}  // namespace wattree
