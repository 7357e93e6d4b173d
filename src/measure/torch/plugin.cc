// The plugin's C interface (src/measure/runner/torch_abi.h). No exception crosses it.
#include <ATen/Context.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>

#include "src/measure/runner/copies.h"
#include "src/measure/torch/device.h"
#include "src/measure/torch/runner.h"
#include "src/measure/torch/script.h"
#include "src/measure/torch/text.h"

using wattree::torch_plugin::copy_text;
using wattree::torch_plugin::Device;
using wattree::torch_plugin::Event;
using wattree::torch_plugin::first_line;
using wattree::torch_plugin::Graph;
using wattree::torch_plugin::is_out_of_memory;
using wattree::torch_plugin::Kernel;
using wattree::torch_plugin::Problem;
using wattree::torch_plugin::Program;
using wattree::torch_plugin::Runner;
using wattree::torch_plugin::Script;

struct WattreeDevice {
  std::unique_ptr<Device> device;
};

struct WattreeLaunch {
  Device& device;
  std::unique_ptr<Runner> runner;
  std::unique_ptr<Graph> graph;
  int copies = 1;
  bool allows_tf32 = false;
};

struct WattreeScript {
  std::unique_ptr<Script> script;
  std::vector<WattreeEvent> events;
};

namespace {

std::int32_t fail(WattreeError* error, std::int32_t code, const std::string& message,
                  const std::string& hint = "") {
  error->code = code;
  copy_text(error->message, message);
  copy_text(error->hint, hint);
  return code;
}

// Runs `work` and turns what it throws into an error.
template <class Work>
std::int32_t guarded(Device* device, WattreeError* error, Work work) {
  std::string what;
  try {
    const c10::InferenceMode inference;
    work();
    return 0;
  } catch (const Problem& problem) {
    return fail(error, problem.code, problem.what(), problem.hint);
  } catch (const c10::Error& thrown) {
    what = first_line(thrown.what_without_backtrace());
  } catch (const std::exception& thrown) {
    what = first_line(thrown.what());
  } catch (...) {
    what = "an exception of an unknown type";
  }
  if (device != nullptr) {
    const std::string lost = device->lost();
    if (!lost.empty()) {
      return fail(error, WATTREE_ERROR_UNAVAILABLE,
                  "the device takes no more work from this process: " + lost,
                  "start the command again; what was measured so far is kept");
    }
    device->release_memory();
  }
  if (is_out_of_memory(what)) {
    return fail(error, WATTREE_ERROR_UNAVAILABLE, "not enough memory on the device: " + what,
                wattree::torch_plugin::kSmaller);
  }
  return fail(error, WATTREE_ERROR_INTERNAL, "PyTorch: " + what);
}

std::int32_t open_device(const char* name, WattreeDevice** out, WattreeDeviceFacts* facts,
                         WattreeError* error) {
  return guarded(nullptr, error, [&] {
    auto device = std::make_unique<WattreeDevice>();
    device->device = wattree::torch_plugin::open_device(name);
    *facts = device->device->facts();
    *out = device.release();
  });
}

void close_device(WattreeDevice* device) { delete device; }

void set_tf32(bool allows) {
  at::globalContext().setAllowTF32CuBLAS(allows);
  at::globalContext().setAllowTF32CuDNN(allows);
}

// Seconds of one run, the first ones not counted: they choose algorithms and fill caches.
double warm_up(WattreeLaunch& launch) {
  constexpr int kRuns = 3;
  double seconds = 0;
  for (int i = 0; i < kRuns; ++i) {
    launch.device.synchronize();
    const auto before = std::chrono::steady_clock::now();
    launch.runner->run(i);
    launch.device.synchronize();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  }
  return seconds;
}

void run_all(WattreeLaunch& launch) {
  for (int i = 0; i < launch.copies; ++i) launch.runner->run(i);
}

Program program_of(const WattreeScript* script, const WattreeProgram& given) {
  if (script == nullptr)
    return wattree::torch_plugin::read_program(given, [](int) { return Kernel(); });
  const Script& ran = *script->script;
  Program program =
      wattree::torch_plugin::read_program(given, [&](int index) { return ran.recorded(index); });
  program.kept = [&ran](std::int64_t storage) { return ran.kept(storage); };
  return program;
}

std::int32_t prepare(WattreeDevice* on, const WattreeScript* script, const WattreeProgram* program,
                     const WattreeLaunchOptions* options, WattreeLaunch** out,
                     WattreeLaunchFacts* facts, WattreeError* error) {
  Device& device = *on->device;
  return guarded(&device, error, [&] {
    device.with_stream([&] {
      set_tf32(program->allows_tf32 != 0);
      auto launch = std::make_unique<WattreeLaunch>(
          WattreeLaunch{device, nullptr, nullptr, 1, program->allows_tf32 != 0});
      launch->runner = std::make_unique<Runner>(device, program_of(script, *program), *options);
      const double seconds = warm_up(*launch);
      launch->copies = options->copies > 0 ? options->copies
                                           : wattree::count_copies(seconds, launch->runner->sets());
      std::string why_eager = "graphs were not wanted";
      if (options->allow_graph != 0)
        launch->graph = device.capture([&] { run_all(*launch); }, why_eager);
      facts->copies = launch->copies;
      facts->is_graph = launch->graph != nullptr;
      facts->sets = std::min(launch->runner->sets(), launch->copies);
      facts->unlinked = launch->runner->unlinked();
      copy_text(facts->why_eager, launch->graph != nullptr ? "" : why_eager);
      *out = launch.release();
    });
  });
}

// On the caller's stream, so that whoever marks time there marks it around the work.
std::int32_t start(WattreeLaunch* launch, WattreeError* error) {
  return guarded(&launch->device, error, [&] {
    if (launch->graph != nullptr) {
      launch->graph->replay();
      return;
    }
    set_tf32(launch->allows_tf32);
    run_all(*launch);
  });
}

std::int32_t wait(WattreeLaunch* launch, WattreeError* error) {
  return guarded(&launch->device, error, [&] { launch->device.synchronize(); });
}

void release(WattreeLaunch* launch) {
  Device& device = launch->device;
  WattreeError ignored;
  guarded(&device, &ignored, [&] {
    device.synchronize();
    launch->graph.reset();
    launch->runner.reset();
    device.release_memory();
  });
  delete launch;
}

std::int32_t open_script(WattreeDevice* on, const WattreeScriptOptions* options,
                         WattreeScript** out, WattreeScriptFacts* facts, WattreeError* error) {
  Device& device = *on->device;
  return guarded(&device, error, [&] {
    const std::vector<std::string> inputs(options->inputs, options->inputs + options->input_count);
    auto opened = std::make_unique<WattreeScript>();
    opened->script =
        std::make_unique<Script>(device, options->path, inputs, options->batch, options->length);
    for (const Event& event : opened->script->events()) {
      WattreeEvent told{};
      told.kind = event.kind;
      told.name = event.name.c_str();
      told.type = event.type.c_str();
      told.tensors = event.tensors.data();
      told.inputs = event.inputs;
      told.outputs = static_cast<std::int32_t>(event.tensors.size()) - event.inputs;
      told.parameters = event.parameters.data();
      told.parameter_count = static_cast<std::int32_t>(event.parameters.size());
      opened->events.push_back(told);
    }
    facts->events = opened->events.data();
    facts->event_count = static_cast<std::int64_t>(opened->events.size());
    facts->inputs = opened->script->inputs_text().c_str();
    facts->dtype = opened->script->dtype();
    *out = opened.release();
  });
}

void close_script(WattreeScript* script) { delete script; }

std::int32_t compare(WattreeDevice* on, WattreeScript* script, const WattreeProgram* program,
                     double* difference, WattreeError* error) {
  Device& device = *on->device;
  return guarded(&device, error, [&] {
    Runner runner(device, program_of(script, *program), {});
    const std::vector<at::Tensor> expected = script->script->framework_outputs();
    const std::vector<at::Tensor> seen = script->script->outputs();
    const std::vector<at::Tensor> ours = runner.results_of(script->script->output_storages());
    *difference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!ours.at(i).defined() || seen.at(i).sizes() != expected[i].sizes())
        throw Problem(WATTREE_ERROR_INTERNAL, "a result of the script was not found again");
      const at::Tensor mine =
          ours[i].as_strided(seen[i].sizes(), seen[i].strides(), seen[i].storage_offset());
      const double most =
          (mine.to(at::kDouble) - expected[i].to(at::kDouble)).abs().max().item<double>();
      // Not a number is as far as can be.
      *difference = most >= 0 ? std::max(*difference, most) : INFINITY;
    }
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const WattreeTorch* wattree_torch() {
  static const WattreeTorch api{WATTREE_TORCH_ABI, open_device, close_device, prepare, start, wait,
                                release,           open_script, close_script, compare};
  return &api;
}
