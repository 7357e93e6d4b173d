#include "src/base/output_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "src/base/file_error.h"
#include "src/base/hex_text.h"

namespace wattree {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr mode_t kOwners = 0600;
constexpr mode_t kEverybodys = 0666;  // As far as the umask lets them.

// 0, or the number of the error.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(file, text.data(), text.size());
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

// A name is on the disk once its folder is. Some file systems cannot be asked for that.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  ::fsync(opened);
  ::close(opened);
}

}  // namespace

std::string random_letters() {
  std::array<char, 8> bytes{};
  // Of so few bytes the kernel gives all or, without a source, none.
  if (::getrandom(bytes.data(), bytes.size(), 0) < 0) return std::to_string(::getpid());
  return hex_text({bytes.data(), bytes.size()});
}

bool make_private_folder(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return true;
  if (folder.has_parent_path() && folder.parent_path() != folder &&
      !make_private_folder(folder.parent_path())) {
    return false;
  }
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) return true;
  const int number = errno;
  const bool is_there = fs::is_directory(folder, error);  // Somebody else was quicker.
  errno = number;
  return is_there;
}

OutputFile::OutputFile(fs::path path, FileKeeping keeping)
    : path_(std::move(path)), keeping_(keeping) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path_, ignored);
  const bool is_direct = fs::exists(status) && !fs::is_regular_file(status);
  errno = 0;
  if (is_direct) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  } else {
    open_temporary();
  }
  if (file_ < 0) fail("create");
}

void OutputFile::open_temporary() {
  const mode_t mode = keeping_.is_private ? kOwners : kEverybodys;
  constexpr int kAttempts = 8;  // A name that is taken by chance is not taken again.
  for (int i = 0; i < kAttempts && file_ < 0; ++i) {
    temporary_ = path_.string() + ".tmp" + random_letters();
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file_ < 0 && errno != EEXIST) break;
  }
  if (file_ < 0) temporary_.clear();  // It is not ours to remove.
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what) {
  if (failure_.ok()) failure_ = file_error(what, path_, errno != 0 ? errno : EIO);
}

void OutputFile::write(std::string_view text) {
  if (!failure_.ok()) return;
  waiting_ += text;
  if (waiting_.size() >= kPiece) write_out();
}

void OutputFile::write_out() {
  errno = write_all(file_, waiting_);
  if (errno != 0) fail("write");
  waiting_.clear();
}

Status OutputFile::finish() {
  if (failure_.ok()) write_out();
  if (!failure_.ok()) return failure_;
  // A pipe or a terminal has nothing to sync.
  const bool is_lost = keeping_.is_synced && ::fsync(file_) != 0 && errno != EINVAL;
  const bool is_closed = ::close(std::exchange(file_, -1)) == 0;
  if (is_lost || !is_closed) {
    fail("write");
  } else if (!temporary_.empty()) {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
      fail("replace");
    } else {
      temporary_.clear();
      if (keeping_.is_synced) sync_folder_of(path_);
    }
  }
  return failure_;
}

}  // namespace wattree
