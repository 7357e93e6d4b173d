#include "src/runs/live/journal_follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace wattree {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
// In one go, so that others who need the run get their turn.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 22;

}  // namespace

JournalFollower::~JournalFollower() {
  if (file_ >= 0) ::close(file_);
}

// Whether the path leads to another file by now.
bool JournalFollower::is_replaced() const {
  struct stat here {
  }, there{};
  return ::stat(path_.c_str(), &there) == 0 && ::fstat(file_, &here) == 0 &&
         (here.st_ino != there.st_ino || here.st_dev != there.st_dev);
}

JournalFollower::Found JournalFollower::begin_anew() {
  if (file_ >= 0) ::close(file_);
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  scanner_ = JournalScanner();
  damage_.clear();
  return file_ < 0 ? Found::kNoFile : Found::kAnother;
}

JournalFollower::Found JournalFollower::read(const std::function<void(const Record&)>& take) {
  if (file_ < 0) {
    if (begin_anew() == Found::kNoFile) return Found::kNoFile;
  } else if (is_replaced()) {
    return begin_anew();
  }
  struct stat info {};
  if (::fstat(file_, &info) != 0) return Found::kNothing;
  written_at_ = info.st_mtim.tv_sec;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size < scanner_.good_bytes()) return begin_anew();
  if (size == scanner_.good_bytes()) return Found::kNothing;
  return read_on(take);
}

JournalFollower::Found JournalFollower::read_on(const std::function<void(const Record&)>& take) {
  const std::uint64_t before = scanner_.records();
  std::string chunk(kChunk, '\0');
  std::uint64_t at = scanner_.good_bytes();
  bool is_at_end = false, is_good = true;
  damage_.clear();
  for (std::size_t done = 0; done < kMostAtOnce && is_good;) {
    const ssize_t got = ::pread(file_, chunk.data(), chunk.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    is_at_end = got <= 0;
    if (is_at_end) break;
    at += static_cast<std::uint64_t>(got);
    done += static_cast<std::size_t>(got);
    scanner_.feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)));
    is_good = take_all(take);
  }
  scanner_.rewind();
  if (!is_at_end && is_good) return Found::kMore;
  return scanner_.records() > before ? Found::kRecords : Found::kNothing;
}

bool JournalFollower::take_all(const std::function<void(const Record&)>& take) {
  std::string_view line;
  while (scanner_.next(line)) {
    const Result<Record> record =
        parse_record(line, "record " + std::to_string(scanner_.records()) + " of the journal");
    if (record.ok()) {
      take(record.value());
    } else {
      // Whole, and nothing that this program knows: every record stands by itself.
      damage_ = record.error().message + "; it is left out";
    }
  }
  if (!scanner_.damage().empty()) damage_ = scanner_.damage();
  return scanner_.damage().empty();
}

std::string JournalFollower::bytes_from(std::uint64_t from, std::size_t most) const {
  if (file_ < 0 || from >= bytes()) return "";
  std::string out(std::min<std::uint64_t>(bytes() - from, most), '\0');
  const ssize_t got = ::pread(file_, out.data(), out.size(), static_cast<off_t>(from));
  out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return out;
}

}  // namespace wattree
