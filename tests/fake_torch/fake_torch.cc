// A stand-in for libwattree-torch.so: every kernel takes 1 ms, in which nothing is done. With
// FAKE_TORCH_OOM=SCOPE a program whose first kernel is of that scope does not fit in memory; with
// FAKE_TORCH_LOST=N every call from the N-th preparation on fails; with FAKE_TORCH_ILLEGAL=SCOPE a
// kernel of that scope ends its process by SIGILL; FAKE_TORCH_NOTE is what the user is told.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "src/measure/runner/torch_abi.h"

struct WattreeDevice {
  int prepared = 0;
};
struct WattreeLaunch {
  WattreeDevice* device = nullptr;
  double run_s = 0;
  int copies = 0;
  int queued = 0;
  std::chrono::steady_clock::time_point due;
};

namespace {

std::int32_t fail(WattreeError* error, const char* message) {
  *error = {};
  error->code = WATTREE_ERROR_UNAVAILABLE;
  std::snprintf(error->message, sizeof error->message, "%s", message);
  return 1;
}

bool is_lost(const WattreeDevice& device) {
  const char* at = std::getenv("FAKE_TORCH_LOST");
  return at != nullptr && device.prepared >= std::atoi(at);
}

std::int32_t open(const char* device, WattreeDevice** out, WattreeDeviceFacts* facts,
                  WattreeError* error) {
  if (std::strcmp(device, "cuda") != 0 && std::strcmp(device, "cpu") != 0) {
    return fail(error, "there is no such device");
  }
  *facts = {};
  std::snprintf(facts->kind, sizeof facts->kind, "%s", device);
  const bool is_cpu = std::strcmp(device, "cpu") == 0;
  std::snprintf(facts->name, sizeof facts->name, "%s", is_cpu ? "Fake processor" : "Fake GPU");
  std::snprintf(facts->uuid, sizeof facts->uuid, "%s", is_cpu ? "" : "GPU-aaaa");
  std::snprintf(facts->framework, sizeof facts->framework, "none");
  facts->multiprocessors = is_cpu ? 0 : 132;
  if (const char* note = std::getenv("FAKE_TORCH_NOTE")) {
    std::snprintf(facts->note, sizeof facts->note, "%s", note);
  }
  *out = new WattreeDevice;
  return 0;
}

std::int32_t prepare(WattreeDevice* device, const WattreeScript*, const WattreeProgram* program,
                     const WattreeLaunchOptions* options, WattreeLaunch** out,
                     WattreeLaunchFacts* facts, WattreeError* error) {
  ++device->prepared;
  if (is_lost(*device)) return fail(error, "the device is lost");
  const char* scope = std::getenv("FAKE_TORCH_OOM");
  if (scope != nullptr && program->call_count == 1 &&
      std::strcmp(program->calls[0].scope, scope) == 0) {
    return fail(error, "out of memory");
  }
  if (const char* illegal = std::getenv("FAKE_TORCH_ILLEGAL")) {
    for (std::int64_t i = 0; i < program->call_count; ++i) {
      if (std::strcmp(program->calls[i].scope, illegal) == 0) std::raise(SIGILL);
    }
  }
  auto* launch = new WattreeLaunch;
  launch->device = device;
  launch->run_s = 1e-3 * static_cast<double>(program->call_count);
  launch->copies =
      options->copies > 0 ? options->copies : std::max(1, static_cast<int>(0.02 / launch->run_s));
  *facts = {};
  facts->copies = launch->copies;
  facts->is_graph = options->allow_graph;
  facts->sets = 1;
  *out = launch;
  return 0;
}

std::int32_t start(WattreeLaunch* launch, WattreeError* error) {
  if (is_lost(*launch->device)) return fail(error, "the device is lost");
  launch->queued += launch->copies;
  return 0;
}

std::int32_t wait(WattreeLaunch* launch, WattreeError* error) {
  if (is_lost(*launch->device)) return fail(error, "the device is lost");
  const auto now = std::chrono::steady_clock::now();
  // To the moment, not for a while: what sleeping adds is caught up with.
  if (launch->due + std::chrono::seconds(2) < now) launch->due = now;
  launch->due +=
      std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * launch->run_s * launch->queued));
  std::this_thread::sleep_until(launch->due);
  launch->queued = 0;
  return 0;
}

constexpr WattreeTorch kTorch{
    WATTREE_TORCH_ABI,
    &open,
    [](WattreeDevice* device) { delete device; },
    &prepare,
    &start,
    &wait,
    [](WattreeLaunch* launch) { delete launch; },
    [](WattreeDevice*, const WattreeScriptOptions*, WattreeScript**, WattreeScriptFacts*,
       WattreeError* error) { return fail(error, "no scripts here"); },
    [](WattreeScript*) {},
    [](WattreeDevice*, WattreeScript*, const WattreeProgram*, double*, WattreeError* error) {
      return fail(error, "no scripts here");
    }};

}  // namespace

extern "C" const WattreeTorch* wattree_torch(void);
extern "C" const WattreeTorch* wattree_torch(void) { return &kTorch; }
