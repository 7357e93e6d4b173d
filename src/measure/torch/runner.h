// A program with its buffers on a device, to run again and again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/measure/torch/device.h"
#include "src/measure/torch/program.h"

namespace wattree::torch_plugin {

class Runner {
 public:
  // Makes the buffers and runs the program once, step by step. What an op made other than the
  // program says is unlinked: whoever reads it gets a buffer of its own, in the shape it expects.
  Runner(Device& device, Program program, const WattreeLaunchOptions& options);

  void run(int turn);  // Queues one run with the buffers of this turn.
  // Runs it once more and returns tensors that lie in these storages of a script.
  std::vector<at::Tensor> results_of(const std::vector<std::int64_t>& sources);
  int sets() const { return sets_; }
  int unlinked() const { return unlinked_; }

 private:
  using Values = std::vector<at::Tensor>;  // By storage; undefined where there is nothing now.

  at::Tensor view(const Values& values, const Operand& operand) const;
  std::vector<at::Tensor> call(Step& step, Values& values);
  void keep_results(const Step& step, const std::vector<at::Tensor>& results, Values& values) const;
  void fill(at::Tensor& buffer, const Storage& storage);
  at::Tensor make(const Storage& storage);
  void try_out();
  void check_indices(Step& step, Values& values);
  int add_buffer(const Operand& like, Fill fill, std::int64_t limit);
  void rotate(const WattreeLaunchOptions& options);
  bool is_rotated(const Storage& storage) const;

  Device& device_;
  Program program_;
  std::int32_t cache_;
  std::vector<Values> given_;  // For each set: the storages that no step makes.
  std::vector<Values> held_;   // Results that stay until their turn comes again.
  std::vector<at::Tensor> inputs_;
  int sets_ = 1;
  int unlinked_ = 0;
};

}  // namespace wattree::torch_plugin
