// A file that is written piece by piece, and is there whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

struct FileKeeping {
  bool is_private = false;  // Nobody but its owner may read it.
  bool is_synced = false;   // It outlasts a power cut from when finish() returns.
};

// Writes to a temporary name beside `path`, which nobody can guess, and finish() puts it in place.
// Without finish(), what was at `path` before stays. A device, a pipe or a link, such as
// /dev/stdout, is written to directly: it must not be replaced.
//
//   OutputFile file(path);
//   for (…) file.write(piece);
//   return file.finish();
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path, FileKeeping keeping = {});
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);  // After an error it does nothing.
  const Status& failure() const { return failure_; }
  Status finish();  // The first error, if there was one.

 private:
  void open_temporary();
  void write_out();
  void fail(const char* what);

  const std::filesystem::path path_;
  const FileKeeping keeping_;
  std::filesystem::path temporary_;  // Empty where `path` is written to directly.
  int file_ = -1;
  std::string waiting_;  // Small pieces, until they are worth a call of the system.
  Status failure_;
};

// The folder and those above it, where they are missing: their owner's alone. Whether it is there
// then; if not, errno says why.
bool make_private_folder(const std::filesystem::path& folder);

// Some letters that nobody can guess.
std::string random_letters();

}  // namespace wattree
