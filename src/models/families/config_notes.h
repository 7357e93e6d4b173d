// What a user should know of how a config was read.
#pragma once

#include <string>
#include <vector>

#include "src/models/config/config.h"
#include "src/models/families/build_model.h"

namespace wattree {

// Whole sentences, mostly none: what a pre-training head adds that only the config asks for, that a
// quantised model is taken as the one it was made from, that a sequence is longer than the model
// was made for, and whose decode step it is.
std::vector<std::string> notes_of(const BuiltModel& built, ConfigReader& config,
                                  const PassShape& asked);

}  // namespace wattree
