// Builds a model tree by running a model's forward pass on symbolic tensors: entering a module
// opens a node, every op that would launch a kernel appends a leaf.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/result.h"
#include "src/models/symbolic/tensor.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

enum class Attention : std::uint8_t { kSdpa, kEager };

// What is run: one forward pass, or one decode step over a cache of `past` tokens.
struct Pass {
  std::int64_t batch = 1;
  std::int64_t seq = 128;         // Text source length; 1 in a decode step.
  std::int64_t target_len = 128;  // Decoder length of an encoder-decoder.
  std::int64_t past = 0;
  std::int64_t source = 128;  // Encoder length behind a decode step's cross-attention.
  // A language model's head is run on so many of the last positions; 0: on all.
  std::int64_t logits_to_keep = 0;
  Precision precision = Precision::kFp32;
  Attention attention = Attention::kSdpa;
  // A tree beyond this is no model but a mistake; at a few hundred bytes a node it bounds memory.
  std::size_t max_nodes = 2'000'000;
  bool keeps_dataflow = false;  // For trees that are to be run: see ModelTree::placements().
};

class Trace {
 public:
  explicit Trace(const Pass& pass);

  const Pass& pass() const { return pass_; }
  DType dtype() const { return activation_dtype(pass_.precision); }
  bool is_eager() const { return pass_.attention == Attention::kEager; }

  // --- values ---
  Tensor tensor(DType type, const Dims& size) { return {this, type, size}; }
  Tensor parameter(const Dims& size);  // A new weight of the open module.
  // What is there before the pass.
  Tensor given(Held held, DType type, const Dims& size);
  Tensor input(DType type, const Dims& size) { return given(Held::kInput, type, size); }
  Tensor buffer(DType type, const Dims& size) { return given(Held::kBuffer, type, size); }
  std::int32_t new_storage() { return next_storage_++; }
  void hold(const Tensor& weight);  // The open module holds this weight too: tied.

  // --- leaves ---
  // `numbers`: what else the kernel is called with, in the order that src/measure/torch/kernels.cc
  // reads it.
  Tensor emit(Op op, std::initializer_list<const Tensor*> inputs, const Tensor& output,
              std::initializer_list<double> numbers = {}) {
    return emit(op, std::span(inputs.begin(), inputs.size()), std::span(&output, 1), numbers);
  }
  Tensor emit(Op op, std::span<const Tensor* const> inputs, std::span<const Tensor> outputs,
              std::initializer_list<double> numbers = {});

  void set_experts_per_token(std::int64_t count) { tree_.experts_per_token = count; }

  // --- variables: what holds a tensor's memory beyond its last use (see tree/memory.h) ---
  void keep(const Tensor& x) { keep_in(x, frames_.size()); }  // Until the open module returns.
  void keep_for_caller(const Tensor& x) { keep_in(x, frames_.size() - 1); }  // Its caller.
  void hand_over(const Tensor& x) { keep_in(x, 1); }  // Until the pass ends: a result of it.
  // `h = act(fc1(h))`: what h was is freed when h has its new value, and that is now.
  void keep_until_now(std::initializer_list<const Tensor*> tensors);

  // The op emitted last is one that only the framework has a name for.
  void name_last(std::string_view type) { tree_.nodes().back().type = tree_.keep(type); }

  // --- failure: the first one stays, and everything after it is ignored ---
  bool failed() const { return !failure_.ok(); }
  void fail(std::string message);
  void fail_shapes(std::string_view what, const Dims& from, const Dims& to);
  // The tree, or else the first failure. Sizes come from a config, so one that does not fit is an
  // error in it.
  Result<ModelTree> finish();

 private:
  friend class Module;
  friend class Uncalled;
  struct Frame {
    std::string_view scope;
    std::string_view type;
    Level level;
    std::int32_t run;
    std::int32_t first;
    std::size_t words;    // Where this module's op counts begin in words_.
    std::size_t weights;  // Where its weights begin in weights_.
    std::int32_t resume;  // The next new weight's id outside a repeated run.
    bool folds;
  };

  void open(std::string_view name, std::string_view type, Level level, bool folds,
            std::int32_t run);
  void close(const Dims& shape);
  std::string_view op_scope(const OpFacts& facts);
  void append_operand(const Tensor& tensor, std::string_view scope);
  void keep_in(const Tensor& x, std::size_t depth);
  void fail_size(const Dims& size, std::string_view scope);
  void fail_operands(Op op, std::size_t count);
  void fail_count();

  Pass pass_;
  ModelTree tree_;
  Status failure_;
  int uncalled_ = 0;  // Above zero: kernels are not emitted.
  std::vector<Frame> frames_;
  std::vector<std::pair<Op, int>> words_;  // How often each op's word was used, per frame.
  std::vector<ParameterUse> weights_;      // Of the open frames, without their nodes.
  // The storage that variables of the open frames hold, by how deep the frame is.
  std::vector<std::vector<std::int32_t>> variables_;
  std::int32_t next_parameter_ = 0;
  std::int32_t next_storage_ = 0;
  std::unordered_map<std::string_view, std::int32_t>
      first_runs_;  // By scope: where a module that repeats got its weights.
};

// An open module. Ops and modules that come while it lives are its children. A name that starts
// with '/' is a whole scope, from the root: that of a module which several others hold, and which
// is known by the first of them.
class Module {
 public:
  enum class Kind {
    kModule,     // A module of the architecture.
    kMl,         // A building block made of math ops: a norm, an activation, a rotary embedding.
    kPrimitive,  // Linear, LayerNorm, Embedding, …: where it runs one kernel, it is that kernel.
  };
  Module(Trace& trace, std::string_view name, std::string_view type, Kind kind = Kind::kModule,
         std::int32_t run = -1);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Ends the module and hands its result on: `return self.returns(x);`.
  Tensor returns(const Tensor& result);

 private:
  Trace& trace_;
  Dims shape_;
};

// A part of the model that this pass does not call: while one of these lives, modules open and hold
// their weights, but nothing runs. It does nothing where `applies` is false, so that one piece of
// code describes a part that is called in some passes only.
class Uncalled {
 public:
  explicit Uncalled(Trace& trace, bool applies = true) : trace_(trace), applies_(applies) {
    trace_.uncalled_ += applies_;
  }
  ~Uncalled() { trace_.uncalled_ -= applies_; }
  Uncalled(const Uncalled&) = delete;
  Uncalled& operator=(const Uncalled&) = delete;

 private:
  Trace& trace_;
  bool applies_;
};

// A module that exists and holds weights but is not called in this pass.
void unused_module(Trace& trace, std::string_view name, std::string_view type, Module::Kind kind,
                   std::initializer_list<Dims> weights);

}  // namespace wattree
