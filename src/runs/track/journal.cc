#include "src/runs/track/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "src/base/file_error.h"
#include "src/base/output_file.h"
#include "src/base/thread.h"

namespace wattree {
namespace {

constexpr std::size_t kPrefix = 9;  // The checksum and a space.
constexpr std::size_t kMostWaiting = std::size_t{1} << 20;
// Every sync makes the file system write what it has, the command's files too: not too often.
constexpr auto kSyncEvery = std::chrono::seconds(5);

std::uint32_t run_on(std::uint32_t checksum, std::string_view record) {
  return static_cast<std::uint32_t>(crc32(checksum, reinterpret_cast<const Bytef*>(record.data()),
                                          static_cast<uInt>(record.size())));
}

void append_line(std::string& out, std::string_view record, std::uint32_t& checksum) {
  checksum = run_on(checksum, record);
  char prefix[kPrefix + 1];
  std::snprintf(prefix, sizeof prefix, "%08x ", checksum);
  out.append(prefix, kPrefix);
  out += record;
  out += '\n';
}

std::string byte_text(std::uint64_t at) { return "byte " + std::to_string(at); }

}  // namespace

std::string journal_line(std::string_view record, std::uint32_t& checksum) {
  std::string out;
  append_line(out, record, checksum);
  return out;
}

// --- writing ---

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const std::filesystem::path& path) {
  // Its owner's alone: it has the run's command. Without the folder, open() says what is wrong.
  (void)make_private_folder(path.parent_path());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return file_error("create the journal", path, errno);
  ::flock(file, LOCK_EX | LOCK_NB);  // Nobody else can have it; a file system may have no locks.
  const std::string header = std::string(kJournalHeader) + "\n";
  if (::write(file, header.data(), header.size()) != static_cast<ssize_t>(header.size())) {
    const int number = errno != 0 ? errno : ENOSPC;
    ::close(file);
    ::unlink(path.c_str());
    return file_error("write the journal", path, number);
  }
  return std::unique_ptr<JournalWriter>(new JournalWriter(path, file));
}

JournalWriter::JournalWriter(std::filesystem::path path, int file)
    : path_(std::move(path)), file_(file), size_(kJournalHeader.size() + 1) {
  Result<std::jthread> syncer = start_thread("the journal", [this] { sync_loop(); });
  // Without the thread the kernel writes it out in its own time: a power cut loses more.
  if (syncer.ok()) syncer_ = std::move(syncer).value();
}

JournalWriter::~JournalWriter() {
  static_cast<void>(flush());  // Nobody is left to be told.
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  if (syncer_.joinable()) syncer_.join();
  ::close(file_);
}

Status JournalWriter::append(std::string_view record) {
  if (record.size() > kMaxJournalRecord || record.find('\n') != std::string_view::npos) {
    return Error{ErrorCode::kInternal, "a journal's record must be one line of at most 1 MiB", ""};
  }
  waiting_.append(record);
  waiting_ += '\n';
  Status failure = flush();
  while (waiting_.size() > kMostWaiting) {
    waiting_.erase(0, waiting_.find('\n') + 1);
    ++lost_;
  }
  if (failure.ok()) {
    has_told_ = false;
    return {};
  }
  if (has_told_) return {};
  has_told_ = true;
  return failure;
}

Status JournalWriter::flush() {
  if (waiting_.empty()) return {};
  lines_.clear();
  std::uint32_t checksum = checksum_;
  for (std::string_view rest = waiting_; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    append_line(lines_, rest.substr(0, end), checksum);
    rest.remove_prefix(end + 1);
  }
  std::size_t done = 0;
  int number = 0;
  while (done < lines_.size() && number == 0) {
    const ssize_t put = ::write(file_, lines_.data() + done, lines_.size() - done);
    if (put > 0) {
      done += static_cast<std::size_t>(put);
    } else if (put == 0 || errno != EINTR) {
      number = put == 0 ? ENOSPC : errno;
    }
  }
  if (number != 0) {
    // Half a record must not stand in the middle of the file. Where even this fails, what follows
    // is written behind it and a reader stops there: what came before stays good.
    if (done > 0 && ::ftruncate(file_, static_cast<off_t>(size_)) == 0) {
      ::lseek(file_, static_cast<off_t>(size_), SEEK_SET);
    }
    return file_error("write the journal", path_, number);
  }
  size_ += lines_.size();
  checksum_ = checksum;
  waiting_.clear();
  bool was_dirty = true;
  {
    const std::lock_guard lock(mutex_);
    std::swap(was_dirty, is_dirty_);
  }
  if (!was_dirty) wake_.notify_one();
  return {};
}

void JournalWriter::request_sync() {
  {
    const std::lock_guard lock(mutex_);
    is_urgent_ = true;
  }
  wake_.notify_one();
}

void JournalWriter::sync_loop() {
  auto next = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return is_dirty_ || is_ending_; });
    if (!is_dirty_) return;
    // Whoever writes seldom is synced at once.
    wake_.wait_until(lock, next, [this] { return is_urgent_ || is_ending_; });
    is_dirty_ = is_urgent_ = false;
    lock.unlock();
    ::fdatasync(file_);
    next = std::chrono::steady_clock::now() + kSyncEvery;
    lock.lock();
  }
}

// --- reading ---

bool JournalScanner::fail(std::string what, bool is_torn) {
  damage_ = std::move(what);
  is_torn_ = is_torn;
  return false;
}

void JournalScanner::consume(std::size_t bytes) {
  at_ += bytes;
  good_ += bytes;
}

bool JournalScanner::wait_for_more() {
  // Moved to the front only here: once for every piece that is fed, not for every record.
  buffer_.erase(0, at_);
  at_ = 0;
  return false;
}

void JournalScanner::rewind() {
  buffer_.clear();
  at_ = 0;
  damage_.clear();
  is_torn_ = false;
}

bool JournalScanner::next(std::string_view& record) {
  if (!damage_.empty()) return false;
  if (!has_header_) {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos && buffer_.size() <= kJournalHeader.size() && !is_finished_) {
      return false;
    }
    if (std::string_view(buffer_).substr(0, end) != kJournalHeader || end == std::string::npos) {
      return fail("it does not begin with the line \"" + std::string(kJournalHeader) + "\"");
    }
    has_header_ = true;
    consume(end + 1);
  }
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  const std::size_t end = rest.find('\n');
  if (end == std::string::npos) {
    if (rest.size() > kPrefix + kMaxJournalRecord) {
      return fail("the record at " + byte_text(good_) + " is longer than any record");
    }
    if (is_finished_ && !rest.empty()) {
      return fail("the last record, at " + byte_text(good_) + ", is torn off after " +
                      std::to_string(rest.size()) + " bytes",
                  true);
    }
    return wait_for_more();
  }
  const std::string_view line = rest.substr(0, end);
  std::uint32_t stated = 0;
  const bool has_prefix = line.size() >= kPrefix && line[kPrefix - 1] == ' ' &&
                          std::from_chars(line.data(), line.data() + kPrefix - 1, stated, 16).ptr ==
                              line.data() + kPrefix - 1;
  const std::string_view text = has_prefix ? line.substr(kPrefix) : std::string_view();
  const std::uint32_t computed = run_on(checksum_, text);
  if (!has_prefix || text.size() > kMaxJournalRecord || computed != stated) {
    return fail("the record at " + byte_text(good_) + " does not fit its checksum");
  }
  checksum_ = computed;
  consume(end + 1);
  ++records_;
  record = text;
  return true;
}

Result<JournalEnd> read_journal(const std::filesystem::path& path,
                                const std::function<bool(std::string_view)>& take) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return file_error("open", path, errno);
  JournalScanner scanner;
  JournalEnd end;
  std::string chunk(std::size_t{1} << 16, '\0');
  bool wants_more = true;
  int number = 0;
  while (wants_more && scanner.damage().empty()) {
    const ssize_t got = ::read(file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      number = errno;
      break;
    }
    if (got == 0) scanner.finish();
    scanner.feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)));
    std::string_view record;
    while (wants_more && scanner.next(record)) wants_more = take(record);
    if (got == 0) break;
  }
  const off_t size = ::lseek(file, 0, SEEK_END);
  ::close(file);
  // A disk that fails in the middle: what came before is as good as it is with any other damage.
  if (number != 0 && scanner.records() == 0) return file_error("read", path, number);
  if (scanner.good_bytes() == 0) {
    return Error{ErrorCode::kInvalidInput, path.string() + " is no journal: " + scanner.damage(),
                 "journals are written by `wattree track` and end in .journal"};
  }
  end.records = scanner.records();
  end.good_bytes = scanner.good_bytes();
  end.bytes = size > 0 ? static_cast<std::uint64_t>(size) : 0;
  end.damage = number != 0 ? file_error("read", path, number).message : scanner.damage();
  end.is_torn = scanner.is_torn();
  return end;
}

bool is_being_written(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_locked = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return is_locked;
}

}  // namespace wattree
