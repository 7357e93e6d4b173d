// CodeCarbon's emissions.csv: one line for each run, or for each time that a run was saved.
#pragma once

#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/runs/profile/read.h"

namespace wattree {

// Whether the text has the columns of such a file.
bool is_codecarbon(std::string_view text);

// A profile for each run_id. CodeCarbon's figures grow from line to line of a run: each line then
// is an epoch, with what it took since the line before. Energies are divided by the line's PUE,
// which CodeCarbon multiplies them by. Its figure of a GPU that NVIDIA made is a counter's; whether
// it measured or assumed the others the file does not say, and they count as assumed. Times are
// local to a machine that is not named, and go into the notes.
Result<ReadProfiles> read_codecarbon(std::string_view text, const std::string& origin);

}  // namespace wattree
