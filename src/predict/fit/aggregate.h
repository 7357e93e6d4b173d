// The ways to get from the leaves of a tree to its root that can be trained and evaluated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "src/predict/irene/model.h"

namespace wattree {

enum class Aggregate : std::uint8_t {
  kReconciled,  // Wattree's own (src/predict).
  kEnd2End,     // IrEne's, and its ablations (src/irene).
  kStepwise,
  kSum,
  kUnstructured,
};
inline constexpr std::array<std::string_view, 5> kAggregateNames{"reconciled", "end2end",
                                                                 "stepwise", "sum", "unstructured"};
constexpr std::string_view name_of(Aggregate aggregate) {
  return kAggregateNames[static_cast<std::size_t>(aggregate)];
}
constexpr std::optional<Aggregate> parse_aggregate(std::string_view name) {
  for (std::size_t i = 0; i < kAggregateNames.size(); ++i) {
    if (kAggregateNames[i] == name) return static_cast<Aggregate>(i);
  }
  return std::nullopt;
}

// Of any but kReconciled.
constexpr IreneAggregate irene_aggregate(Aggregate aggregate) {
  switch (aggregate) {
    case Aggregate::kReconciled:
    case Aggregate::kEnd2End: break;
    case Aggregate::kStepwise: return IreneAggregate::kStepwise;
    case Aggregate::kSum: return IreneAggregate::kSum;
    case Aggregate::kUnstructured: return IreneAggregate::kUnstructured;
  }
  return IreneAggregate::kEnd2End;
}

}  // namespace wattree
