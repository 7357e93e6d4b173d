// An IrEne model as JSON.
#pragma once

#include <string_view>

#include "src/base/json_writer.h"
#include "src/base/result.h"
#include "src/predict/irene/model.h"

namespace wattree {

// One object: the options, the regressors of leaves term by term, and that of inner nodes.
void write_irene(JsonWriter& json, const IreneModel& model);

// Reads it back, bit for bit. Errors begin with `origin` and name the field: what is absent, of the
// wrong kind, of another feature set or of no use as a number is refused. Unknown fields are too.
Result<IreneModel> read_irene(std::string_view text, std::string_view origin);

}  // namespace wattree
