// Text for a terminal: lines that do not fit are broken between words, under their last column.
#pragma once

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace wattree {

// One line without its end as lines of at most `width` cells, where words allow.
std::string wrapped(std::string_view line, std::size_t width);

// What is written to it goes to `to` line by line, wrapped.
class WrappedOutput : public std::streambuf {
 public:
  WrappedOutput(std::ostream& to, std::size_t width) : out_(to), width_(width) {}
  WrappedOutput(const WrappedOutput&) = delete;
  WrappedOutput& operator=(const WrappedOutput&) = delete;
  ~WrappedOutput() override { WrappedOutput::sync(); }

 private:
  int_type overflow(int_type c) override;
  int sync() override;

  std::ostream& out_;
  std::size_t width_;
  std::string line_;
};

// The columns of the terminal that standard output is; 0: it is none.
std::size_t terminal_width();

}  // namespace wattree
