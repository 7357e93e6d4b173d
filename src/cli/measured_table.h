// What a profiled model took, as people read it.
#pragma once

#include <string>

#include "src/api/measure/measure_model.h"

namespace wattree {

// "BertModel of bert-base-uncased on NVIDIA H200, GPU alone: bf16, …"
std::string measured_headline(const MeasuredPass& pass);
// A row for every distinct node: the whole, then modules, then kernels, the heaviest first.
std::string measured_table(const MeasuredPass& pass);
// How far the kernels, each by itself, add up to the whole.
std::string additivity_text(const MeasuredPass& pass);

}  // namespace wattree
