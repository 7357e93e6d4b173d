// Two predictions laid beside each other, part by part: which parts make the difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/predict/estimate/ratio.h"

namespace wattree {

struct AlignedPart {
  std::string name;                  // A scope with "*" for the numbers of layers, or a role.
  std::string type;                  // The class of the nodes, where parts are scopes.
  PassEstimate first;                // Without energy where only the other has this part,
  PassEstimate second;               // and the other way round.
  Joules difference;                 // Second less first.
  std::optional<EnergyRatio> ratio;  // Where both have it.
  double share = 0;  // Of the difference of the wholes; parts that go the other way are below 0.
};

enum class AlignBy : std::uint8_t { kScope, kRole };
enum class AlignPer : std::uint8_t { kPass, kItem };

struct Alignment {
  AlignBy by = AlignBy::kScope;
  AlignPer per = AlignPer::kPass;  // kItem where batches differ.
  std::vector<AlignedPart> parts;  // Greatest difference first. Energies add up to the wholes'.
  PassEstimate first;
  PassEstimate second;
  EnergyRatio ratio;
  // "gpt2 takes 1.31 times the energy of bert-base-uncased (1.20 to 1.43). Most of the difference,
  // 61 %, is in feed-forward layers."
  std::string headline;
};

// Trees of one family are aligned by scope, others by role. `first` must take energy.
Result<Alignment> align(const Prediction& first, const Prediction& second);

}  // namespace wattree
