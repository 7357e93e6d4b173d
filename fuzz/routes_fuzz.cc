// Any bytes as a call: method, target, headers and body. Whatever they are, there is an answer with
// a status that means something, errors have the contract's body, and reading again gives the same.
// What is sent to be kept is kept, in a store that is replaced now and then.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "src/runs/store/sqlite/sqlite_store.h"
#include "src/server/routes/application.h"

namespace {

using namespace wattree;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// "GET /api/v1/tree?model=gpt2", lines "name: value", an empty line, the body.
HttpCall call_of(std::string_view text) {
  HttpCall call;
  std::string_view target = take_line(text);
  call.method = target.substr(0, target.find(' '));
  target.remove_prefix(std::min(target.size(), call.method.size() + 1));
  call.path = target.substr(0, target.find('?'));
  target.remove_prefix(std::min(target.size(), call.path.size() + 1));
  while (!target.empty()) {
    const std::string_view pair = target.substr(0, target.find('&'));
    target.remove_prefix(std::min(target.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    call.query.emplace_back(pair.substr(0, equals), pair.substr(std::min(pair.size(), equals + 1)));
  }
  call.headers = {{"host", "localhost"}, {"content-type", "application/json"}};
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = std::min(line.find(": "), line.size());
    call.headers.insert(call.headers.begin(),
                        {std::string(line.substr(0, colon)),
                         std::string(line.substr(std::min(line.size(), colon + 2)))});
  }
  call.body = text;
  // Every input has a caller of its own, or all but the first would be told that they ask too
  // often.
  static unsigned callers = 0;
  callers = (callers + 1) % (1U << 24U);
  call.peer = "127." + std::to_string(callers >> 16U) + '.' + std::to_string(callers >> 8U & 255U) +
              '.' + std::to_string(callers & 255U);
  return call;
}

// An empty store again and again, so that none grows without end.
class FreshStores {
 public:
  FreshStores()
      : folder_(std::filesystem::temp_directory_path() /
                ("wattree-routes-fuzz-" + std::to_string(::getpid()))) {}
  FreshStores(const FreshStores&) = delete;
  FreshStores& operator=(const FreshStores&) = delete;
  ~FreshStores() { clear(); }

  Result<std::shared_ptr<ProfileStore>> open(StoreAccess access) {
    if (access == StoreAccess::kWrite && ++writes_ % 200 == 1) {
      clear();
      std::filesystem::create_directories(folder_);
      stores_ = sqlite_stores();
    }
    return stores_.open(folder_ / "wattree.db", access);
  }

 private:
  void clear() {
    stores_ = {};
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    stores_ = sqlite_stores();
  }

  const std::filesystem::path folder_;
  ProfileStores stores_ = sqlite_stores();
  std::size_t writes_ = 0;
};

Services services() {
  Services out = services_from([](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == "HF_HUB_OFFLINE") return "1";
    return std::nullopt;
  });
  static FreshStores stores;
  out.store = "wattree.db";
  out.stores.open = [](const std::filesystem::path&, StoreAccess access) {
    return stores.open(access);
  };
  return out;
}

const Application& application() {
  static const Application server = make_application({}, services());
  return server;
}

HttpAnswer ask(const HttpCall& call) {
  if (auto answer = application().answer_at_once(call)) return *std::move(answer);
  return application().answer(call);
}

// Sizes that would only take long.
bool is_large(const HttpCall& call) {
  const auto has_long_number = [](std::string_view text) {
    std::size_t digits = 0;
    for (const char c : text) {
      if (digits > 0 && (c == 'e' || c == 'E')) return true;
      digits = c >= '0' && c <= '9' ? digits + 1 : 0;
      if (digits > 3) return true;
    }
    return false;
  };
  for (const auto& [name, value] : call.query) {
    if (name != "model" && has_long_number(value)) return true;
  }
  // What is kept takes no longer for being large.
  const bool is_kept = call.path.starts_with("/api/v1/profiles") || call.path == "/api/v1/tokens" ||
                       call.path == "/api/v1/links";
  return !is_kept && has_long_number(call.body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const HttpCall call = call_of({reinterpret_cast<const char*>(data), size});
  if (is_large(call)) return 0;
  const HttpAnswer answer = ask(call);
  if (answer.status < 200 || answer.status > 599 || answer.status == 500) __builtin_trap();
  for (const auto& [name, value] : answer.headers) {
    if ((name + value).find_first_of("\r\n") != std::string::npos) __builtin_trap();
  }
  if (answer.status >= 400) {
    const auto body = nlohmann::json::parse(*answer.body, nullptr, false);
    if (!body.is_object() || !body.contains("error")) __builtin_trap();
  }
  const bool is_read = call.method == "GET" && call.path != "/metrics";
  if (is_read && ask(call).status != answer.status) __builtin_trap();
  return 0;
}
