// TLS over real sockets, with OpenSSL as the client too. Certificates are made anew, so that none
// expires.
#include "src/server/beast/tls.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/test_folder.h"
#include "src/server/beast/test_application.h"
#include "src/server/beast/test_client.h"

namespace wattree {
namespace {

// Files for a server called localhost; false where there is no `openssl` to make them.
bool make_certificate(const TestFolder& folder) {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
      "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout '" +
      (folder.path() / "key.pem").string() + "' -out '" + (folder.path() / "cert.pem").string() +
      "' >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

class Tls : public testing::Test {
 protected:
  void SetUp() override {
    if (!make_certificate(folder_))
      GTEST_SKIP() << "there is no openssl to make a certificate with";
  }
  TlsFiles files() const { return {folder_.path() / "cert.pem", folder_.path() / "key.pem"}; }
  std::unique_ptr<WebServer> serve_tls(const WebLimits& limits = {}) const {
    return serve(test_application(), limits, {{"127.0.0.1", 0, "", files()}});
  }
  // What curl gets; it checks the certificate.
  std::string curl(const WebServer& server, const std::string& arguments) const {
    const std::string command = "curl -sS --max-time 20 --cacert '" + files().certificate.string() +
                                "' " + arguments + " 2>&1";
    std::string text = command;
    for (std::size_t at = text.find("URL"); at != std::string::npos; at = text.find("URL")) {
      text.replace(at, 3, server.urls().at(0));
    }
    FILE* pipe = ::popen(text.c_str(), "r");
    std::string out;
    char piece[65536];
    while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe)) out.append(piece, got);
    ::pclose(pipe);
    return out;
  }

  TestFolder folder_;
};

TEST_F(Tls, ServesWhatIsServedInTheClear) {
  if (std::system("curl --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no curl";
  const auto server = serve_tls();
  EXPECT_TRUE(server->urls().at(0).starts_with("https://127.0.0.1:"));
  EXPECT_EQ(curl(*server, "URL/fast URL/fast"), "fastfast");  // One connection.
  EXPECT_EQ(server->counts().accepted, 1U);
  EXPECT_EQ(curl(*server, "URL/cached"), std::string(200'000, 'c'));
  EXPECT_EQ(curl(*server, "--tls-max 1.2 URL/fast"), "fast");
  EXPECT_NE(curl(*server, "URL/echo").find("from 127.0.0.1 here by TLS by []"), std::string::npos);
  const std::string large(3'000'000, 'x');
  const std::string body = folder_.write("body", large).string();
  EXPECT_EQ(curl(*server, "--data-binary @" + body + " URL/size"), "3000000");
}

TEST_F(Tls, RefusesOldVersions) {
  if (std::system("curl --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no curl";
  const auto server = serve_tls();
  EXPECT_EQ(curl(*server, "--tlsv1.0 --tls-max 1.1 URL/fast").substr(0, 5), "curl:");
  EXPECT_EQ(curl(*server, "URL/fast"), "fast");
}

TEST_F(Tls, EndsThoseThatDoNotSpeakIt) {
  WebLimits limits;
  limits.head_time = std::chrono::milliseconds(300);
  const auto server = serve_tls(limits);
  TestClient plain(server->urls().at(0));
  plain.send("GET /fast HTTP/1.1\r\nHost: here\r\n\r\n");
  EXPECT_TRUE(plain.is_ended());
  TestClient silent(server->urls().at(0));
  EXPECT_TRUE(silent.is_ended());
  TestClient rubbish(server->urls().at(0));
  rubbish.send("\x16\x03\x01\xff\xff" + std::string(70'000, 'r'));
  EXPECT_TRUE(rubbish.is_ended());
}

TEST_F(Tls, NamesTheFileThatIsWrong) {
  const auto missing = TlsIdentity::load({folder_.path() / "none.pem", files().key});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().field, "tls_cert");
  EXPECT_NE(missing.error().message.find("none.pem"), std::string::npos);
  const auto swapped = TlsIdentity::load({files().certificate, files().certificate});
  ASSERT_FALSE(swapped.ok());
  EXPECT_EQ(swapped.error().field, "tls_key");
  const TestFolder other;
  ASSERT_TRUE(make_certificate(other));
  const auto foreign = TlsIdentity::load({files().certificate, other.path() / "key.pem"});
  ASSERT_FALSE(foreign.ok());
  EXPECT_EQ(foreign.error().field, "tls_key");
}

}  // namespace
}  // namespace wattree
