#include "src/base/output_file.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "src/base/file_error.h"

namespace wattree {

namespace fs = std::filesystem;

namespace {

// Two threads, like two processes, may write the same file at once: each to a name of its own.
std::string temporary_name(const fs::path& path) {
  static std::atomic<unsigned> count = 0;
  return path.string() + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(count++);
}

}  // namespace

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path_, ignored);
  const bool is_direct = fs::exists(status) && !fs::is_regular_file(status);
  if (!is_direct) temporary_ = temporary_name(path_);
  errno = 0;
  file_.open(is_direct ? path_ : temporary_, std::ios::binary | std::ios::trunc);
  if (!file_) {
    fail("create");
    temporary_.clear();  // It is not ours to remove.
  }
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  file_.close();
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void OutputFile::fail(const char* what) {
  if (failure_.ok()) failure_ = file_error(what, path_, errno != 0 ? errno : EIO);
}

void OutputFile::write(std::string_view text) {
  if (!failure_.ok()) return;
  errno = 0;
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file_) fail("write");
}

Status OutputFile::finish() {
  if (!failure_.ok()) return failure_;
  errno = 0;
  file_.close();
  if (!file_) {
    fail("write");
  } else if (!temporary_.empty()) {
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) {
      failure_ = file_error("replace", path_, error.value());
    } else {
      temporary_.clear();
    }
  }
  return failure_;
}

}  // namespace wattree
