// Where programs tell the tracker of their epochs and steps (include/wattree/track.h is the other
// end). A message is one packet of text: a letter, the time in nanoseconds of CLOCK_BOOTTIME, and a
// name; "B" and "E" for an epoch's begin and end, "b" and "e" for a step's, "W" for "I wait,
// because you are paused". The tracker sends "P" (pause at your next epoch) and "R" (go on).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/result.h"
#include "src/measure/meter/clock.h"
#include "src/runs/track/packet_socket.h"

namespace wattree {

struct EpochMessage {
  enum class Kind { kEpochBegin, kEpochEnd, kStepBegin, kStepEnd, kWaiting };
  Kind kind = Kind::kEpochBegin;
  Nanos at = 0;
  std::string name;
  int client = 0;
};
// False where the packet is none.
bool parse_epoch_message(std::string_view packet, EpochMessage& message);

// For WATTREE_TRACK: where this process's socket is.
std::string socket_address(const std::filesystem::path& folder);

class EpochSocket {
 public:
  // A socket in the folder, for this process; it goes away with the object.
  static Result<std::unique_ptr<EpochSocket>> create(const std::filesystem::path& folder);
  int descriptor() const {
    return socket_.descriptor();
  }  // Readable when there is something to receive().
  // Hands over every message that has come; never waits.
  void receive(const std::function<void(const EpochMessage&)>& take,
               const std::function<void(int client)>& gone);
  void set_paused(bool is_paused);
  std::size_t clients() const { return socket_.clients().size(); }

 private:
  explicit EpochSocket(PacketSocket socket) : socket_(std::move(socket)) {}

  PacketSocket socket_;
  bool is_paused_ = false;
};

}  // namespace wattree
