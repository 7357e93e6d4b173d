// Calls as tests make them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "src/runs/store/sqlite/sqlite_store.h"
#include "src/server/http/application.h"
#include "src/server/routes/application.h"

namespace wattree {

inline Services test_services() {
  Services out = services_from([](const char* name) -> std::optional<std::string> {
    if (std::string(name) == "HF_HUB_OFFLINE") return "1";
    return std::nullopt;
  });
  out.stores = sqlite_stores();
  // A moment that lasts: answers that name it are the same each time.
  out.seconds_since_1970 = [] { return std::int64_t{1'800'000'000}; };
  return out;
}

// "/api/v1/predict?model=gpt2&batch=2", without percent signs.
inline HttpCall get(const std::string& target, HttpFields headers = {}) {
  HttpCall out;
  out.method = "GET";
  out.path = target.substr(0, target.find('?'));
  out.headers = {{"host", "127.0.0.1:8080"}};
  out.headers.insert(out.headers.end(), headers.begin(), headers.end());
  out.peer = "127.0.0.1";
  out.is_own_user = true;
  std::string rest = target.size() > out.path.size() ? target.substr(out.path.size() + 1) : "";
  while (!rest.empty()) {
    const std::string pair = rest.substr(0, rest.find('&'));
    rest.erase(0, pair.size() + 1);
    const std::size_t equals = pair.find('=');
    out.query.emplace_back(pair.substr(0, equals),
                           equals == std::string::npos ? "" : pair.substr(equals + 1));
  }
  return out;
}

inline HttpCall call(const std::string& method, const std::string& target) {
  HttpCall out = get(target);
  out.method = method;
  return out;
}

inline HttpCall call(const std::string& method, const std::string& target, std::string body,
                     const std::string& type = "application/json") {
  HttpCall out = get(target, {{"content-type", type}});
  out.method = method;
  out.body = std::move(body);
  return out;
}

inline HttpCall post(const std::string& target, std::string body) {
  return call("POST", target, std::move(body));
}

// As the transport asks.
inline HttpAnswer ask(const Application& application, const HttpCall& call) {
  if (auto answer = application.answer_at_once(call)) return *std::move(answer);
  return application.answer(call);
}

inline std::string header(const HttpAnswer& answer, const std::string& name) {
  for (const auto& field : answer.headers) {
    if (field.first == name) return field.second;
  }
  return "";
}

inline nlohmann::json json_of(const HttpAnswer& answer) {
  return answer.body ? nlohmann::json::parse(*answer.body, nullptr, false) : nlohmann::json();
}

}  // namespace wattree
