// A file that is written piece by piece, and is there whole or not at all.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

// Writes to a temporary name beside `path`, and finish() puts it in place. Without finish(), what
// was at `path` before stays. A device, a pipe or a link, such as /dev/stdout, is written to
// directly: it must not be replaced.
//
//   OutputFile file(path);
//   for (…) file.write(piece);
//   return file.finish();
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);  // After an error it does nothing.
  const Status& failure() const { return failure_; }
  Status finish();  // The first error, if there was one.

 private:
  void fail(const char* what);

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // Empty where `path` is written to directly.
  std::ofstream file_;
  Status failure_;
};

}  // namespace wattree
