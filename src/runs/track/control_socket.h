// Where other programs of the same user pause a tracked run, let it go on and ask how it is: the
// server, above all. Both ends are here.
//
// A request is one packet, "pause", "resume" or "status"; the answer is one packet of JSON,
// {"status":"live|waiting|paused","elapsed_s":12.5,"epochs_ended":3}, or {"error":{"message":…}}.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/base/units.h"
#include "src/runs/track/packet_socket.h"
#include "src/runs/track/record.h"

namespace wattree {

enum class ControlRequest { kStatus, kPause, kResume };

struct ControlAnswer {
  PauseState pause = PauseState::kNone;
  Seconds elapsed;
  std::int64_t epochs_ended = 0;
};

// The socket of a tracker, by its process.
std::filesystem::path control_path(const std::filesystem::path& folder, std::int64_t process);

class ControlSocket {
 public:
  // In a folder that only this user may enter.
  static Result<ControlSocket> create(const std::filesystem::path& folder);

  int descriptor() const { return socket_.descriptor(); }
  // Hands over every request that has come and sends what is returned; never waits.
  void receive(const std::function<Result<ControlAnswer>(ControlRequest)>& take);

 private:
  explicit ControlSocket(PacketSocket socket) : socket_(std::move(socket)) {}
  PacketSocket socket_;
};

// Asks a tracker. An error where nobody answers within two seconds, or somebody whom it does not
// let in asks.
Result<ControlAnswer> ask_tracker(const std::filesystem::path& socket, ControlRequest request);

}  // namespace wattree
