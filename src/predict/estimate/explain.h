// How the predicted number of one node came about, term by term.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/predict/estimate/prediction.h"

namespace wattree {

// Something counted, times its coefficients.
struct ExplainedTerm {
  std::string name;
  std::string unit;
  double count = 0;
  Joules energy_each;
  Seconds time_each;
  Joules energy() const { return energy_each * count; }
  Seconds time() const { return time_each * count; }
};

struct Explanation {
  std::size_t node = 0;
  // Of a kernel. An inner node's terms are its own; its children come on top.
  std::optional<Work> work;
  WorkKind priced_as = WorkKind::kModuleCall;  // Whose coefficients the terms have,
  bool is_stand_in = false;                    // and whether they are another kind's,
  bool is_far = false;                         // or were fitted on far larger or smaller kernels.
  std::int64_t samples = 0;                    // Distinct measurements behind the coefficients.
  std::vector<ExplainedTerm> terms;
  // The same kernel was measured: its figures were taken, not the sum of the terms.
  std::optional<Twin> twin;
  std::vector<std::size_t> children;
};

// The node of a scope; "scope#1" is the second run of one that runs repeatedly, and "." the root.
// An unknown scope is an error with the nearest ones.
Result<std::size_t> find_node(const ModelTree& tree, std::string_view scope);

Explanation explain(const Prediction& prediction, std::size_t node);

// One step of the way from nothing to a node's energy: a term of a kernel, children that are alike,
// or what a module takes besides them.
struct WaterfallStep {
  enum class Kind : std::uint8_t { kTerm, kLookedUp, kChildren, kOwn };
  Kind kind = Kind::kTerm;
  std::string label;       // The term, or the scope of the (first) child.
  std::int64_t count = 1;  // Children that it stands for.
  Joules energy;           // What it adds; below 0 where it takes away.
  Joules from;             // Where the steps before it had come to.
  Joules to() const { return from + energy; }
};
std::string_view name_of(WaterfallStep::Kind kind);
// The last step ends at the node's energy.
std::vector<WaterfallStep> waterfall(const Prediction& prediction, const Explanation& explanation);

}  // namespace wattree
