// All that answers, as the transport sees it. Its functions may be called from many threads at
// once and never throw.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "src/server/http/http.h"
#include "src/server/http/web_counters.h"

namespace wattree {

// How a call's body may come.
struct BodyTerms {
  std::optional<HttpAnswer> refusal;  // Of the call: its body need not be read.
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
  // Of all bodies that are being received or answered, together.
  std::size_t most_of_all = std::numeric_limits<std::size_t>::max();
};

struct Application {
  // The answer where it is there already, or a refusal: costs microseconds, so that the thread that
  // reads sockets calls it. None: answer() must be asked.
  std::function<std::optional<HttpAnswer>(const HttpCall&)> answer_at_once;
  // May take as long as a prediction takes: called on a thread of a pool. It looks at the call's
  // cancellation meanwhile.
  std::function<HttpAnswer(const HttpCall&)> answer;
  // Asked at the end of the headers of a call whose body is still to come; quick, too. Absent: what
  // the transport's limits say.
  std::function<BodyTerms(const HttpCall&)> body_terms = {};
  // Told of a call that could not be read, or was too large or too slow, and what it was answered.
  std::function<void(const HttpCall&, const HttpAnswer&)> note_refusal = {};
  // Whether the program at the other end of a connection from here is of this process's user; asked
  // once for each. Absent: the kernel is asked.
  std::function<bool(int descriptor)> is_own_user = {};
  // Where the transport counts, so that the application can tell; null: it counts for itself.
  std::shared_ptr<WebCounters> counters = {};
};

}  // namespace wattree
