// Watches the ops that run and writes down those that are kernels, as a dispatch mode in Python
// would see them: what a composite op is made of, and nothing of what a kernel calls inside.
#pragma once

#include <ATen/record_function.h>

#include <unordered_map>
#include <unordered_set>

#include "src/measure/torch/script.h"

namespace wattree::torch_plugin {

class Recorder {
 public:
  explicit Recorder(Script& script);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void enter(const std::string& scope, const std::string& type, const torch::jit::Module& module);
  void leave(const c10::IValue& result);
  // A tensor that is really a number: what is computed of nothing else is a number too.
  void know_number(const at::Tensor& tensor);
  void know_parameters(const torch::jit::Module& module);
  std::int64_t storage_of(const at::Tensor& tensor);

  // While one of these lives, nothing is written down.
  class Pause {
   public:
    explicit Pause(Recorder& recorder) : recorder_(recorder) { ++recorder_.depth_; }
    ~Pause() { --recorder_.depth_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Recorder& recorder_;
  };

 private:
  struct Call;
  static std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function);
  static void on_end(const at::RecordFunction& function, at::ObserverContext* context);
  void finish(Call& call, const std::vector<c10::IValue>& outputs);
  WattreeTensor describe(const at::Tensor& tensor);
  bool is_number(const at::Tensor& tensor) const;

  Script& script_;
  at::CallbackHandle handle_;
  int depth_ = 0;  // Above zero: inside a kernel, or paused.
  std::int64_t next_storage_ = 0;
  std::unordered_map<const void*, std::int64_t>
      storages_;  // By address: of the one that lives there.
  std::unordered_set<const void*> numbers_;
};

}  // namespace wattree::torch_plugin
