// Whose program is at the other end of a connection.
#pragma once

#include <sys/types.h>

#include <optional>

namespace wattree {

// The user of the socket at the other end, where that is on this machine; none where it is not, has
// been closed, or the kernel does not say. Takes some ten microseconds.
std::optional<uid_t> peer_user(int descriptor);

// Whether it is this process's user.
bool is_own_user(int descriptor);

}  // namespace wattree
