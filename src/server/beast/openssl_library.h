// The functions of OpenSSL that a server needs, loaded when they are.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "src/base/result.h"

namespace wattree {

struct OpensslLibrary {
  // NOLINTBEGIN(readability-identifier-naming): OpenSSL's own names.
  decltype(&::TLS_server_method) TLS_server_method = nullptr;
  decltype(&::SSL_CTX_new) SSL_CTX_new = nullptr;
  decltype(&::SSL_CTX_free) SSL_CTX_free = nullptr;
  decltype(&::SSL_CTX_ctrl) SSL_CTX_ctrl = nullptr;
  decltype(&::SSL_CTX_set_options) SSL_CTX_set_options = nullptr;
  decltype(&::SSL_CTX_use_certificate_chain_file) SSL_CTX_use_certificate_chain_file = nullptr;
  decltype(&::SSL_CTX_use_PrivateKey_file) SSL_CTX_use_PrivateKey_file = nullptr;
  decltype(&::SSL_CTX_check_private_key) SSL_CTX_check_private_key = nullptr;
  decltype(&::SSL_CTX_set_default_passwd_cb) SSL_CTX_set_default_passwd_cb = nullptr;
  decltype(&::SSL_new) SSL_new = nullptr;
  decltype(&::SSL_free) SSL_free = nullptr;
  decltype(&::SSL_set_bio) SSL_set_bio = nullptr;
  decltype(&::SSL_accept) SSL_accept = nullptr;
  decltype(&::SSL_read) SSL_read = nullptr;
  decltype(&::SSL_write) SSL_write = nullptr;
  decltype(&::SSL_shutdown) SSL_shutdown = nullptr;
  decltype(&::SSL_get_error) SSL_get_error = nullptr;
  decltype(&::BIO_new) BIO_new = nullptr;
  decltype(&::BIO_s_mem) BIO_s_mem = nullptr;
  decltype(&::BIO_read) BIO_read = nullptr;
  decltype(&::BIO_write) BIO_write = nullptr;
  decltype(&::BIO_ctrl) BIO_ctrl = nullptr;
  decltype(&::ERR_get_error) ERR_get_error = nullptr;
  decltype(&::ERR_clear_error) ERR_clear_error = nullptr;
  decltype(&::ERR_reason_error_string) ERR_reason_error_string = nullptr;
  // NOLINTEND(readability-identifier-naming)
};

// Loaded once, by whichever thread comes first; never unloaded.
const Result<OpensslLibrary>& openssl_library();

}  // namespace wattree
