#include "src/runs/track/epoch_socket.h"

#include <unistd.h>

#include <charconv>

namespace wattree {
namespace {

constexpr std::size_t kMostClients = 1024;

void tell(int client, bool is_paused) { PacketSocket::send(client, is_paused ? "P" : "R"); }

std::filesystem::path socket_path(const std::filesystem::path& folder) {
  return folder / (std::to_string(::getpid()) + ".sock");
}

}  // namespace

std::string socket_address(const std::filesystem::path& folder) {
  return "unix:" + socket_path(folder).string();
}

bool parse_epoch_message(std::string_view packet, EpochMessage& message) {
  if (packet.size() < 3 || packet[1] != ' ') return false;
  switch (packet[0]) {
    case 'B': message.kind = EpochMessage::Kind::kEpochBegin; break;
    case 'E': message.kind = EpochMessage::Kind::kEpochEnd; break;
    case 'b': message.kind = EpochMessage::Kind::kStepBegin; break;
    case 'e': message.kind = EpochMessage::Kind::kStepEnd; break;
    case 'W': message.kind = EpochMessage::Kind::kWaiting; break;
    default: return false;
  }
  packet.remove_prefix(2);
  const auto time = std::from_chars(packet.data(), packet.data() + packet.size(), message.at);
  if (time.ec != std::errc() || message.at < 0) return false;
  packet.remove_prefix(static_cast<std::size_t>(time.ptr - packet.data()));
  if (!packet.empty() && packet.front() != ' ') return false;
  message.name = packet.substr(packet.empty() ? 0 : 1);
  return true;
}

Result<std::unique_ptr<EpochSocket>> EpochSocket::create(const std::filesystem::path& folder) {
  Result<PacketSocket> socket =
      PacketSocket::create(socket_path(folder), SocketUsers::kWhoeverMayEnter, kMostClients);
  if (!socket.ok()) return socket.error();
  return std::unique_ptr<EpochSocket>(new EpochSocket(std::move(socket).value()));
}

void EpochSocket::receive(const std::function<void(const EpochMessage&)>& take,
                          const std::function<void(int client)>& gone) {
  socket_.receive({[&](int client) { tell(client, is_paused_); },
                   [&](int client, std::string_view packet) {
                     EpochMessage message;
                     message.client = client;
                     if (parse_epoch_message(packet, message)) take(message);
                   },
                   gone});
}

void EpochSocket::set_paused(bool is_paused) {
  is_paused_ = is_paused;
  for (const int client : socket_.clients()) tell(client, is_paused);
}

}  // namespace wattree
