// How a node is run: how its kernels are started, and what it finds in the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wattree {

enum class Execution : std::uint8_t {
  kGraph,  // Captured once and replayed: back-to-back kernels, nothing between them.
  kEager,  // Kernel after kernel, launched by the host.
};

// What a node finds in the device's cache when it begins.
enum class CacheState : std::uint8_t {
  kNatural,  // One set of buffers, as in a pass; for whole models.
  kCold,     // Buffers take turns through twice the cache, so that nothing is found.
  kInPlace,  // Weights take turns; activations stay, as in the middle of a model.
  kWarm,     // Nothing takes turns.
};

std::string_view name_of(Execution execution);  // "graph"
std::string_view name_of(CacheState cache);     // "in_place"

std::optional<CacheState> parse_cache(std::string_view name);
std::optional<Execution> parse_execution(std::string_view name);

}  // namespace wattree
