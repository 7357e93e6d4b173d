// The pass that a request in JSON asks for.
#pragma once

#include "src/base/json_fields.h"
#include "src/models/families/build_model.h"

namespace wattree {

// From batch, seq, target_len, past, dtype, attention, as and set: {"n_layer": 24}, or texts as
// parse_set() takes them. Without a size: batch and seq are not read.
PassShape read_pass(JsonFields& fields, bool has_size = true);

}  // namespace wattree
