// Server-sent events of one reader.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace wattree {

// Virtual, because what is behind it differs: a run that this process tracks, the journal of one
// that another process does, a tracker on another machine.
class EventStream {
 public:
  EventStream() = default;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  virtual ~EventStream() = default;

  // Whole events, ready to be sent ("id: 7\nevent: epoch\ndata: {…}\n\n"), as many as fit into some
  // tens of kilobytes; null where there are none now. Shared with all readers that are as far. By
  // one thread at a time. A reader that fell too far behind gets what matters now, not everything.
  virtual std::shared_ptr<const std::string> next() = 0;

  // After the last event, once next() has given it.
  virtual bool is_over() const = 0;

  // `wake` is called, from any thread, when next() or is_over() may have changed; not after the
  // stream was destroyed. It must not wait.
  virtual void on_more(std::function<void()> wake) = 0;
};

}  // namespace wattree
