// What pages show of a node besides: its class, IrEne's twelve features, and what measurements that
// are shipped say of the same work.
#pragma once

#include <optional>

#include "src/api/model/tree_text.h"
#include "src/models/tree/distinct.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {

class JsonWriter;

class NodeDetails {
 public:
  // `prediction` must outlive it.
  explicit NodeDetails(const Prediction& prediction);

  // class, features, and measured_j, alone_j, measured and alone where there are any.
  void write(JsonWriter& out, const ShownNode& node) const;
  // The answer's `features`: unit, meaning and basis of each, and why one may be null.
  void write_legend(JsonWriter& out) const;

 private:
  const Prediction& prediction_;
  // Where the device is the one that shipped measurements are of.
  std::optional<WorkHashes> hashes_;
};

void write_class(JsonWriter& out, const Node& node);

}  // namespace wattree
