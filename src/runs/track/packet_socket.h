// A Unix socket of packets that the tracker's own loop serves: no thread, and nobody who connects
// can hold it up.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

enum class SocketUsers {
  kWhoeverMayEnter,  // Anybody whom the folder lets in.
  kThisUser,         // Only processes of this user, as the kernel says (SO_PEERCRED).
};

class PacketSocket {
 public:
  // A socket of mode 0600 at `path`; the file goes away with the object. Clients beyond
  // `most_clients` are turned away.
  static Result<PacketSocket> create(const std::filesystem::path& path, SocketUsers users,
                                     std::size_t most_clients);
  PacketSocket(PacketSocket&& other) noexcept;
  PacketSocket& operator=(PacketSocket&&) = delete;
  ~PacketSocket();

  int descriptor() const { return events_; }  // Readable when there is something to receive().
  const std::vector<int>& clients() const { return clients_; }

  struct Handlers {
    std::function<void(int client)> come;
    std::function<void(int client, std::string_view packet)> packet;
    std::function<void(int client)> gone;
  };
  // Hands over what has come; never waits.
  void receive(const Handlers& handlers);
  // A client that does not read loses the packet.
  static void send(int client, std::string_view packet);

 private:
  PacketSocket(std::filesystem::path path, SocketUsers users, std::size_t most_clients,
               int listener, int events);
  void accept_all(const Handlers& handlers);
  bool may_enter(int client) const;
  void drop(int client);

  std::filesystem::path path_;
  SocketUsers users_;
  std::size_t most_clients_;
  int listener_, events_;
  std::vector<int> clients_;
};

}  // namespace wattree
