// Passes of bundled models that stand for what people run, where none was measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// A pass of 128 tokens, or a decode step, of the base model.
struct ReferencePass {
  std::string_view model;
  std::int64_t batch;
  std::int64_t past = 0;
};
inline constexpr ReferencePass kReferencePasses[] = {
    {"bert-base-uncased", 1},
    {"bert-base-uncased", 16},
    {"gpt2", 1},
    {"gpt2", 16},
    {"gpt2", 4, 512},
    {"llama-3.2-1b", 1},
    {"llama-3.2-1b", 16},
    {"llama-3.2-1b", 4, 512},
};

Result<ModelTree> reference_tree(const ReferencePass& pass, const std::string& dtype);

}  // namespace wattree
