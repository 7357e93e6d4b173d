#include "src/api/runs/link_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <string>

namespace wattree {
namespace {

bool is_linkable_text(const std::string& text) {
  sockaddr_storage storage{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
  } else {
    EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr), 1) << text;
    v6->sin6_family = AF_INET6;
  }
  return is_linkable(reinterpret_cast<const sockaddr&>(storage));
}

TEST(LinkAddress, TakesWhatTrackersPrint) {
  const LinkAddress run = parse_link_address("http://127.0.0.1:8080/api/v1/runs/current").value();
  EXPECT_EQ(run.origin, "http://127.0.0.1:8080");
  EXPECT_EQ(run.run, "/api/v1/runs/current");
  EXPECT_EQ(parse_link_address(" node7:5000 ").value().origin, "http://node7:5000");
  EXPECT_EQ(parse_link_address("https://[::1]:8080/").value().origin, "https://[::1]:8080");
  EXPECT_EQ(parse_link_address("https://node").value().run, "");
}

TEST(LinkAddress, RefusesEverythingElse) {
  for (const char* text :
       {"", "ftp://node", "file:///etc/passwd", "gopher://node", "http://", "http:///x",
        "http://user:secret@node", "http://node/admin", "http://node/api/v1/runs/",
        "http://node/api/v1/runs/a/b", "http://node/api/v1/runs/..", "http://node/api/v1/runs/a?b",
        "http://node?x", "http://node#x", "http://no de", "http://node\r\nHost: other",
        "http://node\\@other", "HTTP://node/%2e"}) {
    EXPECT_FALSE(parse_link_address(text).ok()) << text;
  }
}

TEST(LinkAddress, LeadsToNoMetadataAndNoLinkLocalAddress) {
  for (const char* text :
       {"169.254.169.254", "169.254.0.1", "0.0.0.0", "0.1.2.3", "100.100.100.200", "168.63.129.16",
        "192.0.0.192", "224.0.0.1", "255.255.255.255", "fe80::1", "febf::1", "fd00:ec2::254",
        "::", "ff02::1", "::ffff:169.254.169.254", "::169.254.169.254", "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1"}) {
    EXPECT_FALSE(is_linkable_text(text)) << text;
  }
  for (const char* text : {"127.0.0.1", "10.0.0.7", "192.168.1.5", "172.16.0.1", "8.8.8.8",
                           "100.100.100.201", "::1", "2001:db8::7", "fd12::1", "::ffff:10.0.0.7"}) {
    EXPECT_TRUE(is_linkable_text(text)) << text;
  }
}

}  // namespace
}  // namespace wattree
