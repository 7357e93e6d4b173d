// Reads a journal while a tracker writes it: each time only what was appended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "src/base/result.h"
#include "src/runs/track/journal.h"
#include "src/runs/track/record.h"

namespace wattree {

class JournalFollower {
 public:
  explicit JournalFollower(std::filesystem::path path) : path_(std::move(path)) {}
  JournalFollower(const JournalFollower&) = delete;
  JournalFollower& operator=(const JournalFollower&) = delete;
  ~JournalFollower();

  enum class Found {
    kNothing,  // Nor is there anything to read now.
    kRecords,  // All that were whole.
    kMore,     // Some, and there are more: read() is to be called again.
    kAnother,  // The file is another one, or was cut off: what was taken before does not count.
    kNoFile,   // It was not there yet, ever. One that is removed can be read to its end.
  };
  // Hands every new whole record to `take`, in their order. A last line that is half written, or
  // was taken back by a writer without room, is read again the next time.
  Found read(const std::function<void(const Record&)>& take);

  std::uint64_t records() const { return scanner_.records(); }
  std::uint64_t bytes() const { return scanner_.good_bytes(); }
  // What stands after the last whole record and is none, or what was left out; empty: nothing.
  const std::string& damage() const { return damage_; }
  // When the file was written to, in seconds since 1970; 0 where it is not there.
  std::int64_t written_at() const { return written_at_; }
  const std::filesystem::path& path() const { return path_; }

  // The journal's own bytes from `from` on, up to the last whole record and at most so many.
  std::string bytes_from(std::uint64_t from, std::size_t most) const;

 private:
  Found begin_anew();
  bool is_replaced() const;
  Found read_on(const std::function<void(const Record&)>& take);
  bool take_all(const std::function<void(const Record&)>& take);

  std::filesystem::path path_;
  int file_ = -1;
  JournalScanner scanner_;
  std::string damage_;
  std::int64_t written_at_ = 0;
};

}  // namespace wattree
