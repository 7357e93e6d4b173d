// A run's state and its epochs as JSON: what events carry and routes answer.
#pragma once

#include <string>

#include "src/runs/track/status.h"

namespace wattree {

class JsonWriter;

// docs/schemas/run_status.schema.json; the other one writes its fields into an open object.
std::string to_json(const RunStatus& status);
void write_status(JsonWriter& out, const RunStatus& status);

// One epoch, from 0, as docs/schemas/run_epoch.schema.json has it.
std::string epoch_json(const TrackedRun& run, std::size_t epoch);

}  // namespace wattree
