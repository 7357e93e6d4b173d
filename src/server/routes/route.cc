#include "src/server/routes/route.h"

#include <algorithm>
#include <iterator>

namespace wattree {

bool Route::takes_body() const {
  return !body.empty() || !text_bodies.empty() ||
         std::any_of(parameters.begin(), parameters.end(),
                     [](const Parameter& p) { return p.place == ParameterPlace::kBody; });
}

std::string_view name_of(HttpMethod method) {
  switch (method) {
    case HttpMethod::kGet: return "GET";
    case HttpMethod::kPost: return "POST";
    case HttpMethod::kPatch: return "PATCH";
    case HttpMethod::kDelete: return "DELETE";
  }
  return "GET";
}

Route api_route(HttpMethod method, const std::string& path, std::string operation,
                std::string summary, std::vector<Parameter> parameters, std::string answer,
                Handler handle) {
  Route out;
  out.method = method;
  out.path = "/api/v1/" + path;
  out.operation = std::move(operation);
  out.summary = std::move(summary);
  out.parameters = std::move(parameters);
  out.answer = std::move(answer);
  out.handle = std::move(handle);
  return out;
}

Routes tagged(const std::string& tag, Routes routes) {
  for (Route& route : routes) route.tag = tag;
  return routes;
}

void append(Routes& to, Routes more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace wattree
