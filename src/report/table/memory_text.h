// What a prediction takes of a device's memory, for the terminal.
#pragma once

#include <string>
#include <string_view>

#include "src/predict/estimate/prediction.h"

namespace wattree {

// "2.30 GiB of weights, 64.0 MiB of cache, 12.1 MiB of activations: 2.37 GiB of memory at the peak;
// the device has 141 GiB"
std::string memory_line(const MemoryFit& memory);

// "DOES NOT FIT: …", with a line's end; nothing where it fits. `what` is what does not: "the pass".
std::string misfit_line(const MemoryFit& memory, std::string_view what, std::string_view hardware);

}  // namespace wattree
