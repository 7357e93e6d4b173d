#include "src/base/provenance.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(Provenance, NamesReadBack) {
  for (const Basis basis :
       {Basis::kMeasured, Basis::kPublished, Basis::kDerived, Basis::kPredicted, Basis::kAssumed}) {
    EXPECT_EQ(parse_basis(name_of(basis)), basis);
  }
  for (const Boundary boundary :
       {Boundary::kGpu, Boundary::kHost, Boundary::kWall, Boundary::kFacility}) {
    EXPECT_EQ(parse_boundary(name_of(boundary)), boundary);
  }
  EXPECT_FALSE(parse_basis("guessed"));
  EXPECT_FALSE(parse_boundary(""));
}

TEST(Provenance, ASumIsAsGoodAsItsWeakestPart) {
  const Provenance gpu{Basis::kMeasured, "NVML energy counter", Boundary::kGpu};
  const Provenance cpu{Basis::kAssumed, "65 W by the user", Boundary::kHost};
  const Provenance sum = of_sum(gpu, cpu);
  EXPECT_EQ(
      sum, (Provenance{Basis::kAssumed, "NVML energy counter; 65 W by the user", Boundary::kHost}));
  EXPECT_EQ(of_sum(sum, gpu), sum);
  EXPECT_EQ(of_sum(gpu, {Basis::kMeasured, "NVML", Boundary::kGpu}).by,
            "NVML energy counter; NVML");
  EXPECT_EQ(of_sum({Basis::kMeasured, "", Boundary::kGpu}, gpu), gpu);
}

}  // namespace
}  // namespace wattree
