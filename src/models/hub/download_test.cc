#include "src/models/hub/download.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <memory>
#include <string>

#include "src/base/test_folder.h"
#include "src/models/hub/test_server.h"

namespace wattree {
namespace {

using std::chrono::milliseconds;

// Ends only tests that hang: a busy machine is slow. Those of time-outs set their own.
constexpr milliseconds kPatience(10'000);
const char* const kCommit = "86b5e0934494bd15c9632b12f734a8a67f723594";
const char* const kConfig = R"({"model_type": "bert"})";
const RepoName kRepo{"org", "name", "main"};
const std::string kCommitHeader = std::string("X-Repo-Commit: ") + kCommit + "\r\n";

HubOptions options_for(const TestServer& server) {
  HubOptions options;
  options.endpoint = server.url();
  options.connect_timeout = kPatience;
  options.total_timeout = kPatience;
  return options;
}

// What comes of one answer.
Result<Download> download_from(TestServer::Handler handler, milliseconds timeout = kPatience) {
  TestServer server(std::move(handler));
  HubOptions options = options_for(server);
  options.total_timeout = timeout;
  options.size_limit = 64 * 1024;
  return download_config(kRepo, options);
}

void expect_error(const Result<Download>& result, ErrorCode code, const std::string& in_message,
                  const std::string& in_hint = "") {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, code) << result.error().message;
  EXPECT_NE(result.error().message.find(in_message), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().hint.find(in_hint), std::string::npos) << result.error().hint;
  EXPECT_FALSE(result.error().hint.empty());
}

TEST(Download, FetchesAConfig) {
  TestServer server([](TestConnection& connection, const TestRequest&) {
    connection.reply(200, kConfig, kCommitHeader);
  });
  const auto result = download_config(kRepo, options_for(server));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().config, kConfig);
  EXPECT_EQ(result.value().commit, kCommit);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].target, "/org/name/resolve/main/config.json");
  EXPECT_TRUE(requests[0].header("user-agent").starts_with("wattree/"));
  EXPECT_EQ(requests[0].header("authorization"), "");
}

TEST(Download, EndsWhereNobodyWaits) {
  TestServer server(
      [](TestConnection& connection, const TestRequest&) { connection.wait_until_peer_goes(); });
  HubOptions options = options_for(server);
  const auto cancellation = std::make_shared<Cancellation>();
  options.cancellation = cancellation;
  const auto begin = std::chrono::steady_clock::now();
  std::jthread client([&] {
    std::this_thread::sleep_for(milliseconds(100));
    cancellation->cancel();
  });
  expect_error(download_config(kRepo, options), ErrorCode::kUnavailable, "nobody waits");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Download, EncodesTheRevision) {
  TestServer server(
      [](TestConnection& connection, const TestRequest&) { connection.reply(200, kConfig); });
  ASSERT_TRUE(download_config({"org", "name", "refs/pr/1"}, options_for(server)).ok());
  EXPECT_EQ(server.requests().at(0).target, "/org/name/resolve/refs%2Fpr%2F1/config.json");
}

TEST(Download, TakesNoCommitThatIsNone) {
  const auto result = download_from([](TestConnection& connection, const TestRequest&) {
    connection.reply(200, kConfig, "X-Repo-Commit: ../../x\r\n");
  });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().commit, "");
}

TEST(Download, ReadsABodyWithoutALength) {
  const auto result = download_from([](TestConnection& connection, const TestRequest&) {
    connection.send(std::string("HTTP/1.0 200 OK\r\n\r\n") + kConfig);
  });
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().config, kConfig);
}

TEST(Download, ReadsAChunkedBody) {
  const auto result = download_from([](TestConnection& connection, const TestRequest&) {
    connection.send(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
  });
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().config, "{}");
}

// Tokens.

TEST(Download, SendsTheToken) {
  TestServer server(
      [](TestConnection& connection, const TestRequest&) { connection.reply(200, kConfig); });
  HubOptions options = options_for(server);
  options.token = " hf_abc\n";
  ASSERT_TRUE(download_config(kRepo, options).ok());
  EXPECT_EQ(server.requests().at(0).header("authorization"), "Bearer hf_abc");
}

TEST(Download, ReadsTheTokenFile) {
  TestServer server(
      [](TestConnection& connection, const TestRequest&) { connection.reply(200, kConfig); });
  TestFolder folder;
  HubOptions options = options_for(server);
  options.token_file = folder.path() / "token";
  ASSERT_TRUE(download_config(kRepo, options).ok());  // It need not exist.
  folder.write("token", "hf_file\n");
  ASSERT_TRUE(download_config(kRepo, options).ok());
  options.token = "hf_variable";
  ASSERT_TRUE(download_config(kRepo, options).ok());
  EXPECT_EQ(server.requests().at(0).header("authorization"), "");
  EXPECT_EQ(server.requests().at(1).header("authorization"), "Bearer hf_file");
  EXPECT_EQ(server.requests().at(2).header("authorization"), "Bearer hf_variable");
}

TEST(Download, SendsNoTokenThatWouldBreakTheHeader) {
  TestServer server(
      [](TestConnection& connection, const TestRequest&) { connection.reply(200, kConfig); });
  HubOptions options = options_for(server);
  options.token = "hf_abc\r\nX-Evil: 1";
  const auto result = download_config(kRepo, options);
  expect_error(result, ErrorCode::kInvalidInput, "HF_TOKEN");
  EXPECT_EQ(result.error().message.find("hf_abc"), std::string::npos);
  EXPECT_TRUE(server.requests().empty());
}

// Redirects.

TEST(Download, FollowsARelativeRedirect) {
  TestServer server([](TestConnection& connection, const TestRequest& request) {
    if (request.target == "/moved/config.json") {
      connection.reply(200, kConfig);
    } else {
      connection.reply(307, "moved", "Location: /moved/config.json\r\n" + kCommitHeader);
    }
  });
  HubOptions options = options_for(server);
  options.token = "hf_abc";
  const auto result = download_config(kRepo, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().config, kConfig);
  EXPECT_EQ(result.value().commit, kCommit);  // Said before the redirect.
  EXPECT_EQ(server.requests().at(1).header("authorization"), "Bearer hf_abc");
}

TEST(Download, FollowsAnAbsoluteRedirect) {
  TestServer server([](TestConnection& connection, const TestRequest& request) {
    if (request.target == "/moved") {
      connection.reply(200, kConfig);
    } else {
      connection.reply(302, "", "Location: http://" + request.header("host") + "/moved\r\n");
    }
  });
  EXPECT_TRUE(download_config(kRepo, options_for(server)).ok());
}

TEST(Download, KeepsTheTokenFromOtherHosts) {
  TestServer other(
      [](TestConnection& connection, const TestRequest&) { connection.reply(200, kConfig); });
  TestServer server([&](TestConnection& connection, const TestRequest&) {
    connection.reply(302, "", "Location: " + other.url() + "/elsewhere\r\n");
  });
  HubOptions options = options_for(server);
  options.token = "hf_abc";
  ASSERT_TRUE(download_config(kRepo, options).ok());
  EXPECT_EQ(server.requests().at(0).header("authorization"), "Bearer hf_abc");
  const auto elsewhere = other.requests();
  ASSERT_EQ(elsewhere.size(), 1u);
  EXPECT_EQ(elsewhere[0].header("authorization"), "");
  for (const auto& [name, value] : elsewhere[0].headers) {
    EXPECT_EQ(value.find("hf_abc"), std::string::npos) << name;
  }
}

TEST(Download, LeavesARedirectLoop) {
  TestServer server([](TestConnection& connection, const TestRequest&) {
    connection.reply(302, "", "Location: /again\r\n");
  });
  expect_error(download_config(kRepo, options_for(server)), ErrorCode::kUnavailable,
               "redirected more than 5 times", "HF_ENDPOINT");
  EXPECT_EQ(server.requests().size(), 6u);
}

TEST(Download, FollowsNoRedirectToAnotherProtocol) {
  TestFolder folder;
  const std::string file = folder.write("config.json", kConfig).string();
  for (const std::string& target :
       {"file://" + file, std::string("ftp://127.0.0.1/x"), std::string("gopher://127.0.0.1/x")}) {
    expect_error(download_from([&](TestConnection& connection, const TestRequest&) {
                   connection.reply(302, "", "Location: " + target + "\r\n");
                 }),
                 ErrorCode::kUnavailable, "config.json");
  }
}

TEST(Download, NeedsSomewhereToRedirectTo) {
  expect_error(download_from([](TestConnection& connection, const TestRequest&) {
                 connection.reply(302, "", "");
               }),
               ErrorCode::kUnavailable, "HTTP 302");
}

// Refusals.

struct Refusal {
  const char* name;
  int status;
  std::string headers;
  std::string token;
  ErrorCode code;
  std::string message;
  std::string hint;
};

class RefusedDownload : public testing::TestWithParam<Refusal> {};
TEST_P(RefusedDownload, SaysWhyAndWhatToDo) {
  const Refusal& refusal = GetParam();
  TestServer server([&](TestConnection& connection, const TestRequest&) {
    connection.reply(refusal.status, "<html>no</html>", refusal.headers);
  });
  HubOptions options = options_for(server);
  options.token = refusal.token;
  const auto result = download_config(kRepo, options);
  expect_error(result, refusal.code, refusal.message, refusal.hint);
  EXPECT_NE(result.error().message.find("org/name"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Download, RefusedDownload,
    testing::Values(
        Refusal{"NotFound", 404, "", "", ErrorCode::kNotFound, "has no model org/name", "spelling"},
        Refusal{"NoSuchRepo", 401, "X-Error-Code: RepoNotFound\r\n", "", ErrorCode::kNotFound,
                "has no model org/name", "spelling"},
        Refusal{"NoSuchRevision", 404, "X-Error-Code: RevisionNotFound\r\n", "",
                ErrorCode::kNotFound, "no revision main", "branches"},
        Refusal{"NoConfig", 404, "X-Error-Code: EntryNotFound\r\n", "", ErrorCode::kNotFound,
                "no config.json", "path"},
        Refusal{"Unauthorised", 401, "", "", ErrorCode::kPermission, "HTTP 401", "set HF_TOKEN"},
        Refusal{"BadToken", 401, "X-Error-Message: Invalid credentials\r\n", "hf_x",
                ErrorCode::kPermission, "\"Invalid credentials\"", "is valid"},
        Refusal{"Gated", 403, "X-Error-Code: GatedRepo\r\n", "hf_x", ErrorCode::kPermission,
                "HTTP 403", "accept its licence"},
        Refusal{"Forbidden", 403, "", "", ErrorCode::kPermission, "HTTP 403", "set HF_TOKEN"},
        Refusal{"TooMany", 429, "Retry-After: 17\r\n", "", ErrorCode::kUnavailable, "HTTP 429",
                "try again in 17 s"},
        Refusal{"TooManyWithoutTime", 429, "", "", ErrorCode::kUnavailable, "HTTP 429", "later"},
        Refusal{"Broken", 500, "", "", ErrorCode::kUnavailable, "HTTP 500", "later"},
        Refusal{"Closed", 503, "Retry-After: 3\r\n", "", ErrorCode::kUnavailable, "HTTP 503",
                "try again in 3 s"},
        Refusal{"Teapot", 418, "", "", ErrorCode::kUnavailable, "HTTP 418", "HF_ENDPOINT"},
        Refusal{"NotTwoHundred", 204, "", "", ErrorCode::kUnavailable, "HTTP 204", "HF_ENDPOINT"}),
    [](const auto& case_info) { return std::string(case_info.param.name); });

TEST(Download, ReportsA404WithAnEndlessPage) {
  expect_error(download_from([](TestConnection& connection, const TestRequest&) {
                 connection.send("HTTP/1.1 404 Not Found\r\n\r\n");
                 while (connection.send(std::string(4096, 'x'))) {
                 }
               }),
               ErrorCode::kNotFound, "has no model org/name");
}

TEST(Download, ShowsNoControlCharacters) {
  const auto result = download_from([](TestConnection& connection, const TestRequest&) {
    connection.reply(403, "", "X-Error-Message: \x1b[2Jgone\r\n");
  });
  expect_error(result, ErrorCode::kPermission, "?[2Jgone");
}

// Broken answers.

TEST(Download, GivesUpOnSilence) {
  const auto begin = std::chrono::steady_clock::now();
  expect_error(download_from([](TestConnection& connection,
                                const TestRequest&) { connection.wait_until_peer_goes(); },
                             milliseconds(300)),
               ErrorCode::kUnavailable, "all of it 0.3 s", "network");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(3000));
}

TEST(Download, GivesUpOnDripping) {
  expect_error(download_from(
                   [](TestConnection& connection, const TestRequest&) {
                     connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n{");
                     while (connection.pause(20) && connection.send(" ")) {
                     }
                   },
                   milliseconds(300)),
               ErrorCode::kUnavailable, "in time");
}

TEST(Download, GivesUpOnDrippingHeaders) {
  expect_error(download_from(
                   [](TestConnection& connection, const TestRequest&) {
                     connection.send("HTTP/1.1 200 OK\r\n");
                     while (connection.pause(20) && connection.send("X: y\r\n")) {
                     }
                   },
                   milliseconds(300)),
               ErrorCode::kUnavailable, "in time");
}

TEST(Download, BoundsTheHeaders) {
  expect_error(download_from([](TestConnection& connection, const TestRequest&) {
                 connection.send("HTTP/1.1 200 OK\r\n");
                 while (connection.send("X-Long: " + std::string(1000, 'y') + "\r\n")) {
                 }
               }),
               ErrorCode::kInvalidInput, "too large");
}

TEST(Download, NoticesATruncatedBody) {
  expect_error(download_from([](TestConnection& connection, const TestRequest&) {
                 connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}");
               }),
               ErrorCode::kUnavailable, "the connection broke", "try again");
}

TEST(Download, NoticesATruncatedChunk) {
  expect_error(
      download_from([](TestConnection& connection, const TestRequest&) {
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n");
      }),
      ErrorCode::kUnavailable, "the connection broke", "try again");
}

TEST(Download, NoticesATruncatedConfig) {
  expect_error(download_from([](TestConnection& connection, const TestRequest&) {
                 connection.send("HTTP/1.0 200 OK\r\n\r\n{\"model_type\": \"be");
               }),
               ErrorCode::kInvalidInput, "not a JSON object");
}

TEST(Download, NoticesAClosedConnection) {
  expect_error(download_from([](TestConnection&, const TestRequest&) {}), ErrorCode::kUnavailable,
               "the connection broke", "try again");
}

TEST(Download, RefusesALargeBody) {
  expect_error(download_from([](TestConnection& connection, const TestRequest&) {
                 connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{");
                 connection.wait_until_peer_goes();
               }),
               ErrorCode::kInvalidInput, "larger than 65536 bytes");
}

TEST(Download, RefusesAnEndlessBody) {
  for (const std::string version :
       {"1.0 200 OK\r\n\r\n", "1.1 200 OK\r\nConnection: close\r\n\r\n"}) {
    expect_error(download_from([&](TestConnection& connection, const TestRequest&) {
                   connection.send("HTTP/" + version + "{");
                   while (connection.send(std::string(4096, ' '))) {
                   }
                 }),
                 ErrorCode::kInvalidInput, "larger than 65536 bytes");
  }
}

TEST(Download, TakesABodyOfExactlyTheLimit) {
  const std::string config = "{" + std::string(64 * 1024 - 2, ' ') + "}";
  EXPECT_TRUE(download_from([&](TestConnection& connection, const TestRequest&) {
                connection.send("HTTP/1.0 200 OK\r\n\r\n" + config);
              }).ok());
  expect_error(download_from([&](TestConnection& connection, const TestRequest&) {
                 connection.send("HTTP/1.0 200 OK\r\n\r\n" + config + " ");
               }),
               ErrorCode::kInvalidInput, "larger than");
}

TEST(Download, WantsAJsonObject) {
  const auto answered = [](const std::string& body) {
    return download_from(
        [body](TestConnection& connection, const TestRequest&) { connection.reply(200, body); });
  };
  expect_error(answered("<!DOCTYPE html><html>Log in</html>"), ErrorCode::kUnavailable,
               "a web page came", "log-in");
  expect_error(answered(""), ErrorCode::kUnavailable, "empty");
  expect_error(answered(" \n"), ErrorCode::kUnavailable, "empty");
  expect_error(answered("[1, 2]"), ErrorCode::kInvalidInput, "it begins \"[1, 2]\"");
  expect_error(answered("version https://git-lfs.github.com/spec/v1\noid x"),
               ErrorCode::kInvalidInput, "not a JSON object");
  expect_error(answered("{} {}"), ErrorCode::kInvalidInput, "not a JSON object");
  expect_error(answered("{\"a\": \"\xff\"}"), ErrorCode::kInvalidInput, "not a JSON object");
  expect_error(answered(std::string(60'000, '[')), ErrorCode::kInvalidInput, "not a JSON object");
  std::string deep = "{\"a\":";
  deep += std::string(30'000, '[') + std::string(30'000, ']') + "}";
  EXPECT_TRUE(answered(deep).ok());
}

TEST(Download, RefusesWhatIsNotHttp) {
  expect_error(download_from([](TestConnection& connection, const TestRequest&) {
                 connection.send("SSH-2.0-OpenSSH_9.2\r\n");
               }),
               ErrorCode::kUnavailable, "config.json");
}

// Hosts that are not there.

TEST(Download, SaysWhenNobodyListens) {
  TestServer server([](TestConnection&, const TestRequest&) {});
  const HubOptions options = options_for(server);
  server.stop();
  expect_error(download_config(kRepo, options), ErrorCode::kUnavailable, "cannot connect",
               "network");
}

TEST(Download, SaysWhenTheHostIsUnknown) {
  HubOptions options;
  // Longer than a name's part may be: the resolver refuses it without asking anybody.
  options.endpoint = "http://" + std::string(64, 'a') + ".invalid";
  options.total_timeout = kPatience;
  expect_error(download_config(kRepo, options), ErrorCode::kUnavailable, "name is not known",
               "HF_ENDPOINT");
}

TEST(Download, GoesThroughTheProxy) {
  TestServer proxy(
      [](TestConnection& connection, const TestRequest&) { connection.reply(200, kConfig); });
  HubOptions options = options_for(proxy);
  options.endpoint = "http://hub.invalid";
  options.proxy = proxy.url();
  ASSERT_TRUE(download_config(kRepo, options).ok());
  EXPECT_EQ(proxy.requests().at(0).target, "http://hub.invalid/org/name/resolve/main/config.json");
}

TEST(Download, RefusesAnEndpointThatIsNone) {
  for (const char* endpoint : {"", "huggingface.co", "file:///etc", "ftp://x", "https://u:p@host",
                               "http://a b", "http://a?x=", "http://a\r\nX: y"}) {
    HubOptions options;
    options.endpoint = endpoint;
    expect_error(download_config(kRepo, options), ErrorCode::kInvalidInput, "HF_ENDPOINT", "unset");
  }
}

// TLS.

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

// A server's context with a fresh certificate for 127.0.0.1, signed by nobody else.
struct SelfSigned {
  std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>> key{EVP_EC_gen("P-256")};
  std::unique_ptr<X509, Freed<X509_free>> certificate{X509_new()};
  std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context{SSL_CTX_new(TLS_server_method())};

  SelfSigned() {
    X509* const x = certificate.get();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    X509_EXTENSION* const names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(x, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(x, key.get(), EVP_sha256());
    SSL_CTX_use_certificate(context.get(), x);
    SSL_CTX_use_PrivateKey(context.get(), key.get());
  }

  std::string pem() const {
    const std::unique_ptr<BIO, Freed<BIO_free>> memory(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(memory.get(), certificate.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory.get(), &data);
    return std::string(data, static_cast<std::size_t>(size));
  }
};

TEST(DownloadTls, TrustsOnlyCertificatesItKnows) {
  const SelfSigned identity;
  TestServer server([](TestConnection& connection,
                       const TestRequest&) { connection.reply(200, kConfig, kCommitHeader); },
                    identity.context.get());
  TestFolder folder;
  HubOptions options = options_for(server);
  expect_error(download_config(kRepo, options), ErrorCode::kUnavailable, "no secure connection",
               "certificates");
  EXPECT_TRUE(server.requests().empty());
  options.ca_bundle = folder.write("ca.pem", identity.pem()).string();
  const auto result = download_config(kRepo, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().commit, kCommit);
  options.ca_bundle = (folder.path() / "missing.pem").string();
  expect_error(download_config(kRepo, options), ErrorCode::kUnavailable, "no secure connection");
}

TEST(DownloadTls, IsNotLedToPlainHttp) {
  const SelfSigned identity;
  TestServer plain(
      [](TestConnection& connection, const TestRequest&) { connection.reply(200, kConfig); });
  TestServer server(
      [&](TestConnection& connection, const TestRequest&) {
        connection.reply(302, "", "Location: " + plain.url() + "/x\r\n");
      },
      identity.context.get());
  TestFolder folder;
  HubOptions options = options_for(server);
  options.ca_bundle = folder.write("ca.pem", identity.pem()).string();
  expect_error(download_config(kRepo, options), ErrorCode::kUnavailable, "not an answer to follow",
               "https does not lead to http");
  EXPECT_TRUE(plain.requests().empty());
}

TEST(DownloadTls, NoticesAServerThatSpeaksNone) {
  TestServer server([](TestConnection&, const TestRequest&) {});
  HubOptions options = options_for(server);
  options.endpoint.replace(0, 4, "https");
  expect_error(download_config(kRepo, options), ErrorCode::kUnavailable, "no secure connection");
}

}  // namespace
}  // namespace wattree
