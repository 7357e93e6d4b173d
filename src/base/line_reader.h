// The lines of a text file, plain or gzip, one at a time in bounded memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

class LineReader {
 public:
  enum class Found { kLine, kTooLong, kEnd, kFailed };

  // Lines longer than `limit` bytes are not kept.
  static Result<LineReader> open(const std::filesystem::path& path, std::size_t limit);

  // The next line. Too long: it was passed over, and the one after it can be read.
  Found next();
  // The line without its line end, LF or CRLF, and without a byte order mark. Lives until next().
  std::string_view line() const { return {buffer_.data() + begin_, length_}; }
  std::size_t number() const { return number_; }  // Of the line, from 1.
  const Status& failure() const { return failure_; }

 private:
  struct Close {
    void operator()(void* file) const;
  };
  LineReader(std::filesystem::path path, void* file, std::size_t limit);
  bool fill();
  bool find_end(std::size_t& end);

  std::filesystem::path path_;
  std::unique_ptr<void, Close> file_;  // zlib's gzFile: it reads plain files too.
  std::size_t limit_;
  // What is read and not yet used is [begin_ + used_, end_).
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t length_ = 0;
  std::size_t used_ = 0;
  std::size_t number_ = 0;
  bool at_end_ = false;
  Status failure_;
};

}  // namespace wattree
