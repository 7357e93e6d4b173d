// The tokens of the store as a server needs them: in memory, and never old.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "src/api/services/services.h"
#include "src/runs/store/token.h"

namespace wattree {

// Looks at the store once a second, on a thread of its own, so that a new token is good and a
// revoked one is not within seconds, whoever changed it. It also writes down, once a minute, which
// tokens were used, and makes the store's file where there is none.
class TokenWatch {
 public:
  // Looks once before it returns. An error where its thread cannot start.
  static Result<std::shared_ptr<TokenWatch>> start(const Services& services);
  TokenWatch(const TokenWatch&) = delete;
  TokenWatch& operator=(const TokenWatch&) = delete;
  ~TokenWatch();

  // What a token allows; none where it is not known, has expired or was revoked. From any thread;
  // waits for no disk.
  std::optional<TokenScope> operator()(std::string_view token);

  // Looks at once.
  void refresh();

 private:
  explicit TokenWatch(const Services& services) : services_(services) {}
  void look(StoreAccess access);
  void watch();
  void forget_in_time();

  const Services services_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable ended_;
  bool is_ending_ = false;
  int looks_failed_ = 0;  // One after the other.
  std::vector<Token> tokens_;
  std::map<std::int64_t, UtcTime> used_;  // By id, since it was last written down.
  std::jthread thread_;
};

// The same as a function, which may be copied.
using TokenCheck = std::function<std::optional<TokenScope>(std::string_view)>;
Result<TokenCheck> watched_tokens(const Services& services);

}  // namespace wattree
