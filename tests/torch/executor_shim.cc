// The executor as plain C functions, so that a Python program can measure it beside the framework's
// own passes, in one process (tools/compare_executor.py).
#include <cstring>
#include <memory>
#include <string>

#include "src/base/file.h"
#include "src/measure/runner/plugin.h"
#include "src/models/families/family.h"

namespace {

using namespace wattree;

std::unique_ptr<Executor> g_executor;
std::string g_error;

struct Prepared {
  ModelTree tree;
  std::unique_ptr<Launch> launch;
};

bool failed(const Status& failure) {
  if (failure) g_error = failure->message + " (" + failure->hint + ")";
  return failure.has_value();
}

template <class T>
bool failed(const Result<T>& result) {
  return !result.ok() && failed(Status(result.error()));
}

}  // namespace

extern "C" {

const char* shim_error() { return g_error.c_str(); }

int shim_open(const char* plugin, const char* device) {
  Result<std::unique_ptr<Executor>> opened = open_torch_executor({{plugin}, device});
  if (failed(opened)) return 1;
  g_executor = std::move(opened).value();
  return 0;
}

const char* shim_device() { return g_executor->device().name.c_str(); }
const char* shim_uuid() { return g_executor->device().uuid.c_str(); }
const char* shim_pci() { return g_executor->device().pci_bus.c_str(); }

// The node of that scope ("": the whole model), of a config.json.
void* shim_prepare(const char* config_path, long batch, long seq, const char* dtype,
                   const char* attention, const char* scope, int cache) {
  const Result<std::string> text = read_file(config_path);
  if (failed(text)) return nullptr;
  const Result<Config> config = Config::parse(text.value(), config_path);
  if (failed(config)) return nullptr;
  Pass pass;
  pass.batch = batch;
  pass.seq = pass.target_len = pass.source = seq;
  pass.precision = parse_precision(dtype).value_or(Precision::kFp32);
  pass.attention = std::strcmp(attention, "eager") == 0 ? Attention::kEager : Attention::kSdpa;
  pass.keeps_dataflow = true;
  Result<BuiltTree> built = build_tree(config.value(), {pass, ""});
  if (failed(built)) return nullptr;
  auto prepared = std::make_unique<Prepared>();
  prepared->tree = std::move(std::move(built).value().tree);
  for (std::int32_t i = prepared->tree.node_count() - 1; i >= 0; --i) {
    if (prepared->tree.nodes()[static_cast<std::size_t>(i)].scope != scope) continue;
    Result<std::unique_ptr<Launch>> launch =
        g_executor->prepare(prepared->tree, i, {static_cast<CacheState>(cache), 0, true});
    if (failed(launch)) return nullptr;
    prepared->launch = std::move(launch).value();
    return prepared.release();
  }
  g_error = "no such node";
  return nullptr;
}

int shim_start(void* prepared) {
  return failed(static_cast<Prepared*>(prepared)->launch->start()) ? 1 : 0;
}
int shim_copies(void* prepared) { return static_cast<Prepared*>(prepared)->launch->copies(); }
int shim_sets(void* prepared) { return static_cast<Prepared*>(prepared)->launch->sets(); }
int shim_unlinked(void* prepared) { return static_cast<Prepared*>(prepared)->launch->unlinked(); }
int shim_is_graph(void* prepared) {
  return static_cast<Prepared*>(prepared)->launch->execution() == Execution::kGraph ? 1 : 0;
}
const char* shim_why_eager(void* prepared) {
  return static_cast<Prepared*>(prepared)->launch->why_eager().data();
}
void shim_release(void* prepared) { delete static_cast<Prepared*>(prepared); }

}  // extern "C"
