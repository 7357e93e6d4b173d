// One tracker on another machine, asked again and again on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "src/api/runs/link_address.h"
#include "src/api/runs/links.h"
#include "src/models/hub/http.h"
#include "src/runs/track/journal.h"

namespace wattree {

// What of EnergyVis's backend has been heard: its answers as records.
class EnergyVisRecords {
 public:
  // The answers of /initial-setup and /energy-stats. `at` is now.
  static Result<RunBegun> begin(std::string_view setup, const std::string& address, Nanos at);
  Result<std::vector<Record>> take(std::string_view stats, Nanos at);

 private:
  std::size_t epochs_ = 0;
};

// What the records of all links may take in memory: others write them.
struct LinkRoom {
  std::size_t most = std::size_t{128} << 20;
  std::size_t most_of_one = std::size_t{48} << 20;
  std::atomic<std::size_t> taken = 0;
};

class LinkedTracker : public std::enable_shared_from_this<LinkedTracker> {
 public:
  // Asks once; an error where no tracker answers. Its run is among the others once it has joined.
  static Result<std::shared_ptr<LinkedTracker>> reach(const LinkRequest& request, LiveRuns& live,
                                                      std::shared_ptr<LinkRoom> room);
  Status join(const std::string& id);
  LinkedTracker(const LinkedTracker&) = delete;
  LinkedTracker& operator=(const LinkedTracker&) = delete;
  ~LinkedTracker();  // Waits for an answer that is on its way, for seconds at most.

  const Link& link() const { return link_; }

 private:
  LinkedTracker(LinkAddress address, std::string token, LiveRuns& live,
                std::shared_ptr<LinkRoom> room)
      : address_(std::move(address)),
        token_(std::move(token)),
        live_(live),
        room_(std::move(room)) {}
  Status ask_first();
  // An answer of any status; an error where nobody answers.
  Result<HttpReply> fetch(const std::string& path, bool is_post = false) const;
  // The body of an answer with status 200; any other status is an error.
  Result<std::string> fetch_body(const std::string& path, bool is_post = false) const;
  std::string journal_path() const;  // From where it has been read so far.
  void follow();
  Status ask();
  // Takes what is new, in so many pieces at most, and returns 200; any other status is that of an
  // answer without a journal.
  Result<long> ask_journal(int most_pieces);
  Status take_lines();
  // Keeps a record that took so many bytes on its way; an error where there is no room for it.
  Status take(Record record, std::size_t bytes);
  Status ask_energyvis();
  Result<ControlAnswer> set_paused(bool is_paused);
  Result<std::string> toggle_pause() const;

  const LinkAddress address_;
  const std::string token_;
  LiveRuns& live_;
  const std::shared_ptr<LinkRoom> room_;
  std::size_t kept_ = 0;  // Bytes of the room.
  bool is_full_ = false;
  Link link_;
  std::vector<Record> first_;  // Heard before there was a run.
  std::shared_ptr<LiveRun> run_;
  JournalScanner scanner_;
  EnergyVisRecords energyvis_;
  bool has_ended_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::jthread thread_;
};

}  // namespace wattree
