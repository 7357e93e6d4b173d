// Tiles of the processor: found, limited, and the limit heard by the framework.
#include "src/measure/torch/amx.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "src/measure/runner/plugin.h"
#include "src/models/config/config.h"
#include "src/models/families/family.h"
#include "tests/torch/plugin.h"

namespace wattree {
namespace {

using torch_plugin::Amx;
using torch_plugin::limit_onednn;

// The limit that is set, "" where there is none.
std::string limit() {
  const char* value = std::getenv("DNNL_MAX_CPU_ISA");
  return value == nullptr ? "" : value;
}

class Tiles : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    ::unsetenv("DNNL_MAX_CPU_ISA");
    ::unsetenv("ONEDNN_MAX_CPU_ISA");
  }
};

TEST_F(Tiles, ThatAreForbiddenLimitOneDnnAndTheUserIsTold) {
  const std::string note = limit_onednn(Amx::kForbidden);
  EXPECT_EQ(limit(), "AVX512_CORE_BF16");
  EXPECT_NE(note.find("AVX512_CORE_BF16"), std::string::npos) << note;
}

TEST_F(Tiles, ThatAreUsableOrAbsentLimitNothing) {
  EXPECT_EQ(limit_onednn(Amx::kUsable), "");
  EXPECT_EQ(limit_onednn(Amx::kAbsent), "");
  EXPECT_EQ(limit(), "");
}

TEST_F(Tiles, ALimitOfTheUsersOwnStays) {
  ::setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
  EXPECT_EQ(limit_onednn(Amx::kForbidden), "");
  EXPECT_EQ(limit(), "AVX2");
  clear();
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  EXPECT_EQ(limit_onednn(Amx::kForbidden), "");
  EXPECT_EQ(limit(), "");
}

TEST_F(Tiles, AreFoundAsTheSystemShowsThem) {
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Amx found = torch_plugin::find_amx();
  // The system may hide what the processor shows, but shows nothing that is not there.
  const bool is_shown = text.find(" amx_tile") != std::string::npos;
  EXPECT_FALSE(is_shown && found == Amx::kAbsent);
  // Where there are none, trying one must not end this process.
  EXPECT_EQ(torch_plugin::can_use_tile(), found == Amx::kUsable);
}

TEST_F(Tiles, HaveThreeStates) {
  EXPECT_EQ(torch_plugin::parse_amx("absent"), Amx::kAbsent);
  EXPECT_EQ(torch_plugin::parse_amx("forbidden"), Amx::kForbidden);
  EXPECT_EQ(torch_plugin::parse_amx("usable"), Amx::kUsable);
  EXPECT_FALSE(torch_plugin::parse_amx("Usable"));
}

// The plugin sets the limit when it is opened; the framework is loaded by then. An instruction set
// that every machine is above of shows whether that is early enough.
TEST_F(Tiles, ALimitThatIsSetAfterTheFrameworkIsLoadedIsHeard) {
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
