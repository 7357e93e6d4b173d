// An application for tests of the transport.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "src/server/beast/server.h"

namespace wattree {

inline HttpAnswer text_answer(std::string text) {
  HttpAnswer out;
  out.type = "text/plain";
  out.body = std::make_shared<const std::string>(std::move(text));
  return out;
}

// All that a call says, a line each.
inline std::string described(const HttpCall& call) {
  std::string out = call.method + " " + call.path + "\n";
  for (const auto& [name, value] : call.query) out += "? " + name + "=" + value + "\n";
  for (const auto& [name, value] : call.headers) out += "H " + name + "=" + value + "\n";
  out += "body " + call.body + "\nfrom " + call.peer + (call.is_from_here ? " here" : " elsewhere");
  out += call.is_encrypted ? " by TLS" : "";
  return out + " by [" + call.listener + "]\n";
}

// /fast is there at once, /slow takes its time, /size says how long the body is, /inject has what
// no answer may have; everything else echoes the call.
inline Application test_application() {
  Application out;
  const auto cached = std::make_shared<const std::string>(200'000, 'c');
  out.answer_at_once = [cached](const HttpCall& call) -> std::optional<HttpAnswer> {
    if (call.path == "/fast") return text_answer("fast");
    if (call.path != "/cached") return std::nullopt;
    HttpAnswer answer;
    answer.body = cached;
    return answer;
  };
  out.answer = [](const HttpCall& call) {
    if (call.path == "/slow") std::this_thread::sleep_for(std::chrono::milliseconds(600));
    if (call.path == "/size") return text_answer(std::to_string(call.body.size()));
    if (call.path == "/throw") throw std::runtime_error("out of order");
    HttpAnswer answer = text_answer(described(call));
    if (call.path == "/inject") {
      answer.headers.emplace_back(call.query.at(0).first, call.query.at(0).second);
    }
    if (call.path == "/nothing") answer.status = 204;
    return answer;
  };
  return out;
}

inline std::unique_ptr<WebServer> serve(Application application, const WebLimits& limits = {},
                                        const std::vector<WebListener>& listeners = {{}}) {
  Result<std::unique_ptr<WebServer>> started =
      WebServer::start(listeners, std::move(application), limits);
  EXPECT_TRUE(started.ok()) << (started.ok() ? "" : started.error().message);
  return started.ok() ? std::move(started).value() : nullptr;
}

}  // namespace wattree
