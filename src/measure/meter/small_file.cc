#include "src/measure/meter/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <utility>

namespace wattree {

Absence absence_of_errno(int number) {
  switch (number) {
    case EACCES:
    case EPERM: return Absence::kPermission;
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
    case ESRCH: return Absence::kLost;
    default: return Absence::kUnreadable;
  }
}

SmallFile::SmallFile(const std::filesystem::path& path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  absence_ = descriptor_ >= 0 ? Absence::kNone : absence_of_errno(errno);
}

SmallFile::SmallFile(SmallFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), absence_(other.absence_) {}

SmallFile& SmallFile::operator=(SmallFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(absence_, other.absence_);
  return *this;
}

SmallFile::~SmallFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileText SmallFile::read(char* buffer, std::size_t size, std::size_t from) const noexcept {
  if (descriptor_ < 0) return {{}, absence_};
  ssize_t got = 0;
  do {
    got = ::pread(descriptor_, buffer, size, static_cast<off_t>(from));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return {{}, absence_of_errno(errno)};
  return {{buffer, static_cast<std::size_t>(got)}, Absence::kNone};
}

std::string read_small(const std::filesystem::path& path) {
  const SmallFile file(path);
  std::string text(64 * 1024, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t got =
        file.read(text.data() + length, text.size() - length, length).text.size();
    if (got == 0) break;
    length += got;
  }
  text.resize(length);
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

bool take_number(std::string_view& text, std::uint64_t& number) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text.remove_prefix(word.size());
  return word;
}

bool take_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return true;
}

}  // namespace wattree
