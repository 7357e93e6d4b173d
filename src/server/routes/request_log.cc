#include "src/server/routes/request_log.h"

#include "src/base/json_writer.h"
#include "src/base/utc_time.h"

namespace wattree {

std::string log_line(const HttpCall& call, const HttpAnswer& answer, std::string_view operation,
                     std::string_view caller, std::int64_t seconds_since_1970,
                     std::chrono::nanoseconds took) {
  constexpr std::size_t kLongestPath = 200;
  JsonWriter out;
  out.begin_object();
  out.field("time", to_string(UtcTime(std::chrono::seconds(seconds_since_1970))));
  out.field("peer", caller);
  out.field("method", call.method);
  out.field("path", std::string_view(call.path).substr(0, kLongestPath));
  out.field("operation", operation);
  out.field("status", std::int64_t{answer.status});
  out.field("bytes", static_cast<std::int64_t>(answer.body ? answer.body->size() : 0));
  out.field("duration_s", std::chrono::duration<double>(took).count());
  out.end_object();
  return out.take();
}

}  // namespace wattree
