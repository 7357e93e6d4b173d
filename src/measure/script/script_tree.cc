#include "src/measure/script/script_tree.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/models/symbolic/trace.h"
#include "src/models/tree/cost.h"
#include "src/models/tree/find_op.h"

namespace wattree {
namespace {

using Events = std::span<const WattreeEvent>;

// What is between entering a module and leaving it.
struct Call {
  int ops = 0;
  int modules = 0;  // Called by this one directly.
  Op only_op = Op::kNone;
};

Op op_named(std::string_view name) { return find_op(name).value_or(Op::kOther); }

Result<std::vector<Call>> look_ahead(Events events) {
  std::vector<Call> calls;  // By the order of entering.
  std::vector<std::size_t> open;
  for (const WattreeEvent& event : events) {
    if (event.kind == WATTREE_EVENT_ENTER) {
      if (!open.empty()) ++calls[open.back()].modules;
      open.push_back(calls.size());
      calls.emplace_back();
    } else if (open.empty()) {
      return Error{ErrorCode::kInternal, "the script runs something outside of its modules", ""};
    } else if (event.kind == WATTREE_EVENT_LEAVE) {
      open.pop_back();
    } else {
      Call& call = calls[open.back()];
      ++call.ops;
      call.only_op = op_named(event.name);
    }
  }
  if (!open.empty() || calls.empty())
    return Error{ErrorCode::kInternal, "the script did not come to its end", ""};
  return calls;
}

// A module that calls no other is a building block; where it is one kernel that is known by such a
// module's name, or that reads its weights, it is that kernel.
Module::Kind kind_of(const Call& call, bool has_weights) {
  if (call.modules > 0) return Module::Kind::kModule;
  const bool is_kernel =
      has_weights || (call.ops == 1 && facts_of(call.only_op).level == Level::kMl);
  return is_kernel && call.ops <= 1 ? Module::Kind::kPrimitive : Module::Kind::kMl;
}

class Builder {
 public:
  explicit Builder(const WattreeScriptFacts& facts)
      : trace_(pass_of(facts)),
        events_(facts.events, static_cast<std::size_t>(facts.event_count)) {}

  Result<ModelTree> build() {
    Result<std::vector<Call>> calls = look_ahead(events_);
    if (!calls.ok()) return calls.error();
    for (const WattreeEvent& event : events_) {
      if (event.kind == WATTREE_EVENT_ENTER) ++times_[event.name];
    }
    std::size_t next = 0;
    for (const WattreeEvent& event : events_) {
      switch (event.kind) {
        case WATTREE_EVENT_ENTER: enter(event, calls.value()[next++]); break;
        case WATTREE_EVENT_LEAVE: leave(event); break;
        default: emit(event);
      }
    }
    Result<ModelTree> finished = trace_.finish();
    if (!finished.ok()) return finished.error();
    ModelTree tree = std::move(finished).value();
    tree.is_recorded = true;
    if (const Status failure = add_costs(tree); !failure.ok()) return failure.error();
    return tree;
  }

 private:
  static Pass pass_of(const WattreeScriptFacts& facts) {
    Pass pass;
    pass.precision = precision_of(facts);
    pass.keeps_dataflow = true;
    return pass;
  }

  Tensor tensor_of(const WattreeTensor& given) {
    Dims size;
    Dims stride;
    for (int i = 0; i < given.rank; ++i) {
      size.push_back(given.size[i]);
      stride.push_back(given.stride[i]);
    }
    if (given.dtype >= WATTREE_OTHER_DTYPE)
      trace_.fail("the script has tensors of a type that trees do not know (complex, int16, …)");
    Tensor tensor(&trace_, static_cast<DType>(given.dtype % WATTREE_OTHER_DTYPE), size, stride);
    tensor.storage = given.storage;
    tensor.offset = given.offset;
    // A view of a weight is none, except where it only turns its dimensions.
    const auto weight = weights_.find(given.storage);
    if (weight != weights_.end() && tensor.elements() == weight->second)
      tensor.parameter = -2 - given.storage;
    return tensor;
  }

  void enter(const WattreeEvent& event, const Call& call) {
    const std::string scope = event.name;
    const std::int32_t run = times_[scope] > 1 ? runs_[scope]++ : -1;
    modules_.push_back(std::make_unique<Module>(trace_, scope.empty() ? "" : "/" + scope,
                                                event.type,
                                                kind_of(call, event.parameter_count > 0), run));
    for (int i = 0; i < event.parameter_count; ++i) {
      const WattreeParameter& given = event.parameters[i];
      Tensor weight = trace_.tensor(trace_.dtype(), {given.elements});
      weight.parameter = given.id;
      trace_.hold(weight);
      weights_.emplace(weight_storage(given.id), given.elements);
    }
  }

  void leave(const WattreeEvent& event) {
    if (event.outputs > 0) modules_.back()->returns(tensor_of(event.tensors[0]));
    modules_.pop_back();
  }

  void emit(const WattreeEvent& event) {
    std::vector<Tensor> tensors;
    for (int i = 0; i < event.inputs + event.outputs; ++i)
      tensors.push_back(tensor_of(event.tensors[i]));
    std::vector<const Tensor*> inputs;
    for (int i = 0; i < event.inputs; ++i) inputs.push_back(&tensors[static_cast<std::size_t>(i)]);
    const Op op = op_named(event.name);
    trace_.emit(op, inputs, std::span(tensors).subspan(static_cast<std::size_t>(event.inputs)));
    if (op == Op::kOther && !trace_.failed()) trace_.name_last(event.name);
  }

  Trace trace_;
  Events events_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::string, int> times_;
  std::map<std::string, std::int32_t> runs_;
  std::unordered_map<std::int32_t, std::int64_t> weights_;  // Elements, by storage.
};

}  // namespace

Precision precision_of(const WattreeScriptFacts& facts) {
  if (facts.dtype == WATTREE_BFLOAT16) return Precision::kBf16;
  return facts.dtype == WATTREE_FLOAT16 ? Precision::kFp16 : Precision::kFp32;
}

Result<ModelTree> tree_of_script(const WattreeScriptFacts& facts) { return Builder(facts).build(); }

}  // namespace wattree
