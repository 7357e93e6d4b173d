// An append-only file of records: what was written before a crash can be read after it.
//
// The file is text. Its first line is "wattree-journal 1"; each further line is a record: a
// checksum of eight hexadecimal digits, a space, and the record's text, which has no line end in
// it. The checksum (CRC-32) runs on from the one before, so that a record that was changed, moved
// or lost shows. A record counts once its line is whole: a torn last line is cut off when it is
// read.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "src/base/result.h"

namespace wattree {

inline constexpr std::string_view kJournalHeader = "wattree-journal 1";
inline constexpr std::size_t kMaxJournalRecord = std::size_t{1} << 20;

// A record's line, and what the next checksum runs on from.
std::string journal_line(std::string_view record, std::uint32_t& checksum);

// Each record goes to the kernel with one write() before append() returns: killing the program
// loses nothing of it. A thread of its own asks for it to be on the disk, at once when told to and
// else every five seconds: a power cut loses no more than that, and a slow disk holds nobody up.
class JournalWriter {
 public:
  // A new file, which must not exist. It is locked for as long as it is open (is_being_written).
  static Result<std::unique_ptr<JournalWriter>> create(const std::filesystem::path& path);
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;
  ~JournalWriter();

  // Where the disk is full or fails, records wait (the newest MiB of them) and are written with the
  // next one that can be. The error is returned when it begins, not again for every record.
  Status append(std::string_view record);
  void request_sync();  // To the disk now. Returns at once.
  bool is_behind() const { return !waiting_.empty(); }
  std::uint64_t lost() const { return lost_; }  // Records that waited in vain.
  const std::filesystem::path& path() const { return path_; }

 private:
  JournalWriter(std::filesystem::path path, int file);
  Status flush();
  void sync_loop();

  std::filesystem::path path_;
  int file_;
  std::uint64_t size_ = 0;  // Of what is whole.
  std::uint32_t checksum_ = 0;
  std::string waiting_;  // Records with a line end each, not yet written.
  std::string lines_;    // Reused.
  std::uint64_t lost_ = 0;
  bool has_told_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_dirty_ = false, is_urgent_ = false, is_ending_ = false;
  std::jthread syncer_;
};

// Takes a journal apart, piece by piece, in bounded memory.
class JournalScanner {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // No more bytes will come.
  void finish() { is_finished_ = true; }
  // The next record, which lives until the next call of anything; false where more bytes are
  // needed, at the end and at damage.
  bool next(std::string_view& record);

  // Forgets what it has beyond the last whole record, and any damage there: whoever feeds it goes
  // on with the byte at good_bytes(). A file that is still being written may have changed there.
  void rewind();

  // What is wrong; nothing after it is read. A torn tail is damage too, of the usual kind.
  const std::string& damage() const { return damage_; }
  bool is_torn() const { return is_torn_; }           // The damage is a torn tail.
  std::uint64_t good_bytes() const { return good_; }  // Up to the end of the last whole record.
  std::uint64_t records() const { return records_; }

 private:
  bool fail(std::string what, bool is_torn = false);
  void consume(std::size_t bytes);
  bool wait_for_more();

  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t good_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t checksum_ = 0;
  bool has_header_ = false, is_finished_ = false, is_torn_ = false;
  std::string damage_;
};

struct JournalEnd {
  std::uint64_t records = 0;
  std::uint64_t good_bytes = 0;
  std::uint64_t bytes = 0;  // Of the file.
  std::string damage;       // Empty where every byte was in order.
  bool is_torn = false;
};
// Hands every whole record to `take` until it returns false. An error only where nothing can be
// read: no such file, or no journal.
Result<JournalEnd> read_journal(const std::filesystem::path& path,
                                const std::function<bool(std::string_view)>& take);

// A tracker has it open.
bool is_being_written(const std::filesystem::path& path);

}  // namespace wattree
