#include "src/cli/wrapped_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "src/base/text.h"

namespace wattree {
namespace {

// Where the column begins that is cut at `width`: after the last gap of two blanks before it. A
// column with little room left, and text without columns, goes on after a small indent.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  constexpr std::size_t kSmall = 4;
  const std::size_t gap = line.substr(0, std::min(line.size(), width)).rfind("  ");
  if (gap == std::string_view::npos) return kSmall;
  const std::size_t begin = display_width(line.substr(0, gap + 2));
  return begin + width / 3 <= width ? begin : kSmall;
}

}  // namespace

std::string wrapped(std::string_view line, std::size_t width) {
  if (width < 20 || display_width(line) <= width) return std::string(line);
  const std::size_t indent = hanging_indent(line, width);
  std::string out;
  std::string current;
  std::size_t begin = 0;
  while (begin < line.size()) {
    // A word with the blanks before it.
    const std::size_t word = std::min(line.find_first_not_of(' ', begin), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    if (display_width(current) + display_width(line.substr(begin, end - begin)) > width &&
        current.find_first_not_of(' ') != std::string::npos) {
      out += current + "\n";
      current = std::string(indent, ' ') + std::string(line.substr(word, end - word));
    } else {
      current += line.substr(begin, end - begin);
    }
    begin = end;
  }
  return out + current;
}

WrappedOutput::int_type WrappedOutput::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char letter = traits_type::to_char_type(c);
  if (letter != '\n') {
    line_ += letter;
  } else {
    out_ << wrapped(line_, width_) << '\n';
    line_.clear();
  }
  return out_ ? c : traits_type::eof();
}

int WrappedOutput::sync() {
  out_ << line_;
  line_.clear();
  out_.flush();
  return out_ ? 0 : -1;
}

std::size_t terminal_width() {
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace wattree
