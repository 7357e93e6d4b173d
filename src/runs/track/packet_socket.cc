#include "src/runs/track/packet_socket.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/base/file_error.h"

namespace wattree {
namespace {

constexpr std::size_t kMostBytes = 512;
constexpr int kAtOnce = 256;

bool watch(int events, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  return ::epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

Result<PacketSocket> PacketSocket::create(const std::filesystem::path& path, SocketUsers users,
                                          std::size_t most_clients) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path) {
    return Error{ErrorCode::kInvalidInput, path.string() + " is too long for a socket",
                 "set XDG_RUNTIME_DIR to a shorter folder"};
  }
  std::memcpy(address.sun_path, path.c_str(), path.string().size());
  const int listener = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return file_error("open the socket", path, errno);
  ::unlink(path.c_str());  // Left behind by one of the same number that was killed.
  // Nobody can connect before listen(): the mode is right by then.
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(listener, 128) != 0) {
    const int number = errno;
    ::close(listener);
    return file_error("open the socket", path, number);
  }
  const int events = ::epoll_create1(EPOLL_CLOEXEC);
  if (events < 0 || !watch(events, listener)) {
    const int number = errno;
    ::close(listener);
    if (events >= 0) ::close(events);
    return file_error("watch the socket", path, number);
  }
  return PacketSocket(path, users, most_clients, listener, events);
}

PacketSocket::PacketSocket(std::filesystem::path path, SocketUsers users, std::size_t most_clients,
                           int listener, int events)
    : path_(std::move(path)),
      users_(users),
      most_clients_(most_clients),
      listener_(listener),
      events_(events) {}

PacketSocket::PacketSocket(PacketSocket&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      users_(other.users_),
      most_clients_(other.most_clients_),
      listener_(std::exchange(other.listener_, -1)),
      events_(std::exchange(other.events_, -1)),
      clients_(std::exchange(other.clients_, {})) {}

PacketSocket::~PacketSocket() {
  for (const int client : clients_) ::close(client);
  if (listener_ < 0) return;
  ::close(events_);
  ::close(listener_);
  ::unlink(path_.c_str());
}

bool PacketSocket::may_enter(int client) const {
  if (clients_.size() >= most_clients_) return false;
  if (users_ == SocketUsers::kWhoeverMayEnter) return true;
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

void PacketSocket::accept_all(const Handlers& handlers) {
  while (true) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return;
    if (!may_enter(client) || !watch(events_, client)) {
      ::close(client);
      continue;
    }
    clients_.push_back(client);
    if (handlers.come) handlers.come(client);
  }
}

void PacketSocket::drop(int client) {
  ::close(client);
  std::erase(clients_, client);
}

void PacketSocket::receive(const Handlers& handlers) {
  epoll_event ready[32];
  const int count = ::epoll_wait(events_, ready, 32, 0);
  for (int i = 0; i < count; ++i) {
    const int client = ready[i].data.fd;
    if (client == listener_) {
      accept_all(handlers);
      continue;
    }
    // So many at once, so that one who talks all the time does not keep the others waiting.
    for (int k = 0; k < kAtOnce; ++k) {
      char packet[kMostBytes];
      const ssize_t got = ::recv(client, packet, sizeof packet, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (got <= 0) {
        drop(client);
        if (handlers.gone) handlers.gone(client);
        break;
      }
      handlers.packet(client, {packet, static_cast<std::size_t>(got)});
    }
  }
}

void PacketSocket::send(int client, std::string_view packet) {
  ::send(client, packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace wattree
