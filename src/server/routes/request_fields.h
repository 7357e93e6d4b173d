// A call's parameters and body as the one object that the request readers of `api` take.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/server/routes/route.h"

namespace wattree {

// Values of the path's parameters by name, in the path's order.
using PathValues = std::vector<std::pair<std::string, std::string>>;

struct FieldsError {
  int status = 400;  // Or 413 or 415.
  Error error;
};

// Each value has the parameter's type. What is not known, given twice or no number is an error that
// names the parameter. A body of more than `most_bytes`, or than the route takes, is refused.
std::variant<nlohmann::json, FieldsError> request_fields(const Route& route, const PathValues& path,
                                                         const HttpCall& call,
                                                         std::size_t most_bytes);

}  // namespace wattree
