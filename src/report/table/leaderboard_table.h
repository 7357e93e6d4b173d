// Models ranked by energy, for the terminal.
#pragma once

#include <string>

#include "src/predict/estimate/leaderboard.h"

namespace wattree {

// `per` is what an energy is of: "item". `basis` is what all of them rest on: "pred".
std::string leaderboard_table(const Leaderboard& board, std::string_view per,
                              const std::string& basis);

}  // namespace wattree
