#include "src/server/beast/peer_user.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace wattree {
namespace {

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 about{};
};

// An end of the connection in the form of the kernel's question.
bool put_end(const sockaddr_storage& end, __be16& port, __be32 (&address)[4]) {
  if (end.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(end);
    port = v4.sin_port;
    address[0] = v4.sin_addr.s_addr;
    return true;
  }
  if (end.ss_family != AF_INET6) return false;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(end);
  port = v6.sin6_port;
  std::memcpy(address, &v6.sin6_addr, sizeof address);
  return true;
}

// The kernel is asked for the other end's socket: what is far here is near there.
std::optional<Question> question_about(int descriptor) {
  sockaddr_storage near{}, far{};
  socklen_t near_size = sizeof near, far_size = sizeof far;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&near), &near_size) != 0 ||
      ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&far), &far_size) != 0) {
    return std::nullopt;
  }
  Question out;
  out.header.nlmsg_len = sizeof out;
  out.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  out.header.nlmsg_flags = NLM_F_REQUEST;
  out.about.sdiag_family = static_cast<__u8>(far.ss_family);
  out.about.sdiag_protocol = IPPROTO_TCP;
  out.about.idiag_states = ~0U;
  inet_diag_sockid& id = out.about.id;
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (!put_end(far, id.idiag_sport, id.idiag_src) || !put_end(near, id.idiag_dport, id.idiag_dst)) {
    return std::nullopt;
  }
  return out;
}

std::optional<uid_t> user_in(const char* bytes, std::size_t size, const Question& asked) {
  nlmsghdr header{};
  inet_diag_msg found{};
  if (size < sizeof header + sizeof found) return std::nullopt;
  std::memcpy(&header, bytes, sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  std::memcpy(&found, bytes + NLMSG_HDRLEN, sizeof found);
  const bool is_it = found.id.idiag_sport == asked.about.id.idiag_sport &&
                     found.id.idiag_dport == asked.about.id.idiag_dport;
  // A socket that its program has closed has no inode, and then the user may be said to be 0.
  if (!is_it || found.idiag_inode == 0) return std::nullopt;
  return found.idiag_uid;
}

std::optional<uid_t> user_of_file_socket(int descriptor) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
  return who.uid;
}

}  // namespace

std::optional<uid_t> peer_user(int descriptor) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return std::nullopt;
  if (domain == AF_UNIX) return user_of_file_socket(descriptor);
  const std::optional<Question> question = question_about(descriptor);
  if (!question) return std::nullopt;
  const int kernel = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (kernel < 0) return std::nullopt;
  const timeval patience{0, 100'000};  // It answers at once, or not at all.
  ::setsockopt(kernel, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::optional<uid_t> out;
  std::array<char, 1024> answer{};
  if (::send(kernel, &*question, sizeof *question, 0) == sizeof *question) {
    const ssize_t got = ::recv(kernel, answer.data(), answer.size(), 0);
    if (got > 0) out = user_in(answer.data(), static_cast<std::size_t>(got), *question);
  }
  ::close(kernel);
  return out;
}

bool is_own_user(int descriptor) { return peer_user(descriptor) == ::geteuid(); }

}  // namespace wattree
