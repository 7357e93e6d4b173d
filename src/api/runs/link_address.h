// The address of a tracker elsewhere, as a user types it, and where it may lead.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

struct LinkAddress {
  std::string origin;  // "http://node7:8080"
  std::string run;     // "/api/v1/runs/current"; empty: the address names no run.
};

// "node7:8080", "http://node7:8080", or with the path of a run behind it, as a tracker prints it.
// Only http and https, without a user, a query or another path.
Result<LinkAddress> parse_link_address(std::string_view text);

// False for addresses behind which there is no tracker, but what must not be asked by others:
// link-local ones (169.254.0.0/16, fe80::/10), those of clouds' metadata services, and those that
// are no host's (unspecified, multicast, broadcast); also as IPv6 forms of an IPv4 address.
bool is_linkable(const sockaddr& address);

}  // namespace wattree
