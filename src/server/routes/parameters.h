// Parameters that several operations have: they are called the same everywhere.
#pragma once

#include <vector>

#include "src/server/routes/route.h"

namespace wattree {

using Parameters = std::vector<Parameter>;

Parameters model_parameters();      // model, revision
Parameters size_parameters();       // batch, seq
Parameters pass_parameters();       // target_len, past, dtype, attention, as, set
Parameters predictor_parameters();  // on, execution
Parameters view_parameters();       // level, depth, fold, features
Parameters extra_parameters();      // top, by, all
Parameters total_parameters();      // queries, passes_per_query, price, host_watts, region, …
Parameters setting_parameters();    // region, intensity, pue, price

// A text that is one of these; the first is the example.
Parameter choice(std::string name, std::string description, std::vector<std::string> values);

// One after the other.
Parameters joined(std::initializer_list<Parameters> parts);

// The same as fields of a body.
Parameters in_body(Parameters parameters);

}  // namespace wattree
