#include "src/server/beast/openssl_library.h"

#include <dlfcn.h>

#include <string>

#include "src/base/signals_blocked.h"

namespace wattree {
namespace {

Error missing(const std::string& why) {
  return {ErrorCode::kUnavailable, "OpenSSL, which TLS needs, cannot be used: " + why,
          "install it (Debian, Ubuntu: apt install libssl3), or put a proxy with TLS in front"};
}

template <class Function>
bool find(void* library, const char* symbol, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, symbol));
  return out != nullptr;
}

Result<OpensslLibrary> load() {
  const SignalsBlocked blocked;
  void* library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return missing(dlerror());
  OpensslLibrary out;
  bool complete = true;
  // libssl's own dependencies, libcrypto among them, are searched, too.
#define WATTREE_FIND(name) complete = find(library, #name, out.name) && complete
  WATTREE_FIND(TLS_server_method);
  WATTREE_FIND(SSL_CTX_new);
  WATTREE_FIND(SSL_CTX_free);
  WATTREE_FIND(SSL_CTX_ctrl);
  WATTREE_FIND(SSL_CTX_set_options);
  WATTREE_FIND(SSL_CTX_use_certificate_chain_file);
  WATTREE_FIND(SSL_CTX_use_PrivateKey_file);
  WATTREE_FIND(SSL_CTX_check_private_key);
  WATTREE_FIND(SSL_CTX_set_default_passwd_cb);
  WATTREE_FIND(SSL_new);
  WATTREE_FIND(SSL_free);
  WATTREE_FIND(SSL_set_bio);
  WATTREE_FIND(SSL_accept);
  WATTREE_FIND(SSL_read);
  WATTREE_FIND(SSL_write);
  WATTREE_FIND(SSL_shutdown);
  WATTREE_FIND(SSL_get_error);
  WATTREE_FIND(BIO_new);
  WATTREE_FIND(BIO_s_mem);
  WATTREE_FIND(BIO_read);
  WATTREE_FIND(BIO_write);
  WATTREE_FIND(BIO_ctrl);
  WATTREE_FIND(ERR_get_error);
  WATTREE_FIND(ERR_clear_error);
  WATTREE_FIND(ERR_reason_error_string);
#undef WATTREE_FIND
  if (!complete) return missing("functions are missing from it");
  return out;
}

}  // namespace

const Result<OpensslLibrary>& openssl_library() {
  static const Result<OpensslLibrary> library = load();
  return library;
}

}  // namespace wattree
