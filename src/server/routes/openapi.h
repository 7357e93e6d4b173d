// The OpenAPI 3.1 document of the routes.
#pragma once

#include <string>

#include "src/server/routes/route.h"

namespace wattree {

// With every schema that the routes name as a component. `indent` as JSON's.
std::string openapi_json(const Routes& routes, int indent = -1);

}  // namespace wattree
