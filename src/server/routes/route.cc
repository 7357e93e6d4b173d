#include "src/server/routes/route.h"

#include <algorithm>
#include <iterator>

namespace wattree {

bool Route::takes_body() const {
  return !body.empty() || !other_bodies.empty() ||
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

void append(Routes& to, Routes more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace wattree
