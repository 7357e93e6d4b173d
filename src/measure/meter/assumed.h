// A power that nobody measures: declared by the user, always shown as assumed.
#pragma once

#include <memory>
#include <string_view>

#include "src/base/result.h"
#include "src/measure/meter/meter.h"

namespace wattree {

struct Assumption {
  Component component = Component::kOther;
  Watts power;
};

// "cpu=65W", "gpu=0.3kW": cpu, gpu, dram, platform or other, and a power in W, kW or mW.
Result<Assumption> parse_assumption(std::string_view text);

std::unique_ptr<Meter> make_assumed_meter(const Assumption& assumption);

}  // namespace wattree
