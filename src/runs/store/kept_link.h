// A tracker on another machine that a server goes on following after a restart.
#pragma once

#include <cstdint>
#include <string>

namespace wattree {

struct KeptLink {
  std::int64_t id = 0;
  std::string address;
  // What the tracker's server wants to be called with; empty: nothing. Readable by whoever may read
  // the store, since it must be sent as it is.
  std::string token;
  bool operator==(const KeptLink&) const = default;
};

}  // namespace wattree
