// A file of lines that is only ever added to: what was written stays, whatever ends the process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

class AppendFile {
 public:
  // Makes the file where there is none. A last line that was cut short is taken off.
  static Result<AppendFile> open(const std::filesystem::path& path);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile();

  // One line, with its line end added, in one piece.
  Status append(std::string_view line);

 private:
  AppendFile(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace wattree
