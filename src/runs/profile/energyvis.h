// EnergyVis's profile files (Shaikh et al. 2021): kWh per epoch for CPU and GPU, without PUE.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

// The format has no durations and does not say how its figures came about: durations stay absent,
// and the basis is assumed. A part whose array is missing, null or empty was not measured. A
// location that is no US state is kept as text.
Result<Profile> read_energyvis(std::string_view text, const std::string& origin);

struct EnergyVisFile {
  std::string json;
  std::vector<std::string> notes;  // What the format cannot say and the file therefore lacks.
};

// EnergyVis needs a US state, one number per epoch for both parts, and a PUE. What is unknown is
// written as it needs it, named in the notes and, for energies, in "notMeasured", which
// read_energyvis honours. An error where there is no US state: its page would not open.
Result<EnergyVisFile> write_energyvis(const Profile& profile);

// The full name of the US state that a region is or lies in. An error where that is none of the 48
// on its map: for any other place its page throws.
Result<std::string> energyvis_state(const std::string& region);

// The name of a card in EnergyVis's list, which its page has figures for; "tesla-t4" for "NVIDIA
// T4". Of a card that is not in the list, its name as the list would write it.
struct EnergyVisCard {
  std::string name;
  bool is_known = false;
};
EnergyVisCard energyvis_card(const std::string& name);
// For the user, where the list lacks cards: what the page makes of them.
std::vector<std::string> energyvis_card_notes(const std::vector<HardwareEntry>& hardware);

// "GeForce GTX 1080 Ti" is "geforce-gtx-1080-ti".
std::string energyvis_slug(std::string_view name);

}  // namespace wattree
