#include "src/server/routes/caller_services.h"

#include <algorithm>
#include <chrono>

#include "src/api/model/predictor_memory.h"

namespace wattree {

Services for_callers(Services services) {
  services.hub.allow_files = false;
  services.known_predictors = std::make_shared<PredictorMemory>();
  return services;
}

Services for_strangers(Services services, const ServerOptions& options) {
  constexpr std::chrono::seconds kPatience(10);
  services.hub.asks_hub = options.hub_for_strangers;
  services.hub.token.clear();
  services.hub.token_file.clear();
  services.hub.cache.clear();
  services.hub.total_timeout =
      std::min<std::chrono::milliseconds>(services.hub.total_timeout, kPatience);
  services.shows_private = false;
  return services;
}

}  // namespace wattree
