// A small file of /proc or /sys, opened once and read again and again without allocating.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/measure/meter/meter.h"

namespace wattree {

// Text read into a buffer of the caller's, or why there is none.
struct FileText {
  std::string_view text;
  Absence absence = Absence::kNone;
};

class SmallFile {
 public:
  SmallFile() = default;
  explicit SmallFile(const std::filesystem::path& path);
  SmallFile(SmallFile&& other) noexcept;
  SmallFile& operator=(SmallFile&& other) noexcept;
  ~SmallFile();

  bool is_open() const { return descriptor_ >= 0; }
  Absence absence() const { return absence_; }
  // From the beginning, as much as one call gives: the kernel makes the text anew for each, so that
  // asking whether there is more would double the price. The files that meters read come whole.
  FileText read(char* buffer, std::size_t size, std::size_t from = 0) const noexcept;

 private:
  int descriptor_ = -1;
  Absence absence_ = Absence::kLost;
};

Absence absence_of_errno(int number);

// For discovery, which may allocate: the file's first 64 KiB without the white space at the end;
// empty where there is none.
std::string read_small(const std::filesystem::path& path);

// The number that `text` begins with, after blanks; it is cut off `text`. False where there is
// none, or where it is too large.
bool take_number(std::string_view& text, std::uint64_t& number);
// The next word; empty at the end of the text.
std::string_view take_word(std::string_view& text);
// The next line, without its end; false at the end of the text.
bool take_line(std::string_view& text, std::string_view& line);

}  // namespace wattree
