#include "src/base/line_reader.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "src/base/file_error.h"

namespace wattree {
namespace {

constexpr std::size_t kChunk = 256 * 1024;

gzFile handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void LineReader::Close::operator()(void* file) const { gzclose(handle(file)); }

LineReader::LineReader(std::filesystem::path path, void* file, std::size_t limit)
    : path_(std::move(path)), file_(file), limit_(limit) {}

Result<LineReader> LineReader::open(const std::filesystem::path& path, std::size_t limit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return file_error("read", path, EISDIR);
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return file_error("open", path, errno != 0 ? errno : ENOMEM);
  gzbuffer(file, kChunk);
  return LineReader(path, file, limit);
}

// Reads one more chunk behind what is there; false at the end and at an error.
bool LineReader::fill() {
  if (at_end_ || !failure_.ok()) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + kChunk) buffer_.resize(end_ + std::max(kChunk, end_));
  errno = 0;
  const int count = gzread(handle(file_.get()), buffer_.data() + end_, kChunk);
  if (count > 0) {
    end_ += static_cast<std::size_t>(count);
    return true;
  }
  at_end_ = true;
  // A gzip file that is cut off reads as zero bytes, with an error that gzread does not return.
  int status = Z_OK;
  gzerror(handle(file_.get()), &status);
  if (count < 0 && status == Z_ERRNO) {
    failure_ = file_error("read", path_, errno != 0 ? errno : EIO);
  } else if (count < 0 || status == Z_BUF_ERROR) {
    failure_ = Error{ErrorCode::kInvalidInput,
                     path_.string() + ": the gzip data is damaged or cut off", ""};
  }
  return false;
}

// The position, counted from begin_, of the line's end. False where the line goes on after what
// may be kept.
bool LineReader::find_end(std::size_t& end) {
  std::size_t searched = 0;
  for (;;) {
    const void* found =
        std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_;
      return end <= limit_ + 1;  // One more for a CR.
    }
    searched = end_ - begin_;
    if (searched > limit_ + 1) return false;
    if (!fill()) {
      end = end_ - begin_;
      return true;
    }
  }
}

LineReader::Found LineReader::next() {
  begin_ += used_;
  used_ = length_ = 0;
  if (begin_ >= end_ && !fill()) return !failure_.ok() ? Found::kFailed : Found::kEnd;
  ++number_;
  std::size_t end = 0;
  bool is_kept = find_end(end);
  if (!is_kept) {
    // Pass over it chunk by chunk.
    for (;;) {
      const void* found = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
      if (found != nullptr) {
        begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
        break;
      }
      begin_ = end_;
      if (!fill()) break;
    }
    return !failure_.ok() ? Found::kFailed : Found::kTooLong;
  }
  if (!failure_.ok()) return Found::kFailed;
  used_ = std::min(end + 1, end_ - begin_);
  length_ = end;
  if (length_ > 0 && buffer_[begin_ + length_ - 1] == '\r') --length_;
  if (number_ == 1 && line().starts_with("\xef\xbb\xbf")) {
    begin_ += 3;
    used_ -= 3;
    length_ -= 3;
  }
  return length_ > limit_ ? Found::kTooLong : Found::kLine;
}

}  // namespace wattree
