#include "src/server/beast/listening_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "src/base/in_quotes.h"

namespace wattree {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr int kBacklog = 4096;

bool is_unix(const WebListener& listener) { return listener.address.starts_with(kUnix); }

Error cannot_listen(const std::string& where, int number) {
  Error out{ErrorCode::kUnavailable, "cannot listen on " + where + ": " + ::strerror(number), "",
            "port"};
  if (number == EADDRINUSE) out.hint = "another program has the port; choose one with <port>";
  if (number == EACCES) out.hint = "ports below 1024 are root's; choose another with <port>";
  if (number == EADDRNOTAVAIL) {
    out.hint = "this machine has no such address; choose one with <address>";
    out.field = "address";
  }
  return out;
}

// 0, or the number of the error.
int bind_and_listen(int descriptor, const sockaddr* address, socklen_t size) {
  if (descriptor < 0) return errno;
  const int yes = 1;
  if (address->sa_family != AF_UNIX) {
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    // Connections inherit it: answers are sent whole, so that nothing is gained by waiting.
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  if (address->sa_family == AF_INET6) {
    ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  }
  const bool listens =
      ::bind(descriptor, address, size) == 0 && ::listen(descriptor, kBacklog) == 0;
  return listens ? 0 : errno;
}

// The port that the socket got; an error number where that is not known.
int find_port(int descriptor, std::uint16_t& port) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return errno;
  port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  return 0;
}

// Whether a server answers there, or a socket was left by one that was killed.
bool is_answered(const sockaddr_un& address) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const bool is_connected =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN;
  ::close(probe);
  return is_connected;
}

// 0, or the number of the error.
int listen_on_file(int descriptor, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(address.sun_path, &found) == 0) {
    if (!S_ISSOCK(found.st_mode) || is_answered(address)) return EADDRINUSE;
    ::unlink(address.sun_path);
  }
  // The socket's own mode, before anybody can open it.
  if (::fchmod(descriptor, S_IRUSR | S_IWUSR) != 0) return errno;
  return bind_and_listen(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

void describe_peer(const sockaddr_storage& from, AcceptedSocket& out) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (from.ss_family == AF_INET) {
    const in_addr& address = reinterpret_cast<const sockaddr_in*>(&from)->sin_addr;
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    out.peer = text.data();
    if (!out.peer.starts_with("127.")) out.peer_key = out.peer;
  } else if (from.ss_family == AF_INET6) {
    const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(&from)->sin6_addr;
    ::inet_ntop(AF_INET6, &address, text.data(), text.size());
    out.peer = text.data();
    // One client has a whole network of 64 bits.
    if (out.peer != "::1") out.peer_key.assign(reinterpret_cast<const char*>(&address), 8);
  }
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const WebListener& listener) {
  if (is_unix(listener)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = listener.address.substr(kUnix.size());
    if (path.empty() || path.size() >= sizeof address.sun_path) {
      return Error{ErrorCode::kInvalidInput, in_quotes(path) + " is no path for a socket",
                   "a path of at most 107 bytes", "address"};
    }
    path.copy(address.sun_path, path.size());
    ListeningSocket out(listener, ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int number = out.descriptor_ < 0 ? errno : listen_on_file(out.descriptor_, address);
    if (number == 0) return out;
    out.listener_.address.clear();  // It is not ours to remove.
    return Error{ErrorCode::kUnavailable,
                 "cannot listen on " + in_quotes(path) + ": " + ::strerror(number),
                 number == EADDRINUSE ? "something else is there already" : "", "address"};
  }
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(listener.address.c_str(), std::to_string(listener.port).c_str(), &hints,
                    &found) != 0) {
    return Error{ErrorCode::kInvalidInput,
                 in_quotes(listener.address) + " is no address to listen on",
                 "a numeric address, such as 127.0.0.1 or ::1", "address"};
  }
  ListeningSocket out(listener,
                      ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int number = bind_and_listen(out.descriptor_, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  if (number == 0) number = find_port(out.descriptor_, out.listener_.port);
  if (number != 0) return cannot_listen(out.url(), number);
  return out;
}

std::string ListeningSocket::url() const {
  if (is_unix(listener_)) return listener_.address;
  const bool is_v6 = listener_.address.find(':') != std::string::npos;
  return (listener_.tls ? "https://" : "http://") +
         (is_v6 ? "[" + listener_.address + "]" : listener_.address) + ":" +
         std::to_string(listener_.port);
}

AcceptedSocket ListeningSocket::accept() const {
  AcceptedSocket out;
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  out.descriptor = ::accept4(descriptor_, reinterpret_cast<sockaddr*>(&from), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (out.descriptor < 0) {
    out.error = errno;
    return out;
  }
  describe_peer(from, out);
  return out;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : listener_(std::move(other.listener_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

ListeningSocket::~ListeningSocket() { close(); }

void ListeningSocket::close() {
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  if (is_unix(listener_)) ::unlink(listener_.address.c_str() + kUnix.size());
}

}  // namespace wattree
