// What a session adds to the transport's counters for as long as it has it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "src/server/beast/stream_bell.h"
#include "src/server/http/web_counters.h"

namespace wattree {

// So many for as long as it lives. It may also end with the loop, in the middle of a wait.
class Counted {
 public:
  explicit Counted(WebCounters::Count& count, std::uint64_t many = 1) : count_(count), many_(many) {
    count_ += many_;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { count_ -= many_; }

 private:
  WebCounters::Count& count_;
  const std::uint64_t many_;
};

struct OpenStream {
  OpenStream(WebCounters& counters, std::shared_ptr<StreamBell> rung)
      : counted(counters.streams), bell(std::move(rung)) {}
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;
  ~OpenStream() { bell->silence(); }

  Counted counted;
  std::shared_ptr<StreamBell> bell;
};

}  // namespace wattree
