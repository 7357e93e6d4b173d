#include "src/runs/track/epoch_socket.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "src/base/file_error.h"

namespace wattree {
namespace {

constexpr std::size_t kMostClients = 1024;
constexpr std::size_t kMostBytes = 512;

// A reader that does not read does not hold the tracker up.
void tell(int client, bool is_paused) {
  const char letter = is_paused ? 'P' : 'R';
  ::send(client, &letter, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

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
  const std::filesystem::path path = socket_path(folder);
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
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, 128) != 0) {
    const int number = errno;
    ::close(listener);
    return file_error("open the socket", path, number);
  }
  const int events = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener;
  if (events < 0 || ::epoll_ctl(events, EPOLL_CTL_ADD, listener, &event) != 0) {
    const int number = errno;
    ::close(listener);
    if (events >= 0) ::close(events);
    return file_error("watch the socket", path, number);
  }
  return std::unique_ptr<EpochSocket>(new EpochSocket(path, listener, events));
}

EpochSocket::EpochSocket(std::filesystem::path path, int listener, int events)
    : path_(std::move(path)), listener_(listener), events_(events) {}

EpochSocket::~EpochSocket() {
  for (const int client : clients_) ::close(client);
  ::close(events_);
  ::close(listener_);
  ::unlink(path_.c_str());
}

void EpochSocket::accept_all() {
  while (true) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = client;
    if (clients_.size() >= kMostClients ||
        ::epoll_ctl(events_, EPOLL_CTL_ADD, client, &event) != 0) {
      ::close(client);
      continue;
    }
    clients_.push_back(client);
    tell(client, is_paused_);
  }
}

void EpochSocket::drop(int client) {
  ::close(client);
  std::erase(clients_, client);
}

void EpochSocket::receive(const std::function<void(const EpochMessage&)>& take,
                          const std::function<void(int client)>& gone) {
  epoll_event ready[32];
  const int count = ::epoll_wait(events_, ready, 32, 0);
  for (int i = 0; i < count; ++i) {
    const int client = ready[i].data.fd;
    if (client == listener_) {
      accept_all();
      continue;
    }
    // So many at once, so that one who talks all the time does not keep the others waiting.
    for (int k = 0; k < 256; ++k) {
      char packet[kMostBytes];
      const ssize_t got = ::recv(client, packet, sizeof packet, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (got <= 0) {
        drop(client);
        gone(client);
        break;
      }
      EpochMessage message;
      message.client = client;
      if (parse_epoch_message({packet, static_cast<std::size_t>(got)}, message)) take(message);
    }
  }
}

void EpochSocket::set_paused(bool is_paused) {
  is_paused_ = is_paused;
  for (const int client : clients_) tell(client, is_paused);
}

}  // namespace wattree
