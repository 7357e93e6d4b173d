// All that answers, as the transport sees it. Both functions may be called from many threads at
// once and never throw.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "src/server/http/http.h"
#include "src/server/http/web_counters.h"

namespace wattree {

struct Application {
  // The answer where it is there already, or a refusal: costs microseconds, so that the thread that
  // reads sockets calls it. None: answer() must be asked.
  std::function<std::optional<HttpAnswer>(const HttpCall&)> answer_at_once;
  // May take as long as a prediction takes: called on a thread of a pool.
  std::function<HttpAnswer(const HttpCall&)> answer;
  // Where the transport counts, so that the application can tell; null: it counts for itself.
  std::shared_ptr<WebCounters> counters = {};
};

}  // namespace wattree
