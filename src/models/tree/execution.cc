#include "src/models/tree/execution.h"

namespace wattree {

std::string_view name_of(Execution execution) {
  return execution == Execution::kGraph ? "graph" : "eager";
}

std::optional<Execution> parse_execution(std::string_view name) {
  for (const Execution execution : {Execution::kGraph, Execution::kEager}) {
    if (name_of(execution) == name) return execution;
  }
  return std::nullopt;
}

std::string_view name_of(CacheState cache) {
  switch (cache) {
    case CacheState::kNatural: return "natural";
    case CacheState::kCold: return "cold";
    case CacheState::kInPlace: return "in_place";
    case CacheState::kWarm: return "warm";
  }
  return "";
}

std::optional<CacheState> parse_cache(std::string_view name) {
  for (const CacheState cache :
       {CacheState::kNatural, CacheState::kCold, CacheState::kInPlace, CacheState::kWarm}) {
    if (name_of(cache) == name) return cache;
  }
  return std::nullopt;
}

}  // namespace wattree
