// How long the tiles of a product keep a chip busy.
#pragma once

#include "src/predict/predictor/work.h"

namespace wattree {

// The least time that tiles in waves can take, in microseconds at the chip's rate. A product with
// few tiles may be split along its depth, whose parts are added up at the end; libraries do that
// freely for 16 bits, for few rows, and where no bias is added in the same kernel.
double best_tiling(const Work& work, double groups, const Chip& chip);

// The same of rows that are dealt out to `groups` weights at random: the last tile of each is half
// full, and no depth is split.
double grouped_tiling(const Work& work, const Chip& chip);

// Tiles or the traffic, whichever takes longer, of a product whose rows lie unevenly: it is read in
// pieces of 2 to 8 bytes, by kernels with one shape of tiles.
double uneven_tiling(const Work& work, double mib, const Chip& chip);

// The same of fused attention, whose `groups` are twice batch times heads, for its two products.
double attention_waves(const Work& work, const Chip& chip);

// How many keys attention in fp32 goes through one after the other. Blocks of queries do not share
// keys out, so that a few queries over many keys, or one, leave most of a chip idle.
struct KeysInTurn {
  double first = 0;   // By the first wave of blocks,
  double beyond = 0;  // and by those beyond it, which overlap; in units of 64 channels.
};
KeysInTurn keys_in_turn(const Work& work, const Chip& chip);

// How a chip goes through the heads of one new token, whose `groups` are twice batch times heads.
struct StepWaves {
  double heads = 1;  // As many as there are processors at a time.
  // Blocks of 64 keys that a processor goes through one after the other, in units of 64 channels.
  // Where heads are few, some of many keys are shared out among processors, and then added up.
  double keys = 0;
  bool is_shared_out = false;
};
StepWaves step_waves(const Work& work, const Chip& chip);

}  // namespace wattree
