// IrEne (Cao et al. 2021): energy of leaves by one linear regressor for each kind of operation, and
// of every other node as a weighted sum over its children. Kept as published, to compare with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "src/predict/irene/features.h"
#include "src/predict/regress/least_squares.h"
#include "src/predict/regress/standard_scaler.h"

namespace wattree {

// How the energy of an inner node comes about. P is predicted energy, G measured energy, c a child.
enum class IreneAggregate : std::uint8_t {
  kSum,           // P(n) = sum P(c)
  kEnd2End,       // P(n) = sum a(c) P(c), a(c) = 1 + tanh(w.phi(c) + b) / tau, learnt as a whole
  kStepwise,      // The same, but learnt on sum a(c) G(c)
  kUnstructured,  // P(n) = w.phi(n) + b
};
inline constexpr IreneAggregate kIreneAggregates[] = {
    IreneAggregate::kSum, IreneAggregate::kEnd2End, IreneAggregate::kStepwise,
    IreneAggregate::kUnstructured};
std::string_view name_of(IreneAggregate aggregate);  // sum, end2end, stepwise, unstructured

struct IreneOptions {
  IreneAggregate aggregate = IreneAggregate::kEnd2End;
  IreneFeatures features = IreneFeatures::kAll;
  double tau = 10;  // Weights stay within 1 - 1/tau and 1 + 1/tau.
  std::int64_t epochs = 8;
  double learning_rate = 1e-3;
  std::int64_t seed = 1;  // Of the first weights.
  bool operator==(const IreneOptions&) const = default;
};

// Joules of a leaf, linear in its standardised features.
struct LeafRegressor {
  std::int64_t rows = 0;  // Measurements it was fitted on, copies included.
  StandardScaler scaler;
  LinearModel linear;
  bool operator==(const LeafRegressor&) const = default;
};

// w.phi + b, phi being the monomials up to degree 3 of standardised features.
struct InnerRegressor {
  StandardScaler scaler;  // Of all nodes of the training trees, leaves and roots included.
  LinearModel linear;
  bool operator==(const InnerRegressor&) const = default;
};
inline constexpr std::size_t kIreneDegree = 3;

struct IreneModel {
  IreneOptions options;
  std::map<std::string, LeafRegressor, std::less<>> leaves;  // By instance type.
  InnerRegressor inner;                                      // Empty for kSum.
  bool operator==(const IreneModel&) const = default;
};

}  // namespace wattree
