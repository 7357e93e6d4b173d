// Rules and examples of the CUDA C++ Programming Guide, "CUDA Environment Variables".
#include "src/measure/meter/visible.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

const std::vector<VisibleGpu> kThree{{"H200", "GPU-8932f937-d72c", {}},
                                     {"H200", "GPU-8932aaaa-0000", {"MIG-11", "MIG-12"}},
                                     {"H200", "GPU-77777777-0000", {}}};

std::vector<std::size_t> gpus(const VisibleDevices& devices,
                              const std::vector<VisibleGpu>& present = kThree) {
  std::vector<std::size_t> out;
  for (const auto& chosen : choose_visible(present, devices).chosen) out.push_back(chosen.gpu);
  return out;
}

std::vector<std::size_t> cuda(const char* value) {
  return gpus({value, std::nullopt, std::nullopt});
}
using Indices = std::vector<std::size_t>;

TEST(VisibleDevices, NothingSetMeansAll) { EXPECT_EQ(gpus({}), (Indices{0, 1, 2})); }

TEST(VisibleDevices, IndicesUuidsAndTheirBeginnings) {
  EXPECT_EQ(cuda("2,1"), (Indices{2, 1}));
  EXPECT_EQ(cuda(" 0 , 2 "), (Indices{0, 2}));
  EXPECT_EQ(cuda("GPU-8932f937"), (Indices{0}));
  EXPECT_EQ(cuda("GPU-8932"), (Indices{}));  // Two GPUs begin so.
  EXPECT_EQ(cuda("1,1"), (Indices{1}));
}

TEST(VisibleDevices, WhatFollowsAnInvalidEntryIsHidden) {
  EXPECT_EQ(cuda("0,2,-1,1"), (Indices{0, 2}));
  EXPECT_EQ(cuda("0,7,1"), (Indices{0}));
  EXPECT_EQ(cuda("-1"), (Indices{}));
  EXPECT_EQ(cuda(""), (Indices{}));
  EXPECT_EQ(cuda("NoDevFiles"), (Indices{}));
  EXPECT_EQ(cuda("99999999999999999999999"), (Indices{}));
}

TEST(VisibleDevices, MigInstancesChooseTheirGpu) {
  const VisibleChoice choice =
      choose_visible(kThree, {"MIG-12,MIG-11", std::nullopt, std::nullopt});
  ASSERT_EQ(choice.chosen.size(), 1u);
  EXPECT_EQ(choice.chosen[0].gpu, 1u);
  EXPECT_EQ(choice.chosen[0].instances, (std::vector<std::string>{"MIG-12", "MIG-11"}));
  EXPECT_EQ(cuda("MIG-GPU-8932f937-d72c/1/0"), (Indices{0}));
  EXPECT_EQ(cuda("MIG-99"), (Indices{}));
}

TEST(VisibleDevices, TheContainersVariableCountsByUuidAlone) {
  // Its index 3 is the host's: here there is nothing left to choose.
  EXPECT_EQ(gpus({std::nullopt, "3", std::nullopt}), (Indices{0, 1, 2}));
  EXPECT_EQ(gpus({std::nullopt, "all", std::nullopt}), (Indices{0, 1, 2}));
  EXPECT_EQ(gpus({std::nullopt, "GPU-77777777-0000", std::nullopt}), (Indices{2}));
  EXPECT_EQ(gpus({"0", "GPU-77777777-0000", std::nullopt}), (Indices{0}));
}

TEST(VisibleDevices, IndicesOfDifferentGpusAreDoubtful) {
  const std::vector<VisibleGpu> mixed{{"T4", "GPU-1", {}}, {"H200", "GPU-2", {}}};
  EXPECT_FALSE(choose_visible(mixed, {"0", std::nullopt, std::nullopt}).doubt.empty());
  EXPECT_TRUE(choose_visible(mixed, {"0", std::nullopt, "PCI_BUS_ID"}).doubt.empty());
  EXPECT_TRUE(choose_visible(mixed, {"GPU-2", std::nullopt, std::nullopt}).doubt.empty());
  EXPECT_TRUE(choose_visible(kThree, {"0", std::nullopt, std::nullopt}).doubt.empty());
}

}  // namespace
}  // namespace wattree
