// Routes are data: the router, the OpenAPI document and the tests read the same tables.
#pragma once

#include <cstddef>
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
// Who may call without a token from another machine: readers of a public server, all, or nobody.
enum class Anonymous { kIfPublic, kAlways, kNever };

enum class ParameterPlace { kPath, kQuery, kBody };
enum class ParameterType {
  kText,
  kInteger,
  kNumber,
  kBoolean,
  kTexts,          // May be repeated; in a body, an array.
  kSizes,          // "8,16" or "32:256:32"; in a body also a number or an array of them.
  kNumberOrText,   // As kText; in a body also a number.
  kTextsOrObject,  // As kTexts; in a body also an object.
  kObject,         // In a body only.
  kFleet,          // As kText, "8xV100"; in a body also an array of {"name", "count"}.
  kModel,          // As kText; in a body also a config.
  kModels,         // As kTexts; in a body, objects with a config may stand for names.
};

struct Parameter {
  std::string name;
  ParameterType type = ParameterType::kText;
  std::string description;  // A sentence.
  std::string example = {};
  ParameterPlace place = ParameterPlace::kQuery;
  bool is_required = false;
  std::vector<std::string> values = {};  // Where only these are allowed.
  // What the request readers of `api` call it, where that is another name; errors name it as here.
  std::string field = {};

  const std::string& field_name() const { return field.empty() ? name : field; }
};

// What a handler gets: `fields` has the path's and the query's parameters and the body's fields as
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
  // Schema of the body, a file of docs/schemas; empty: the parameters say what it has, if anything.
  std::string body = {};
  // Schema of the answer, or several ("compare|compare_pair"); empty: it is no JSON.
  std::string answer = {};
  std::string answer_type = "application/json";
  TokenScope scope = TokenScope::kRead;  // What a token must allow.
  bool is_instant = false;    // Takes no time, and must be answered when all threads are busy.
  bool is_cacheable = false;  // The same call has the same answer for as long as the server's data
                              // do not change.
  bool changes_answers = false;  // Of others: what is in the cache is forgotten.
  Handler handle = {};
  Anonymous anonymous = Anonymous::kIfPublic;
  std::size_t body_limit = std::size_t{4} << 20;  // Bytes; more are refused with 413.
  // Where the body is a file: its content types. The handler takes it as it is, as HttpCall::body.
  std::vector<std::string> text_bodies = {};
  std::string body_example = {};  // Of such a file.

  bool takes_body() const;
};

std::string_view name_of(HttpMethod method);  // "GET"

// "/api/v1/" goes before the path.
Route api_route(HttpMethod method, const std::string& path, std::string operation,
                std::string summary, std::vector<Parameter> parameters, std::string answer,
                Handler handle);

// The tables are made of these.
using Routes = std::vector<Route>;
Routes tagged(const std::string& tag, Routes routes);
void append(Routes& to, Routes more);

}  // namespace wattree
