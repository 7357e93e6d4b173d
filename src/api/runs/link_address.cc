#include "src/api/runs/link_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "src/base/in_quotes.h"
#include "src/base/text.h"

namespace wattree {
namespace {

constexpr std::string_view kRunPath = "/api/v1/runs/";
constexpr std::size_t kMostBytes = 300;

Error no_address(std::string_view text, const char* why) {
  return {ErrorCode::kInvalidInput, in_quotes(text) + " is not the address of a tracker: " + why,
          "give what the tracker prints, such as http://127.0.0.1:8080/api/v1/runs/current",
          "address"};
}

struct Block {
  std::uint32_t base;
  int bits;
};
// IANA's special-purpose registry, and metadata services that are elsewhere.
constexpr std::array<Block, 7> kForbidden{{
    {0x00000000, 8},   // 0.0.0.0/8: this network.
    {0xa9fe0000, 16},  // 169.254.0.0/16: link-local; AWS, Azure, Google.
    {0x646464c8, 32},  // 100.100.100.200: Alibaba's metadata.
    {0xa83f8110, 32},  // 168.63.129.16: Azure's platform.
    {0xc0000000, 24},  // 192.0.0.0/24: protocol assignments; Oracle's metadata.
    {0xe0000000, 4},   // 224.0.0.0/4: multicast.
    {0xf0000000, 4},   // 240.0.0.0/4: reserved, and broadcast.
}};

bool is_linkable_v4(std::uint32_t address) {
  return std::none_of(kForbidden.begin(), kForbidden.end(), [&](const Block& block) {
    const std::uint32_t mask = block.bits == 32 ? ~0u : ~(~0u >> block.bits);
    return (address & mask) == block.base;
  });
}

std::uint32_t v4_at(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool is_linkable_v6(const std::uint8_t* bytes) {
  const auto begins = [&](std::initializer_list<int> with) {
    return std::equal(with.begin(), with.end(), bytes,
                      [](int a, std::uint8_t b) { return a == b; });
  };
  const bool is_zero = std::all_of(bytes, bytes + 12, [](std::uint8_t b) { return b == 0; });
  constexpr std::array<std::uint8_t, 16> kLoopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  if (std::equal(kLoopback.begin(), kLoopback.end(), bytes)) return true;
  // IPv4 in another dress: mapped, compatible, translated (NAT64) and 6to4.
  if (begins({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}) || is_zero ||
      begins({0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_linkable_v4(v4_at(bytes + 12));
  }
  if (begins({0x20, 0x02})) return is_linkable_v4(v4_at(bytes + 2));
  const bool is_link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
  const bool is_metadata = begins({0xfd, 0x00, 0x0e, 0xc2});  // AWS: fd00:ec2::254
  return !is_link_local && !is_metadata && bytes[0] != 0xff;
}

}  // namespace

Result<LinkAddress> parse_link_address(std::string_view text) {
  text = trimmed(text);
  std::string_view rest = text;
  LinkAddress out;
  if (text.size() > kMostBytes) return no_address(text, "it is too long");
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c > '~'; })) {
    return no_address(text, "it has characters that no address has");
  }
  const std::size_t scheme = rest.find("://");
  std::string prefix = "http://";
  if (scheme != std::string_view::npos) {
    prefix = rest.substr(0, scheme + 3);
    if (prefix != "http://" && prefix != "https://") {
      return no_address(text, "it must begin with http:// or https://");
    }
    rest.remove_prefix(scheme + 3);
  }
  const std::string_view host = rest.substr(0, rest.find('/'));
  rest.remove_prefix(host.size());
  if (host.empty() || host.find_first_of("@?#\\\"'<>%") != std::string_view::npos) {
    return no_address(text, "it has no host, or more than a host and a port");
  }
  out.origin = prefix + std::string(host);
  if (rest.empty() || rest == "/") return out;
  const std::string_view id = rest.substr(std::min(kRunPath.size(), rest.size()));
  if (!rest.starts_with(kRunPath) || id.empty() ||
      id.find_first_of("/?#%\\") != std::string_view::npos || id == "." || id == "..") {
    return no_address(text, "behind the port there may only be the path of a run");
  }
  out.run = rest;
  return out;
}

bool is_linkable(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return is_linkable_v4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    return is_linkable_v6(in.sin6_addr.s6_addr);
  }
  return false;
}

}  // namespace wattree
