// TLS without sockets: encrypted bytes in and out, plain ones out and in.
//
// OpenSSL is loaded when the first listener asks for TLS (as libcurl is, ADR 6): linked, it would
// cost every start of the program milliseconds and megabytes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/server/beast/server.h"

// NOLINTBEGIN(readability-identifier-naming): OpenSSL's own names.
struct ssl_st;
struct ssl_ctx_st;
struct bio_st;
// NOLINTEND(readability-identifier-naming)

namespace wattree {

// One connection. Never waits, and is used by one thread at a time.
class TlsConnection {
 public:
  enum class Step { kDone, kNeedsInput, kEnded };

  explicit TlsConnection(ssl_ctx_st* context);
  TlsConnection(const TlsConnection&) = delete;
  TlsConnection& operator=(const TlsConnection&) = delete;
  ~TlsConnection();

  void put_input(std::string_view encrypted);
  std::string take_output();  // Encrypted bytes that are to be sent; after every step.
  Step shake_hands();
  // kDone: `size` bytes are in `out`.
  Step read(std::span<char> out, std::size_t& size);
  Step write(std::string_view plain);  // kDone or kEnded.
  void say_goodbye();

 private:
  Step step_after(int result);

  ssl_st* state_;
  bio_st* in_;
  bio_st* out_;
};

// A certificate and its key, for any number of connections on any threads.
class TlsIdentity {
 public:
  // Errors name the file, and say what OpenSSL says.
  static Result<std::shared_ptr<const TlsIdentity>> load(const TlsFiles& files);
  explicit TlsIdentity(ssl_ctx_st* context) : context_(context) {}
  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;
  ~TlsIdentity();

  std::unique_ptr<TlsConnection> connection() const {
    return std::make_unique<TlsConnection>(context_);
  }

 private:
  ssl_ctx_st* context_;
};

}  // namespace wattree
