// Handlers out of use cases: read the request, ask, write the answer.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "src/server/routes/route.h"

namespace wattree {

// 200 with that JSON.
HttpAnswer json_answer(std::string text);
// JSON without white space between its parts.
std::string compact(std::string_view json);

// Of a use case whose three functions are read(json), use(request, services) and write(answer).
template <class Read, class Use, class Write>
Handler use_case(Read read, Use use, Write write) {
  return [read, use, write](const RouteCall& call) -> Result<HttpAnswer> {
    const auto request = read(call.fields);
    if (!request.ok()) return request.error();
    const auto answer = use(request.value(), call.services);
    if (!answer.ok()) return answer.error();
    return json_answer(write(answer.value()));
  };
}

}  // namespace wattree
