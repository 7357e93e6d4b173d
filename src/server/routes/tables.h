// The tables of routes by theme.
#pragma once

#include <functional>
#include <string>

#include "src/server/routes/route.h"

namespace wattree {

Routes prediction_routes();  // predict, tree, explain, sweep, generate, compare, suggest, …
Routes lookup_routes();      // models, predictors, hardware, regions, equivalents
Routes dataset_routes();     // datasets
Routes profile_routes();     // profiles: listed, imported, estimated, changed, exported
Routes whatif_routes();      // whatif, carbon, compare/runs
Routes run_routes();         // runs, their events, pause and resume, links
Routes token_routes();       // tokens
Routes irene_viz_routes();   // The request of IrEne-viz.

// What the server says of itself.
struct ServerTexts {
  std::function<std::string()> metrics;  // In Prometheus's format.
  std::function<std::string()> openapi;
};
Routes operation_routes(const ServerTexts& texts);  // healthz, metrics, openapi.json, docs

// All of the above.
Routes all_routes(const ServerTexts& texts);

}  // namespace wattree
