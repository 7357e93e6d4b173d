#include "src/server/beast/tls.h"

#include <algorithm>
#include <climits>
#include <new>

#include "src/base/in_quotes.h"
#include "src/server/beast/openssl_library.h"

namespace wattree {
namespace {

// Whoever has an identity has loaded it.
const OpensslLibrary& openssl() { return openssl_library().value(); }

int clamped(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

Error bad_file(const std::filesystem::path& path, const std::string& field) {
  const char* reason = openssl().ERR_reason_error_string(openssl().ERR_get_error());
  openssl().ERR_clear_error();
  return {ErrorCode::kInvalidInput,
          in_quotes(path.string()) + " cannot be used for TLS: " +
              (reason != nullptr ? reason : "OpenSSL does not say why"),
          "certificates (with their chain) and keys are PEM files", field};
}

}  // namespace

TlsConnection::TlsConnection(ssl_ctx_st* context)
    : state_(openssl().SSL_new(context)),
      in_(openssl().BIO_new(openssl().BIO_s_mem())),
      out_(openssl().BIO_new(openssl().BIO_s_mem())) {
  if (state_ == nullptr || in_ == nullptr || out_ == nullptr) throw std::bad_alloc();
  openssl().SSL_set_bio(state_, in_, out_);  // It owns both now.
}

TlsConnection::~TlsConnection() { openssl().SSL_free(state_); }

void TlsConnection::put_input(std::string_view encrypted) {
  openssl().BIO_write(in_, encrypted.data(), clamped(encrypted.size()));
}

std::string TlsConnection::take_output() {
  const long waiting = openssl().BIO_ctrl(out_, BIO_CTRL_PENDING, 0, nullptr);
  std::string out(static_cast<std::size_t>(std::max(waiting, 0L)), '\0');
  if (!out.empty()) openssl().BIO_read(out_, out.data(), clamped(out.size()));
  return out;
}

TlsConnection::Step TlsConnection::shake_hands() {
  return step_after(openssl().SSL_accept(state_));
}

TlsConnection::Step TlsConnection::read(std::span<char> out, std::size_t& size) {
  const int got = openssl().SSL_read(state_, out.data(), clamped(out.size()));
  size = got > 0 ? static_cast<std::size_t>(got) : 0;
  return step_after(got);
}

TlsConnection::Step TlsConnection::write(std::string_view plain) {
  if (plain.empty()) return Step::kDone;
  return step_after(openssl().SSL_write(state_, plain.data(), clamped(plain.size())));
}

void TlsConnection::say_goodbye() {
  openssl().SSL_shutdown(state_);
  openssl().ERR_clear_error();
}

// Its writes go to memory and never wait, so that input is all it can need.
TlsConnection::Step TlsConnection::step_after(int result) {
  if (result > 0) return Step::kDone;
  const bool needs_input = openssl().SSL_get_error(state_, result) == SSL_ERROR_WANT_READ;
  openssl().ERR_clear_error();  // The thread's list of errors is of no one connection.
  return needs_input ? Step::kNeedsInput : Step::kEnded;
}

TlsIdentity::~TlsIdentity() { openssl().SSL_CTX_free(context_); }

Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::load(const TlsFiles& files) {
  if (!openssl_library().ok()) return openssl_library().error();
  const OpensslLibrary& ssl = openssl();
  SSL_CTX* context = ssl.SSL_CTX_new(ssl.TLS_server_method());
  if (context == nullptr) return Error{ErrorCode::kInternal, "OpenSSL does not start", ""};
  auto out = std::make_shared<const TlsIdentity>(context);
  ssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr);
  // No renegotiation, which only costs the server; buffers of idle connections are given back.
  ssl.SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  ssl.SSL_CTX_ctrl(context, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, nullptr);
  // A key with a password would ask for it on the terminal.
  ssl.SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return 0; });
  if (ssl.SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return bad_file(files.certificate, "tls_cert");
  }
  if (ssl.SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      ssl.SSL_CTX_check_private_key(context) != 1) {
    return bad_file(files.key, "tls_key");
  }
  return out;
}

}  // namespace wattree
