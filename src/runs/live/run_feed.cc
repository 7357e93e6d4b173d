#include "src/runs/live/run_feed.h"

#include <algorithm>
#include <charconv>

#include "src/runs/live/run_json.h"

namespace wattree {
namespace {

constexpr std::size_t kBlock = 64;  // Epochs: some tens of kilobytes.
constexpr std::size_t kMostBlocks = 32;
constexpr std::size_t kMostBatches = 64;

SharedText shared(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

void add_epochs(const TrackedRun& run, std::size_t begin, std::size_t end, std::string& out) {
  for (std::size_t i = begin; i < end; ++i) {
    out += event_text(std::to_string(i + 1), "epoch", epoch_json(run, i));
  }
}

}  // namespace

std::string event_text(std::string_view id, std::string_view name, std::string_view data) {
  std::string out;
  out.reserve(id.size() + name.size() + data.size() + 24);
  if (!id.empty()) ((out += "id: ") += id) += '\n';
  (((out += "event: ") += name) += "\ndata: ") += data;
  return out += "\n\n";
}

FeedPlace feed_place(std::string_view last_event_id) {
  FeedPlace out;
  std::from_chars(last_event_id.data(), last_event_id.data() + last_event_id.size(), out.epochs);
  return out;
}

void RunFeed::clear() {
  // Whoever reads has to catch up: no number of before is one of those to come.
  first_ += batches_.size();
  batches_.clear();
  blocks_.clear();
  epochs_ = 0;
  is_over_ = false;
}

void RunFeed::publish(const TrackedRun& run, const RunStatus& status, std::uint64_t records) {
  const std::size_t end = run.epochs().size();
  is_over_ = is_over(status.state);
  const char* name = is_over_ ? "ended" : "status";
  const std::string data = to_json(status);
  const std::string id = std::to_string(end) + "." + std::to_string(records);
  status_ = shared(event_text(id, name, data));
  greeting_ = shared(event_text("", name, data));
  if (end - epochs_ > kBlock) {
    // Too much for one piece: all catch up, block by block.
    first_ += batches_.size() + 1;
    batches_.clear();
  } else {
    std::string text;
    add_epochs(run, epochs_, end, text);
    batches_.push_back({text.empty() ? status_ : shared(text + *status_), end, is_over_});
    if (batches_.size() > kMostBatches) {
      batches_.pop_front();
      ++first_;
    }
  }
  epochs_ = end;
}

SharedText RunFeed::next(FeedPlace& place, const TrackedRun& run) {
  if (!status_ || place.is_over) return nullptr;
  const std::uint64_t end = first_ + batches_.size();
  if (place.batch >= first_) {
    if (place.batch >= end) return nullptr;
    const Batch& batch = batches_[place.batch - first_];
    ++place.batch;
    place.epochs = batch.epochs;
    place.is_over = batch.is_last;
    return batch.text;
  }
  // An id of no epoch that there is tells nothing.
  if (place.epochs > epochs_) place.epochs = 0;
  if (!place.has_begun && !is_over_ && place.epochs < epochs_) {
    place.has_begun = true;
    return greeting_;
  }
  place.has_begun = true;
  if (place.epochs < epochs_) {
    const std::size_t to = std::min((place.epochs / kBlock + 1) * kBlock, epochs_);
    SharedText text = block(run, place.epochs, to);
    place.epochs = to;
    return text;
  }
  place.batch = end;
  place.is_over = is_over_;
  return status_;
}

SharedText RunFeed::block(const TrackedRun& run, std::size_t begin, std::size_t end) {
  const auto key = std::pair{begin, end};
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (found != blocks_.end()) {
    blocks_.splice(blocks_.begin(), blocks_, found);
    return blocks_.front().second;
  }
  std::string text;
  add_epochs(run, begin, end, text);
  blocks_.emplace_front(key, shared(std::move(text)));
  if (blocks_.size() > kMostBlocks) blocks_.pop_back();
  return blocks_.front().second;
}

}  // namespace wattree
