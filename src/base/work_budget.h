// What one request may cost, and whether its answer is still wanted.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "src/base/result.h"

namespace wattree {

// Set by whoever waits for an answer, looked at by whoever makes it; from any thread.
class Cancellation {
 public:
  // `of_all` cancels this one, too.
  explicit Cancellation(std::shared_ptr<const Cancellation> of_all = nullptr)
      : of_all_(std::move(of_all)) {}

  void cancel() { is_cancelled_ = true; }
  bool is_cancelled() const { return is_cancelled_ || (of_all_ && of_all_->is_cancelled()); }

 private:
  std::shared_ptr<const Cancellation> of_all_;
  std::atomic<bool> is_cancelled_ = false;
};

struct WorkLimits {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t nodes_of_tree = kNone;
  std::size_t nodes = kNone;  // Of all trees that the request builds.
};

// Of one request that comes from elsewhere. The command line has none: its user may wait for as
// long as he likes. May be used by many threads.
class WorkBudget {
 public:
  WorkBudget(const WorkLimits& limits, std::shared_ptr<const Cancellation> cancellation)
      : limits_(limits), cancellation_(std::move(cancellation)) {}

  std::size_t nodes_of_tree() const { return limits_.nodes_of_tree; }
  void spend(std::size_t nodes) { spent_ += nodes; }
  // For work that waits instead of building; null: it may wait for as long as it likes.
  const std::shared_ptr<const Cancellation>& cancellation() const { return cancellation_; }

  // An error once the work has cost more than it may, or nobody waits for it any more. Whoever
  // builds tree after tree asks before each.
  Status status() const {
    if (cancellation_ && cancellation_->is_cancelled()) {
      return Error{ErrorCode::kUnavailable, "the answer is no longer waited for",
                   "ask for less at a time, or try again in a while"};
    }
    if (spent_ <= limits_.nodes) return {};
    return Error{
        ErrorCode::kInvalidInput,
        "the answer takes trees of more than " + std::to_string(limits_.nodes) + " nodes together",
        "ask for fewer sizes, models or layers at a time; the command line has no such "
        "limit"};
  }

 private:
  const WorkLimits limits_;
  const std::shared_ptr<const Cancellation> cancellation_;
  std::atomic<std::size_t> spent_ = 0;
};

}  // namespace wattree
