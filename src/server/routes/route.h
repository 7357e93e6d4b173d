// Routes are data: the router, the OpenAPI document and the tests read the same tables.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/base/token_scope.h"
#include "src/server/http/http.h"

namespace wattree {

enum class HttpMethod { kGet, kPost, kPatch, kDelete };
enum class ParameterPlace { kPath, kQuery };
enum class ParameterType {
  kText,
  kInteger,
  kNumber,
  kBoolean,
  kTexts
};  // kTexts: may be repeated.

struct Parameter {
  std::string name;
  ParameterType type = ParameterType::kText;
  std::string description;  // A sentence.
  std::string example = {};
  ParameterPlace place = ParameterPlace::kQuery;
  bool is_required = false;
  std::vector<std::string> values = {};  // Where only these are allowed.
};

// What a handler gets: `fields` has the path's and the query's parameters, or the body's fields, as
// one object, which the request readers of `api` take.
struct RouteCall {
  const nlohmann::json& fields;
  const HttpCall& http;
  const Services& services;
};
using Handler = std::function<Result<HttpAnswer>(const RouteCall&)>;

struct Route {
  HttpMethod method = HttpMethod::kGet;
  std::string path;       // "/api/v1/runs/{id}"
  std::string operation;  // "get_run"; unique.
  std::string tag;        // The heading it stands under: "Prediction".
  std::string summary;    // A sentence.
  std::vector<Parameter> parameters = {};
  std::string body = {};    // Schema of the body, a file of docs/schemas; empty: it takes none.
  std::string answer = {};  // Schema of the answer; empty: it is no JSON.
  std::string answer_type = "application/json";
  TokenScope scope = TokenScope::kRead;  // What a token must allow.
  bool is_cacheable = false;  // The same call has the same answer for as long as the server's data
                              // do not change.
  Handler handle = {};
};

}  // namespace wattree
