// One tracker on another machine, asked again and again on a thread of its own.
#pragma once

#include <condition_variable>
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

class LinkedTracker : public std::enable_shared_from_this<LinkedTracker> {
 public:
  // Asks once; an error where no tracker answers.
  static Result<std::shared_ptr<LinkedTracker>> start(const LinkRequest& request,
                                                      const std::string& id, LiveRuns& live);
  LinkedTracker(const LinkedTracker&) = delete;
  LinkedTracker& operator=(const LinkedTracker&) = delete;
  ~LinkedTracker();  // Waits for an answer that is on its way, for seconds at most.

  const Link& link() const { return link_; }

 private:
  LinkedTracker(LinkAddress address, std::string token, LiveRuns& live)
      : address_(std::move(address)), token_(std::move(token)), live_(live) {}
  Status ask_first();
  // An answer of any status; an error where nobody answers.
  Result<HttpReply> fetch(const std::string& path, bool is_post = false) const;
  // The body of an answer with status 200; any other status is an error.
  Result<std::string> fetch_body(const std::string& path, bool is_post = false) const;
  std::string journal_path() const;  // From where it has been read so far.
  Status join(const std::string& id, const std::string& typed);
  void follow();
  Status ask();
  // Takes what is new, and returns 200; any other status is that of an answer without a journal.
  Result<long> ask_journal();
  Status ask_energyvis();
  Result<ControlAnswer> set_paused(bool is_paused);

  const LinkAddress address_;
  const std::string token_;
  LiveRuns& live_;
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
