// Under which names the cache has an answer.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/server/http/http.h"

namespace wattree {

// In what one answer differs from another to the same call. Who is known may see more.
struct CachedForm {
  bool is_gzip = false;
  bool is_for_known = false;
};
CachedForm form_of(const HttpCall& call, bool is_known);

// Of the call as it came.
std::string raw_key(const HttpCall& call, const CachedForm& form);
// Whatever the order of the parameters.
std::string canonical_key(std::size_t route, const nlohmann::json& fields, const CachedForm& form);

}  // namespace wattree
