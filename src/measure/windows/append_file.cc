#include "src/measure/windows/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "src/base/file_error.h"

namespace wattree {
namespace {

// The length of the file up to the end of its last whole line.
off_t whole_length(int descriptor) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return 0;
  off_t length = facts.st_size;
  char last = 0;
  while (length > 0 && ::pread(descriptor, &last, 1, length - 1) == 1 && last != '\n') --length;
  return length;
}

}  // namespace

Result<AppendFile> AppendFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return file_error("write", path, errno);
  AppendFile file(path, descriptor);
  struct stat facts {};
  if (::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
      ::ftruncate(descriptor, whole_length(descriptor)) != 0) {
    return file_error("write", path, errno);
  }
  return file;
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status AppendFile::append(std::string_view line) {
  const std::string whole = std::string(line) + "\n";
  std::size_t written = 0;
  while (written < whole.size()) {
    const ssize_t count = ::write(descriptor_, whole.data() + written, whole.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return file_error("write", path_, errno);
    written += static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace wattree
