// One line of JSON for each answered call.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/server/http/http.h"

namespace wattree {

// Without query and headers: they may hold what is nobody else's business.
std::string log_line(const HttpCall& call, const HttpAnswer& answer, std::string_view operation,
                     std::string_view caller, std::int64_t seconds_since_1970,
                     std::chrono::nanoseconds took);

}  // namespace wattree
