#include "src/predict/tree_predict.h"

#include <algorithm>

#include "src/cost/cost.h"

namespace wattree {
namespace {

// What nobody has measured by itself: kernels that were priced through the modules they run in, and
// kinds priced by another kind.
constexpr double kUnseenSpread = 0.3;
constexpr double kStandInSpread = 0.5;

bool takes_arithmetic(Op op) {
  switch (op) {
    case Op::kGelu:
    case Op::kSilu:
    case Op::kMish:
    case Op::kSoftplus:
    case Op::kHardswish:
    case Op::kTanh:
    case Op::kSigmoid:
    case Op::kLogSigmoid:
    case Op::kExp:
    case Op::kLog:
    case Op::kLog2:
    case Op::kErf:
    case Op::kCos:
    case Op::kSin:
    case Op::kPow: return true;
    default: return false;
  }
}

double bytes_each(const Operand& operand, Precision precision) {
  return operand.touched > 0 ? static_cast<double>(byte_count(operand, precision)) /
                                   static_cast<double>(operand.touched)
                             : 0.0;
}

// An operand that the kernel reads more than once: smaller than what comes out.
bool is_broadcast(const ModelTree& tree, const Node& node) {
  const std::int64_t out = element_count(node.shape);
  for (const Operand& input : tree.inputs(node)) {
    if (input.touched > 1 && input.touched < out) return true;
  }
  return false;
}

Work product_of(const ModelTree& tree, const Node& node) {
  Work work;
  work.kind = WorkKind::kMatmul;
  const Shape& out = node.shape;
  const int rank = out.rank();
  work.n = rank > 0 ? static_cast<double>(out[rank - 1]) : 1;
  work.m = rank > 1 ? static_cast<double>(out[rank - 2]) : 1;
  work.groups = 1;
  for (int i = 0; i + 2 < rank; ++i) work.groups *= static_cast<double>(out[i]);
  const double outputs = work.groups * work.m * work.n;
  work.k = outputs > 0 ? static_cast<double>(node.matmul_flops) / (2 * outputs) : 0;
  for (const Operand& input : tree.inputs(node)) {
    const double bytes = bytes_each(input, tree.precision);
    if (input.is_weight && input.size.rank() > 1) {
      work.kind = WorkKind::kGemm;
      work.weight_width = bytes;
    } else if (input.size.rank() > 1) {
      work.width = bytes;
    }
  }
  if (work.kind == WorkKind::kGemm) {
    work.m *= work.groups;
    work.groups = 0;
  }
  return work;
}

Work attention_of(const ModelTree& tree, const Node& node) {
  Work work;
  work.kind = WorkKind::kAttention;
  const auto inputs = tree.inputs(node);
  if (inputs.size() < 2 || inputs[0].size.rank() < 3 || inputs[1].size.rank() < 3) return work;
  const Shape& query = inputs[0].size;
  const Shape& key = inputs[1].size;
  work.k = static_cast<double>(query[query.rank() - 1]);
  work.m = static_cast<double>(query[query.rank() - 2]);
  work.n = static_cast<double>(key[key.rank() - 2]);
  work.width = bytes_each(inputs[0], tree.precision);
  // Scores, and the values by them: two products.
  const double one = 2 * work.m * work.n * work.k;
  work.groups = one > 0 ? static_cast<double>(node.matmul_flops) / one : 0;
  return work;
}

struct Spreads {
  Spread level;
  double at(Level level_of, bool time) const {
    const auto& values = time ? level.time : level.energy;
    switch (level_of) {
      case Level::kModel: return values[2];
      case Level::kModule: return values[1];
      case Level::kMl:
      case Level::kMath: return values[0];
    }
    return values[0];
  }
};

}  // namespace

Work work_of(const ModelTree& tree, const Node& node) {
  const OpFacts& facts = facts_of(node.op);
  Work work;
  work.bytes = static_cast<double>(node.bytes);
  switch (facts.op_class) {
    case OpClass::kMatmul: return product_of(tree, node);
    case OpClass::kAttention: return attention_of(tree, node);
    case OpClass::kConvolution:
    case OpClass::kRecurrent: {
      Work product = product_of(tree, node);
      if (facts.op_class == OpClass::kConvolution && node.shape.rank() > 1) {
        // Channels are columns, and every place is a row.
        const double outputs = static_cast<double>(element_count(node.shape));
        product.n = static_cast<double>(node.shape[1]);
        product.m = product.n > 0 ? outputs / product.n : 0;
      }
      product.kind = WorkKind::kConvolution;
      product.groups = 1;
      return product;
    }
    case OpClass::kSoftmax: {
      const int rank = node.shape.rank();
      const auto last = rank > 0 ? static_cast<double>(node.shape[rank - 1]) : 1.0;
      work.kind = WorkKind::kSoftmax;
      work.m = last > 0 ? static_cast<double>(element_count(node.shape)) / last : 0;
      return work;
    }
    case OpClass::kNormalization: work.kind = WorkKind::kNormalization; return work;
    case OpClass::kGather: work.kind = WorkKind::kGather; return work;
    case OpClass::kCopy:
    case OpClass::kFill: work.kind = WorkKind::kCopy; return work;
    case OpClass::kElementwise:
    case OpClass::kReduction:
    case OpClass::kNone: break;
  }
  if (takes_arithmetic(node.op)) {
    work.kind = WorkKind::kTranscendental;
  } else if (facts.op_class == OpClass::kElementwise && node.shape.rank() == 4 &&
             is_broadcast(tree, node)) {
    work.kind = WorkKind::kScores;
  }
  return work;
}

Result<std::vector<NodeEstimate>> predict_tree(const Predictor& predictor, const TwinIndex& index,
                                               const ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<NodeEstimate> out(nodes.size());
  const auto& calibrated = predictor.spreads[static_cast<std::size_t>(Known::kNothing)];
  const Spreads spreads{calibrated.value_or(Spread{})};
  Work call_work;
  call_work.kind = WorkKind::kModuleCall;
  const Price call = price_of(predictor, call_work);

  std::vector<bool> runs_kernels(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    NodeEstimate& e = out[i];
    // While summing, stand_in holds joules.
    double spread = spreads.at(node.level, false);
    double time_spread = spreads.at(node.level, true);
    if (node.op != Op::kNone) {
      const Work work = work_of(tree, node);
      if (const Twin* twin = index.find(node.type, work)) {
        e.energy_j = twin->energy_j;
        e.time_s = twin->time_s;
        e.is_looked_up = true;
        spread = calibrated ? calibrated->twin_energy : 0;
        time_spread = calibrated ? calibrated->twin_time : 0;
      } else {
        const Price price = price_of(predictor, work);
        if (!price.is_known) {
          return Error{ErrorCode::kUnavailable,
                       "the predictor " + predictor.name + " has no price for " +
                           std::string(node.type) + " (" + std::string(name_of(work.kind)) + ")",
                       "train one on data that has such kernels, or choose another with --on"};
        }
        e.energy_j = price.energy_j;
        e.time_s = price.time_s;
        if (price.is_stand_in) e.stand_in = static_cast<float>(price.energy_j);
        if (node.level == Level::kMath && terms_of(work.kind).size() == 1) {
          spread = std::max(spread, kUnseenSpread);
          time_spread = std::max(time_spread, kUnseenSpread);
        }
      }
      e.own_j += e.energy_j;
      if (node.parent >= 0) runs_kernels[static_cast<std::size_t>(node.parent)] = true;
    } else {
      if (runs_kernels[i]) {
        e.energy_j += call.energy_j;
        e.time_s += call.time_s;
        e.own_j += call.energy_j;
      }
    }
    if (node.parent >= 0) {
      NodeEstimate& parent = out[static_cast<std::size_t>(node.parent)];
      parent.energy_j += e.energy_j;
      parent.time_s += e.time_s;
      parent.stand_in += e.stand_in;
    }
    const double guessed = e.energy_j > 0 ? static_cast<double>(e.stand_in) / e.energy_j : 0.0;
    e.stand_in = static_cast<float>(guessed);
    e.energy_spread = static_cast<float>(std::min(1.0, spread + kStandInSpread * guessed));
    e.time_spread = static_cast<float>(std::min(1.0, time_spread + kStandInSpread * guessed));
  }
  return out;
}

}  // namespace wattree
