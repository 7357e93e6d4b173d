#include "src/models/hub/http.h"

#include <algorithm>
#include <memory>

#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/models/hub/curl_library.h"

namespace wattree {
namespace {

constexpr long kMaxRedirects = 5;
constexpr std::size_t kMaxHeaderBytes = std::size_t{256} << 10;

// What the callbacks fill. They are called from C: nothing may be thrown through them.
struct Incoming {
  HttpReply reply;
  std::uint64_t size_limit = 0;
  std::size_t header_bytes = 0;
  bool too_large = false;
  const std::function<bool(const sockaddr&)>* may_connect = nullptr;
  bool is_forbidden = false;  // Where the name leads.
};

std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) noexcept {
  auto& in = *static_cast<Incoming*>(user);
  if (size > in.size_limit - in.reply.body.size()) {
    in.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  in.reply.body.append(data, size);
  return size;
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) noexcept {
  auto& in = *static_cast<Incoming*>(user);
  in.header_bytes += size;
  if (in.header_bytes > kMaxHeaderBytes) {
    in.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) {
    in.reply.last = in.reply.all.size();
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    in.reply.all.push_back({std::move(name), std::string(trimmed(line.substr(colon + 1)))});
  }
  return size;
}

curl_socket_t on_socket(void* user, curlsocktype, curl_sockaddr* address) noexcept {
  auto& in = *static_cast<Incoming*>(user);
  if (!(*in.may_connect)(address->addr)) {
    in.is_forbidden = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Asked about once a second; anything but 0 ends the transfer.
int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<const Cancellation*>(user)->is_cancelled() ? 1 : 0;
}

// An option that libcurl does not take fails the whole transfer: some of them are what keeps it
// safe. The overloads stand in for the type check that curl's own macro does.
class Options {
 public:
  Options(const CurlLibrary& curl, CURL* handle) : curl_(curl), handle_(handle) {}
  void set(CURLoption option, long value) { note(curl_.easy_setopt(handle_, option, value)); }
  void set(CURLoption option, const char* value) {
    note(curl_.easy_setopt(handle_, option, value));
  }
  void set(CURLoption option, void* value) { note(curl_.easy_setopt(handle_, option, value)); }
  void set(CURLoption option, curl_write_callback value) {
    note(curl_.easy_setopt(handle_, option, value));
  }
  void set(CURLoption option, curl_xferinfo_callback value) {
    note(curl_.easy_setopt(handle_, option, value));
  }
  void set(CURLoption option, curl_opensocket_callback value) {
    note(curl_.easy_setopt(handle_, option, value));
  }
  CURLcode failure() const { return failure_; }

 private:
  void note(CURLcode code) {
    if (failure_ == CURLE_OK) failure_ = code;
  }
  const CurlLibrary& curl_;
  CURL* handle_;
  CURLcode failure_ = CURLE_OK;
};

void set_all(Options& options, const HttpFetch& request, Incoming& in, char* error_text) {
  options.set(CURLOPT_URL, request.url.c_str());
  options.set(CURLOPT_ERRORBUFFER, static_cast<void*>(error_text));
  options.set(CURLOPT_USERAGENT, "wattree/" WATTREE_VERSION);
  options.set(CURLOPT_NOSIGNAL, 1L);  // Signals and threads do not mix.
  options.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
  options.set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.total_timeout.count()));
#if LIBCURL_VERSION_NUM >= 0x075700
  options.set(CURLOPT_QUICK_EXIT, 1L);  // A name server that does not answer is not waited for.
#endif

  options.set(CURLOPT_FAILONERROR, 1L);  // The body of an error page is of no use.
  options.set(CURLOPT_MAXFILESIZE_LARGE, static_cast<long>(request.size_limit));
  options.set(CURLOPT_WRITEFUNCTION, &on_body);
  options.set(CURLOPT_WRITEDATA, static_cast<void*>(&in));
  options.set(CURLOPT_HEADERFUNCTION, &on_header);
  options.set(CURLOPT_HEADERDATA, static_cast<void*>(&in));

  const bool is_secure = request.url.starts_with("https://");
  options.set(CURLOPT_PROTOCOLS_STR, "http,https");
  options.set(CURLOPT_REDIR_PROTOCOLS_STR, is_secure ? "https" : "http,https");
  options.set(CURLOPT_FOLLOWLOCATION, request.follows_redirects ? 1L : 0L);
  options.set(CURLOPT_MAXREDIRS, kMaxRedirects);

  if (request.is_post) {
    options.set(CURLOPT_POST, 1L);
    options.set(CURLOPT_POSTFIELDSIZE, 0L);
  }
  if (request.cancellation) {
    options.set(CURLOPT_XFERINFOFUNCTION, &on_progress);
    options.set(CURLOPT_XFERINFODATA,
                const_cast<void*>(static_cast<const void*>(request.cancellation.get())));
    options.set(CURLOPT_NOPROGRESS, 0L);
  }
  if (request.may_connect) {
    options.set(CURLOPT_OPENSOCKETFUNCTION, &on_socket);
    options.set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&in));
  }

  // As an option, not a header, and without CURLOPT_UNRESTRICTED_AUTH: libcurl then sends the token
  // to no other host, port or scheme.
  if (!request.token.empty()) {
    options.set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
    options.set(CURLOPT_XOAUTH2_BEARER, request.token.c_str());
  }
  // Set even where empty: otherwise libcurl asks the environment.
  options.set(CURLOPT_PROXY, request.proxy.c_str());
  options.set(CURLOPT_NOPROXY, request.no_proxy.c_str());
  if (!request.ca_bundle.empty()) options.set(CURLOPT_CAINFO, request.ca_bundle.c_str());
}

std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  if (const auto rest = time.count() % 1000; rest != 0) {
    text += "." + std::to_string(1000 + rest).substr(1);
    while (text.back() == '0') text.pop_back();
  }
  return text + " s";
}

Error too_large(const HttpFetch& request) {
  return {ErrorCode::kInvalidInput,
          request.url + ": the answer is larger than " + std::to_string(request.size_limit) +
              " bytes, too large for a config.json",
          "check HF_ENDPOINT and the model's name"};
}

Error explain(CURLcode code, const std::string& detail, const HttpFetch& request) {
  const auto unavailable = [&](const std::string& what, std::string hint) {
    return Error{ErrorCode::kUnavailable, request.url + ": " + what, std::move(hint)};
  };
  const std::string kOtherWays =
      "check the network and the proxy variables, or give the path of a config.json";
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return unavailable("the host's name is not known (" + detail + ")",
                         "check the network, HF_ENDPOINT and the proxy variables, or give the path "
                         "of a config.json");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unavailable("the proxy's name is not known (" + detail + ")",
                         "check https_proxy and all_proxy");
    case CURLE_COULDNT_CONNECT: return unavailable("cannot connect (" + detail + ")", kOtherWays);
    case CURLE_OPERATION_TIMEDOUT:
      return unavailable("no complete answer in time (connecting may take " +
                             seconds(request.connect_timeout) + ", all of it " +
                             seconds(request.total_timeout) + ")",
                         kOtherWays);
    case CURLE_ABORTED_BY_CALLBACK:
      return unavailable("nobody waits for the answer any more", "try again");
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return unavailable("the connection broke before the whole answer was there (" + detail + ")",
                         "try again");
    case CURLE_TOO_MANY_REDIRECTS:
      return unavailable("redirected more than " + std::to_string(kMaxRedirects) + " times",
                         "check HF_ENDPOINT");
    case CURLE_UNSUPPORTED_PROTOCOL:
      return unavailable("not an answer to follow (" + detail + ")",
                         "only http and https are spoken, and https does not lead to http; check "
                         "HF_ENDPOINT");
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ENGINE_NOTFOUND:
      return unavailable("no secure connection (" + detail + ")",
                         "check the clock and the system's certificates (package ca-certificates); "
                         "behind a proxy that signs anew, set SSL_CERT_FILE to its certificate");
    default: return unavailable("the download failed (" + detail + ")", kOtherWays);
  }
}

}  // namespace

std::string_view HttpReply::header(std::string_view name) const {
  const auto at = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(last), all.end(),
                               [&](const HttpHeader& header) { return header.name == name; });
  return at == all.end() ? std::string_view() : at->value;
}

std::string_view HttpReply::first_header(std::string_view name) const {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const HttpHeader& header) { return header.name == name; });
  return at == all.end() ? std::string_view() : at->value;
}

Result<HttpReply> http_get(const HttpFetch& request) {
  const Result<CurlLibrary>& library = curl_library();
  if (!library.ok()) return library.error();
  const CurlLibrary& curl = library.value();
  const std::unique_ptr<CURL, decltype(curl.easy_cleanup)> handle(curl.easy_init(),
                                                                  curl.easy_cleanup);
  if (handle == nullptr) return Error{ErrorCode::kInternal, "libcurl gives no handle", ""};

  Incoming in;
  in.size_limit = request.size_limit;
  in.may_connect = &request.may_connect;
  char error_text[CURL_ERROR_SIZE] = "";
  Options options(curl, handle.get());
  set_all(options, request, in, error_text);
  if (options.failure() != CURLE_OK) {
    return Error{
        ErrorCode::kUnavailable,
        std::string("this libcurl lacks a needed option: ") + curl.easy_strerror(options.failure()),
        "version 7.85 or newer is needed"};
  }

  const CURLcode code = curl.easy_perform(handle.get());
  if (in.is_forbidden && code != CURLE_OK) {
    return Error{ErrorCode::kPermission, request.url + " leads to an address that is not allowed",
                 ""};
  }
  if (in.too_large || code == CURLE_FILESIZE_EXCEEDED) return too_large(request);
  if (code != CURLE_OK && code != CURLE_HTTP_RETURNED_ERROR) {
    const char* detail = error_text[0] != '\0' ? error_text : curl.easy_strerror(code);
    return explain(code, in_quotes(detail, 200), request);
  }
  curl.easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &in.reply.status);
  curl_off_t retry_after = 0;
  curl.easy_getinfo(handle.get(), CURLINFO_RETRY_AFTER, &retry_after);
  in.reply.retry_after_s = static_cast<long>(retry_after);
  return std::move(in.reply);
}

}  // namespace wattree
