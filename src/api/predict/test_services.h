// For tests only: no network, no variables, no predictors or models of the user's.
#pragma once

#include "src/api/services/services.h"

namespace wattree {

inline Services offline_services() {
  Services out = services_from([](const char*) { return std::nullopt; });
  out.hub.offline = true;
  out.hub.cache.clear();
  out.predictors.clear();
  return out;
}

}  // namespace wattree
