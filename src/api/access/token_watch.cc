#include "src/api/access/token_watch.h"

#include <chrono>

#include "src/api/access/tokens.h"
#include "src/api/runs/open_profiles.h"
#include "src/base/thread.h"

namespace wattree {
namespace {

constexpr auto kPeriod = std::chrono::seconds(1);
constexpr int kMostFailures = 10;
constexpr auto kUseNoted = std::chrono::minutes(1);
constexpr std::size_t kLongestToken = 200;  // Ours have 67 characters: no more is worth hashing.

// Takes as long wherever they differ.
bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace

Result<std::shared_ptr<TokenWatch>> TokenWatch::start(const Services& services) {
  std::shared_ptr<TokenWatch> out(new TokenWatch(services));
  out->look(StoreAccess::kRead);
  Result<std::jthread> thread =
      start_thread("the token watch", [watch = out.get()] { watch->watch(); });
  if (!thread.ok()) return thread.error();
  out->thread_ = std::move(thread).value();
  return out;
}

TokenWatch::~TokenWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<TokenScope> TokenWatch::operator()(std::string_view token) {
  if (token.empty() || token.size() > kLongestToken) return std::nullopt;
  const std::string hash = token_hash(token);
  const UtcTime time = now(services_);
  const std::lock_guard lock(mutex_);
  const Token* found = nullptr;
  for (const Token& known : tokens_) {
    if (are_equal(known.hash, hash)) found = &known;
  }
  if (found == nullptr || state_of(*found, time) != TokenState::kGood) return std::nullopt;
  if (!found->used || *found->used + kUseNoted <= time) used_.insert_or_assign(found->id, time);
  return found->scope;
}

void TokenWatch::refresh() { look(StoreAccess::kRead); }

void TokenWatch::look(StoreAccess access) {
  const Result<std::shared_ptr<ProfileStore>> store = open_store({}, services_, access);
  if (!store.ok()) {
    forget_in_time();
    return;
  }
  std::map<std::int64_t, UtcTime> used;
  {
    const std::lock_guard lock(mutex_);
    used.swap(used_);
  }
  for (const auto& [id, time] : used) {
    // Whether it can be written down or not, the token is good.
    (void)store.value()->note_token_use(id, time);
  }
  Result<std::vector<Token>> tokens = store.value()->tokens();
  if (!tokens.ok()) {
    forget_in_time();
    return;
  }
  const std::lock_guard lock(mutex_);
  looks_failed_ = 0;
  tokens_ = std::move(tokens).value();
}

// A store that cannot be read may have been replaced: nobody knows what was revoked in it.
void TokenWatch::forget_in_time() {
  const std::lock_guard lock(mutex_);
  if (++looks_failed_ >= kMostFailures) tokens_.clear();
}

Result<TokenCheck> watched_tokens(const Services& services) {
  const Result<std::shared_ptr<TokenWatch>> watch = TokenWatch::start(services);
  if (!watch.ok()) return watch.error();
  return TokenCheck([watch = watch.value()](std::string_view token) { return (*watch)(token); });
}

void TokenWatch::watch() {
  attempt([this] { look(StoreAccess::kWrite); });
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kPeriod, [this] { return is_ending_; })) {
    lock.unlock();
    attempt([this] { look(StoreAccess::kRead); });
    lock.lock();
  }
}

}  // namespace wattree
