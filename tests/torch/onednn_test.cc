// The limit on oneDNN's instructions, as the framework hears it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/measure/runner/plugin.h"
#include "src/models/config/config.h"
#include "src/models/families/family.h"
#include "tests/torch/plugin.h"

namespace wattree {
namespace {

// The limit is set when a device is opened; the framework is loaded by then. An instruction set
// that every machine is above of shows whether that is early enough.
TEST(OnednnLimit, IsHeardWhereItIsSetAfterTheFrameworkIsLoaded) {
  if (!has_plugin()) GTEST_SKIP() << kWithoutPlugin;
  ASSERT_NE(::dlopen(tested_plugin().c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << ::dlerror();
  void* onednn = ::dlopen("libdnnl.so.2", RTLD_NOW | RTLD_NOLOAD);
  if (onednn == nullptr)
    GTEST_SKIP() << "this LibTorch has oneDNN inside, where it cannot be asked";
  ::setenv("DNNL_MAX_CPU_ISA", "SSE41", 1);
  const auto opened = open_torch_executor({{tested_plugin()}, "cpu"});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  Pass pass;
  pass.precision = Precision::kBf16;
  pass.keeps_dataflow = true;
  const auto config = Config::parse(
      R"({"model_type": "gpt2", "n_embd": 32, "n_head": 2, "n_layer": 1, "vocab_size": 100})",
      "test");
  const auto built = build_tree(config.value(), {pass, ""});
  ASSERT_TRUE(built.ok()) << built.error().message;
  const ModelTree& tree = built.value().tree;
  // It may be refused: few kernels in bf16 go without newer instructions. They are chosen, or not.
  static_cast<void>(opened.value()->prepare(tree, tree.node_count() - 1, {}));
  const auto effective_isa =
      reinterpret_cast<int (*)()>(::dlsym(onednn, "dnnl_get_effective_cpu_isa"));
  ASSERT_NE(effective_isa, nullptr);
  constexpr int kSse41 = 1;
  EXPECT_EQ(effective_isa(), kSse41);
}

}  // namespace
}  // namespace wattree
