// Where a connection came in.
#pragma once

#include <memory>
#include <string>

#include "src/server/beast/tls.h"

namespace wattree {

struct ConnectionOrigin {
  std::string peer;
  std::string peer_key;  // What limits count by; empty: it is from here.
  std::string listener;
  std::shared_ptr<const TlsIdentity> tls;  // Null: in the clear.
  bool is_own_user = false;                // A program of this process's user, from here.

  bool operator==(const ConnectionOrigin&) const = default;
};

}  // namespace wattree
