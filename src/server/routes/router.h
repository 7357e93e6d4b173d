// Finds the route of a call.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/server/routes/request_fields.h"
#include "src/server/routes/route.h"

namespace wattree {

struct RouteMatch {
  const Route* route = nullptr;     // Null where no route has the path, or not with that method.
  std::size_t index = 0;            // Of the route in the table.
  PathValues path = {};             // What stands in the place of "{id}".
  std::vector<HttpMethod> allowed;  // Where the path is known and the method is not.
};

class Router {
 public:
  // A path without parameters goes before one with them.
  explicit Router(Routes routes);

  // HEAD is answered as GET is.
  RouteMatch find(std::string_view method, std::string_view path) const;
  const Routes& routes() const { return routes_; }
  // The known path that is most like it; empty where none is.
  std::string nearest_path(std::string_view path) const;

 private:
  Routes routes_;
  std::unordered_map<std::string, std::vector<std::size_t>> fixed_;
  std::vector<std::size_t> with_parameters_;
};

// "GET, HEAD, OPTIONS"
std::string allow_header(const std::vector<HttpMethod>& methods);

}  // namespace wattree
