// One request, bounded in time, size and redirects.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/base/work_budget.h"

namespace wattree {

struct HttpFetch {
  std::string url;    // http or https.
  std::string token;  // A bearer token for the URL's host, and for no host it redirects to.
  std::string proxy;
  std::string no_proxy;
  std::string ca_bundle;
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds total_timeout{30'000};
  std::uint64_t size_limit = std::uint64_t{4} << 20;
  std::shared_ptr<const Cancellation> cancellation = {};  // Ends it; null: nothing does.
  bool follows_redirects = true;  // Otherwise the redirect itself is the reply.
  bool is_post = false;           // POST, with an empty body.
  // Asked about every address that the host's name leads to, before it is connected to, so that a
  // name cannot lead where it must not. Absent: any will do.
  std::function<bool(const sockaddr&)> may_connect = {};
};

struct HttpHeader {
  std::string name;  // In small letters.
  std::string value;
};

struct HttpReply {
  long status = 0;
  std::string body;             // Empty where the status is an error.
  long retry_after_s = 0;       // 0: not said.
  std::vector<HttpHeader> all;  // Headers of every response, redirects first.
  std::size_t last = 0;         // Where those of the last response begin.

  // A header of the last response; empty where it is absent.
  std::string_view header(std::string_view name) const;
  // The same of the first response that has it.
  std::string_view first_header(std::string_view name) const;
};

// A reply of any status. An error where there is none that is whole and within the bounds: with
// kInvalidInput where it is too large, kUnavailable for everything that may pass (no network, no
// such host, time-out, a connection that breaks, certificates, redirects without end).
Result<HttpReply> http_get(const HttpFetch& request);

}  // namespace wattree
