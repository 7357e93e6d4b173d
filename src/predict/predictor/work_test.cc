#include "src/predict/predictor/work.h"

#include <gtest/gtest.h>

#include "src/predict/predictor/dataset_work.h"
#include "src/predict/predictor/least_time.h"
#include "src/predict/predictor/predictor.h"
#include "src/predict/predictor/survey.h"
#include "src/predict/predictor/tiling.h"

namespace wattree {
namespace {

TEST(CountTerms, OfALinearLayerByHand) {
  Work work;
  work.kind = WorkKind::kGemm;
  work.m = 1024;
  work.k = 768;
  work.n = 3072;
  // 8 x 24 = 192 tiles on 15 processors: 13 waves.
  const Terms terms = count_terms(work, Chip{.processors = 15});
  EXPECT_EQ(terms[0], 1);
  EXPECT_DOUBLE_EQ(terms[1], 2.0 * 1024 * 768 * 3072 / 1e9);
  EXPECT_DOUBLE_EQ(terms[2], 3);   // 1024 x 768 x 4 B
  EXPECT_DOUBLE_EQ(terms[3], 9);   // 768 x 3072 x 4 B
  EXPECT_DOUBLE_EQ(terms[4], 12);  // 1024 x 3072 x 4 B
  EXPECT_DOUBLE_EQ(terms[5], 13 * 768 / 1e3);
}

TEST(CountTerms, PadsTheOutputsOfABatchedProduct) {
  Work work;
  work.kind = WorkKind::kMatmul;
  work.groups = 96;
  work.m = work.n = 160;
  work.k = 64;
  const Terms terms = count_terms(work, Chip{.processors = 15});
  EXPECT_DOUBLE_EQ(terms[3], 96 * 192.0 * 192 / 1e6);
  EXPECT_DOUBLE_EQ(terms[4], 96 * 256.0 * 256 / 1e6);
}

Work single_linear(double m, double n, double k) {
  Work work;
  work.kind = WorkKind::kGemm;
  work.m = m;
  work.n = n;
  work.k = k;
  work.has_bias = work.is_transposed = true;
  return work;
}

TEST(CountTerms, OfASinglePrecisionProductByHand) {
  Work work = single_linear(1024, 3072, 768);
  work.kind = kernel_kind(work);
  ASSERT_EQ(work.kind, WorkKind::kLinear32);
  const double gflop = 2.0 * 1024 * 768 * 3072 / 1e9;
  Terms terms = count_terms(work, Chip{});
  EXPECT_EQ(terms[0], 1);
  EXPECT_DOUBLE_EQ(terms[1], gflop);
  EXPECT_DOUBLE_EQ(terms[2], gflop);
  EXPECT_DOUBLE_EQ(terms[4], 3 + 9 + 12);  // MiB of input, weight and output
  work.is_transposed = false;
  terms = count_terms(work, Chip{});
  EXPECT_EQ(terms[2], 0);
}

Work half_linear(double m, double n, double k) {
  Work work;
  work.kind = WorkKind::kGemm;
  work.m = m;
  work.n = n;
  work.k = k;
  work.width = work.weight_width = 2;
  return work;
}

// Attention of one token over so many keys.
Work step_of_50_heads(WorkKind kind, double keys) {
  Work step;
  step.kind = kind;
  step.groups = 2 * 50;  // Twice batch times heads.
  step.m = 1;
  step.n = keys;
  step.k = 128;
  return step;
}

TEST(CountTerms, StepsShareKeysOutWhereHeadsAreFew) {
  const Chip chip{.processors = 100};
  Work step = step_of_50_heads(WorkKind::kFusedStep16, 64 * 20);
  EXPECT_EQ(step_waves(step, chip).heads, 1);
  EXPECT_EQ(step_waves(step, chip).keys, 2 * 10);  // Half of the chip has all the blocks.
  EXPECT_TRUE(step_waves(step, chip).is_shared_out);
  step.n = 65;
  EXPECT_EQ(step_waves(step, chip).keys, 2 * 2);
  EXPECT_FALSE(step_waves(step, chip).is_shared_out);
  step.groups = 2 * 300;
  EXPECT_EQ(step_waves(step, chip).heads, 3);
  EXPECT_EQ(step_waves(step, chip).keys, 2 * 3 * 2);
  const Terms terms = count_terms(step, chip);
  EXPECT_EQ(terms[3], 3);
  EXPECT_EQ(terms[4], 12);
  EXPECT_EQ(terms[5], 0);
}

TEST(CountTerms, AttentionInFp32GoesThroughItsKeysOneAfterTheOther) {
  const Chip chip{.processors = 100};
  Work step = step_of_50_heads(WorkKind::kFused32, 65);
  EXPECT_EQ(keys_in_turn(step, chip).first, 128);  // Blocks of 64.
  EXPECT_EQ(keys_in_turn(step, chip).beyond, 0);   // Half of the chip has one each.
  step.groups = 2 * 300;
  EXPECT_EQ(keys_in_turn(step, chip).first, 128);
  EXPECT_EQ(keys_in_turn(step, chip).beyond, 2 * 128 * 2);
  // One query takes the arithmetic of a tile of them.
  const Terms one = count_terms(step, chip);
  step.m = 64;
  EXPECT_EQ(count_terms(step, chip)[1], one[1]);
  EXPECT_DOUBLE_EQ(one[1], 4.0 * 300 * 64 * 128 * 128 / 1e9);
  step.m = 65;
  EXPECT_EQ(keys_in_turn(step, chip).beyond, 5 * 128 * 2);
  // Of the blocks of 64 by 64, a causal mask leaves out one of four.
  step.is_causal = true;
  step.n = 128;
  step.m = 128;
  EXPECT_EQ(keys_in_turn(step, chip).beyond, (0.75 * 6 - 1) * 128 * 2);
}

Predictor with_price(Joules energy, Seconds time) {
  Predictor out;
  out.power_cap = PowerCap{500, 0.5, 1};
  out.is_by_kernel = true;
  Coefficients& kernel = out.kinds[static_cast<std::size_t>(WorkKind::kPointwise)].emplace();
  kernel.energy[0] = energy.value;
  kernel.time[0] = time.value;
  return out;
}

TEST(PriceAmong, HoldsLongKernelsToTheLimit) {
  Work kernel;
  kernel.kind = WorkKind::kElementwise;
  const Predictor at_length = with_price(Joules(10), Seconds(10e-3));  // 1000 W.
  const Price held = price_among(at_length, kernel);
  EXPECT_DOUBLE_EQ(held.time.value, 10e-3 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ((held.energy / held.time).value, 500);
  EXPECT_DOUBLE_EQ(price_among(at_length, kernel, {.is_rested = true}).time.value, 10e-3);
  // For a moment it may draw as much.
  EXPECT_DOUBLE_EQ(price_among(with_price(Joules(4), Seconds(4e-3)), kernel).time.value, 4e-3);
  EXPECT_DOUBLE_EQ(price_among(with_price(Joules(4), Seconds(10e-3)), kernel).energy.value, 4);
}

TEST(PriceAmong, AddsWhatItTakesToFollowAndToFetch) {
  Predictor predictor = with_price(Joules(1e-3), Seconds(10e-6));
  const auto per_kernel = [&](WorkKind kind, double joules, double seconds) {
    Coefficients& c = predictor.kinds[static_cast<std::size_t>(kind)].emplace();
    c.energy[0] = joules;
    c.time[0] = seconds;
  };
  per_kernel(WorkKind::kFollow, 1e-4, 1e-6);
  per_kernel(WorkKind::kFetch, 2e-4, 2e-6);
  Work kernel;
  kernel.kind = WorkKind::kElementwise;
  EXPECT_DOUBLE_EQ(price_among(predictor, kernel, {.is_behind_another = false}).energy.value, 1e-3);
  EXPECT_DOUBLE_EQ(price_among(predictor, kernel).energy.value, 1.1e-3);
  kernel.fetches_weight = true;
  EXPECT_DOUBLE_EQ(price_among(predictor, kernel).energy.value, 1.3e-3);
  EXPECT_DOUBLE_EQ(price_among(predictor, kernel).time.value, 13e-6);
}

TEST(PriceAmong, LeavesAloneWhatHasNoPrice) {
  Predictor predictor;
  predictor.kinds[static_cast<std::size_t>(WorkKind::kFollow)].emplace().energy[0] = 1;
  Work kernel;
  kernel.kind = WorkKind::kGemm;
  const Price price = price_among(predictor, kernel);
  EXPECT_FALSE(price.is_known);
  EXPECT_EQ(price.energy, Joules());
}

TEST(Besides, NormsLayOutAnewWhatIsCrossed) {
  Work norm;
  norm.kind = WorkKind::kNormalization;
  EXPECT_FALSE(takes_besides(norm, WorkKind::kCross));
  norm.is_crossed = true;
  EXPECT_TRUE(takes_besides(norm, WorkKind::kCross));
}

TEST(CountTerms, ProductsOfOneRowReadTheirWeightFaster) {
  const auto terms_of_rows = [](double rows) {
    return count_terms(seen_as(half_linear(rows, 1024, 512), WorkKind::kLinear16), Chip());
  };
  const Terms one = terms_of_rows(1);
  const Terms two = terms_of_rows(2);
  EXPECT_DOUBLE_EQ(one[3], (512 + 1024) * 2.0 / (1024 * 1024));  // Input and output.
  EXPECT_DOUBLE_EQ(two[3], 2 * one[3]);
  EXPECT_DOUBLE_EQ(one[4], 1);  // A weight of 1 MiB,
  EXPECT_DOUBLE_EQ(two[4], 1);
  EXPECT_DOUBLE_EQ(one[5], 0);  // once more from two rows on.
  EXPECT_DOUBLE_EQ(two[5], 1);
}

TEST(KernelKind, TellsProductsByHowTheirRowsLie) {
  EXPECT_EQ(kernel_kind(half_linear(512, 3072, 768)), WorkKind::kLinear16);
  EXPECT_EQ(kernel_kind(half_linear(511, 3072, 768)), WorkKind::kLinear16);  // Rows are no matter.
  EXPECT_EQ(kernel_kind(half_linear(512, 50257, 768)), WorkKind::kUneven16);
  EXPECT_EQ(kernel_kind(half_linear(512, 3072, 766)), WorkKind::kUneven16);
  EXPECT_EQ(alignment_of(half_linear(1, 50257, 768)), 1);
  EXPECT_EQ(alignment_of(half_linear(1, 50258, 768)), 2);
  EXPECT_EQ(alignment_of(half_linear(1, 50260, 768)), 4);
  EXPECT_EQ(alignment_of(half_linear(1, 50264, 768)), 8);
  // In fp32 no width is uneven.
  EXPECT_EQ(kernel_kind(single_linear(512, 50257, 768)), WorkKind::kLinear32);
}

Chip fast_chip() {
  Chip chip;
  chip.processors = 132;
  chip.half_gflop_per_us = 0.8;
  chip.single_gflop_per_us = 0.046;
  chip.mib_per_us = 3.8;
  return chip;
}

TEST(UnevenTiling, FollowsThePiecesThatAreRead) {
  // 2044 x 2044 x 2044 takes 70 µs, 4095 x 3071 x 767 takes 184 (data/h200-kinds).
  EXPECT_NEAR(uneven_tiling(half_linear(2044, 2044, 2044), 24, fast_chip()), 65, 5);
  EXPECT_NEAR(uneven_tiling(half_linear(4095, 767, 3071), 35, fast_chip()), 185, 15);
  // A matrix by a vector is bound by what it reads, whatever the pieces.
  EXPECT_EQ(uneven_tiling(half_linear(1, 50257, 768), 100, fast_chip()),
            uneven_tiling(half_linear(1, 50258, 768), 100, fast_chip()));
}

TEST(GroupedTerms, CountTheWeightsOfAllExpertsAtWork) {
  Work work = half_linear(8192, 2048, 1024);
  work.groups = 64;
  work.kind = kernel_kind(work);
  ASSERT_EQ(work.kind, WorkKind::kGrouped16);
  const Terms terms = count_terms(work, fast_chip());
  EXPECT_DOUBLE_EQ(terms[1], 2.0 * 8192 * 2048 * 1024 / 1e9);
  EXPECT_DOUBLE_EQ(terms[4], 64 * 4);  // MiB
  // Few rows: it is reading them that takes the time.
  work.m = 64;
  EXPECT_NEAR(count_terms(work, fast_chip())[2], 64 * 4 / 3.8, 1);
}

TEST(KernelKind, SeesTf32AsTwiceTheDepthOf16Bits) {
  Work work = single_linear(512, 1024, 768);
  work.is_tf32 = true;
  EXPECT_EQ(kernel_kind(work), WorkKind::kLinear16);
  Work deep = half_linear(512, 1024, 2 * 768);
  deep.has_bias = deep.is_transposed = true;
  EXPECT_EQ(count_terms(seen_as(work, WorkKind::kLinear16), fast_chip()),
            count_terms(seen_as(deep, WorkKind::kLinear16), fast_chip()));
  work.m = 4;  // Few rows, too: their price goes on where that of many ends.
  EXPECT_EQ(kernel_kind(work), WorkKind::kLinear16);
}

TEST(LeastTime, IsThatOfArithmeticOrOfTraffic) {
  const Peak peak{1, 0.05, 4, 60};
  // 2 GFLOP take 2 µs of a rate of 1; 8 MiB fit in the cache.
  Work work = half_linear(1000, 1000, 1000);
  EXPECT_DOUBLE_EQ(least_time(work, peak), 2e-6);
  work.width = work.weight_width = 4;
  EXPECT_DOUBLE_EQ(least_time(work, peak), 40e-6);
  work.is_tf32 = true;
  EXPECT_DOUBLE_EQ(least_time(work, peak), 4e-6);
  // A weight that is not in the cache is read all; one that is only as far as it does not fit.
  work = half_linear(1, 8192, 8192);
  work.fetches_weight = true;
  EXPECT_NEAR(least_time(work, peak), 128 / 4.0 * 1e-6, 1e-9);
  work.fetches_weight = false;
  EXPECT_NEAR(least_time(work, peak), (128 - 60) / 4.0 * 1e-6, 1e-8);
  work.fetches_weight = true;
  EXPECT_EQ(least_time(work, Peak{}), 0);
}

TEST(PriceOf, IsNeverFasterThanTheChip) {
  Predictor predictor;
  predictor.is_by_kernel = true;
  predictor.idle_w = 100;
  predictor.chip = fast_chip();
  Coefficients cheap;
  cheap.time = cheap.energy = {1e-9, 0, 0, 0, 0, 0};
  predictor.kinds[static_cast<std::size_t>(WorkKind::kLinear16)] = cheap;
  const Work work = half_linear(1000, 1000, 1000);
  EXPECT_DOUBLE_EQ(price_of(predictor, work).time.value, 1e-9);  // Nobody said how fast it is.
  predictor.chip.peak = {1, 0.05, 4, 60};
  const Price price = price_of(predictor, work);
  EXPECT_DOUBLE_EQ(price.time.value, 2e-6);
  EXPECT_DOUBLE_EQ(price.lifted_time.value, 2e-6 - 1e-9);
  EXPECT_DOUBLE_EQ(price.energy.value, 1e-9 + 100 * price.lifted_time.value);
  // Nor does it draw more than twice the limit.
  predictor.kinds[static_cast<std::size_t>(WorkKind::kLinear16)]->energy[0] = 0.01;
  predictor.power_cap = PowerCap{500, 0.5, 1};
  const Price hot = price_of(predictor, work);
  EXPECT_NEAR(hot.energy.value / hot.time.value, 1000, 1e-6);
}

TEST(CountTerms, FewRowsInSinglePrecisionWaitForTheWeight) {
  Work work = single_linear(16, 1024, 1024);
  work.kind = kernel_kind(work);
  ASSERT_EQ(work.kind, WorkKind::kFewRows32);
  const Terms terms = count_terms(work, Chip{});
  EXPECT_EQ(terms[0], 1);
  EXPECT_EQ(terms[1], 4);  // 1024 x 1024 x 4 B
  EXPECT_EQ(kernel_kind(single_linear(17, 1024, 1024)), WorkKind::kLinear32);
  Work half = single_linear(16, 1024, 1024);
  half.width = half.weight_width = 2;
  EXPECT_EQ(kernel_kind(half), WorkKind::kLinear16);
  // A chip that was surveyed knows both.
  Chip surveyed;
  surveyed.survey = std::make_shared<const Survey>();
  EXPECT_EQ(kernel_kind(single_linear(16, 1024, 1024), Chip{}), WorkKind::kFewRows32);
  EXPECT_EQ(kernel_kind(single_linear(16, 1024, 1024), surveyed), WorkKind::kSurveyed32);
  EXPECT_EQ(kernel_kind(single_linear(17, 1024, 1024), surveyed), WorkKind::kSurveyed32);
  EXPECT_EQ(kernel_kind(half, surveyed), WorkKind::kLinear16);
}

TEST(BestTiling, SplitsTheDepthFreelyWithoutABias) {
  // A processor does a million FLOPs in a microsecond, a MiB takes one as well.
  const Chip chip{.processors = 4, .single_gflop_per_us = 0.004, .mib_per_us = 1};
  Work work = single_linear(128, 128, 1024);
  work.kind = kernel_kind(work);
  // One wave of four tiles of 64 x 64, at half the rate.
  EXPECT_DOUBLE_EQ(best_tiling(work, 1, chip), 2.0 * 64 * 64 * 1024 / 0.5e6);
  // One tile of 128 x 128 in four parts of 256; then 4 x 128 x 128 sums of 8 B, and a launch.
  work.has_bias = false;
  EXPECT_DOUBLE_EQ(best_tiling(work, 1, chip), 2.0 * 128 * 128 * 256 / 1e6 + 1 + 0.5);
}

TEST(Extras, AreCountedByElements) {
  Work work;
  work.elements = 3e6;
  EXPECT_FALSE(takes_besides(work, WorkKind::kConvert));
  EXPECT_FALSE(takes_besides(work, WorkKind::kCross));
  work.converts = work.is_crossed = true;
  EXPECT_TRUE(takes_besides(work, WorkKind::kConvert));
  EXPECT_TRUE(takes_besides(work, WorkKind::kCross));
  work.kind = WorkKind::kConvert;
  EXPECT_EQ(count_terms(work, Chip{})[0], 1);
  EXPECT_EQ(count_terms(work, Chip{})[1], 3);
  work.elements = 512;  // A quarter of a block.
  EXPECT_EQ(count_terms(work, Chip{})[0], 0.25);
  work.kind = WorkKind::kCross;
  EXPECT_EQ(count_terms(work, Chip{})[0], 512e-6);
}

TEST(WorkKinds, ComeBackFromTheirNames) {
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    const auto kind = static_cast<WorkKind>(i);
    EXPECT_EQ(parse_work_kind(name_of(kind)), kind);
    EXPECT_LE(terms_of(kind).size(), kMaxTerms);
  }
  EXPECT_FALSE(parse_work_kind("nonsense"));
}

// A kernel of every size, so that no term of any kind is zero.
Work work_of_all_sizes(WorkKind kind) {
  Work work;
  work.kind = kind;
  work.groups = 2;
  work.m = work.k = 256;
  work.n = 512;
  work.bytes = 3 * 1024 * 1024;
  work.elements = work.masked = 5001;  // An odd width.
  work.rows = 1;
  work.channels = 3;
  work.is_reordered = work.is_transposed = work.fetches_weight = true;
  return work;
}

TEST(WorkKinds, CountTheTermsThatTheirRowsName) {
  const Chip chip{.processors = 2, .cache_mib = 1};
  // Half of the sizes of the survey have kernels with tiles, and half have none.
  Survey::Grid grid{{{1, 1024}, {0, 10}}, {{64, 1024}, {6, 10}}, {{}, {32, 32}}, {}};
  for (Survey::Times& times : grid.ways) {
    times.steps.assign(8, 128);
    times.cached.assign(8, 0);
    times.tiles = {0, 0, 0, 0, 1, 1, 1, 1};
  }
  Chip surveyed = chip;
  surveyed.survey = std::make_shared<const Survey>(Survey{grid, grid, chip});
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    const auto kind = static_cast<WorkKind>(i);
    const Terms plain = count_terms(work_of_all_sizes(kind), chip);
    const Terms others = count_terms(work_of_all_sizes(kind), surveyed);
    for (std::size_t t = 0; t < kMaxTerms; ++t) {
      EXPECT_EQ(plain[t] > 0 || others[t] > 0, t < terms_of(kind).size())
          << name_of(kind) << " " << t;
    }
  }
}

TEST(ConvolutionTerms, ThoseOverImagesReadEveryPointOnce) {
  Work conv;  // 3 x 3 taps of 64 channels.
  conv.kind = WorkKind::kConvolution;
  conv.m = 1024;
  conv.n = 128;
  conv.k = 9 * 64;
  conv.channels = 64;
  conv.width = conv.weight_width = 2;
  EXPECT_EQ(kernel_kind(conv), WorkKind::kConv16);
  conv.is_spatial = true;
  EXPECT_EQ(kernel_kind(conv), WorkKind::kSpatial);
  const Terms terms = count_terms(seen_as(conv, WorkKind::kLinear16), Chip());
  EXPECT_DOUBLE_EQ(terms[1], 2.0 * 1024 * 128 * 576 / 1e9);
  EXPECT_DOUBLE_EQ(terms[3], (1024 * 64 + 1024 * 128) * 2.0 / (1024 * 1024));
  // In fp32 by TF32: twice the bytes that come in, at half the rate.
  conv.width = conv.weight_width = 4;
  const Terms single = count_terms(seen_as(conv, WorkKind::kLinear16), Chip());
  EXPECT_DOUBLE_EQ(single[1], 2 * terms[1]);
  EXPECT_DOUBLE_EQ(single[3], (2 * 1024 * 64 + 1024 * 128) * 2.0 / (1024 * 1024));
}

TEST(ConvolutionTerms, CountTapsOfFewChannelsWaveByWave) {
  Work patches;  // Of 32 x 32 points in three colours, into 768 channels.
  patches.kind = WorkKind::kConv16;
  patches.channels = 3;
  patches.k = 3 * 32 * 32;
  patches.n = 768;
  patches.m = 49;
  const Chip chip{.processors = 132};
  EXPECT_DOUBLE_EQ(count_terms(patches, chip)[2], 1.024);
  patches.m = 49 * 32;  // 13 by 6 tiles are one wave,
  EXPECT_DOUBLE_EQ(count_terms(patches, chip)[2], 1.024);
  patches.m = 49 * 64;  // and 25 by 6 are two.
  EXPECT_DOUBLE_EQ(count_terms(patches, chip)[2], 2.048);
  patches.channels = 80;
  EXPECT_EQ(count_terms(patches, chip)[2], 0);
}

TEST(NormTerms, CountWidthsThatAreNoMultipleOfFour) {
  Work norm;
  norm.kind = WorkKind::kNormRows;
  norm.rows = 500;
  norm.elements = 500 * 768;
  EXPECT_EQ(count_terms(norm, Chip{})[4], 0);
  EXPECT_EQ(count_terms(norm, Chip{})[5], 0);
  norm.elements = 500 * 770;
  EXPECT_EQ(count_terms(norm, Chip{})[4], 1);
  EXPECT_EQ(count_terms(norm, Chip{})[5], 0.5);
}

TEST(Extras, MakeAKernelAsUncertainAsTheyAre) {
  Predictor predictor;
  predictor.is_by_kernel = true;
  const auto add = [&](WorkKind kind, double spread) {
    Coefficients prices;
    prices.energy_spread = prices.time_spread = spread;
    predictor.kinds[static_cast<std::size_t>(kind)] = prices;
  };
  add(WorkKind::kPointwise, 0.2);
  add(WorkKind::kConvert, 0.5);
  add(WorkKind::kCross, 0.1);
  const auto half = [&](const Work& work) {
    return spread_of_kernel(predictor, price_of(predictor, work), true).energy;
  };
  Work work;
  EXPECT_EQ(half(work), 0.2);
  work.is_crossed = true;  // Known better than the kernel itself.
  EXPECT_EQ(half(work), 0.2);
  work.converts = true;
  EXPECT_EQ(half(work), 0.5);
  EXPECT_EQ(price_of(predictor, work).kind, WorkKind::kPointwise);
}

TEST(StandIns, TakeTheFirstKindThatHasPrices) {
  const Work attention = work_of_all_sizes(WorkKind::kAttention);
  Predictor predictor;
  EXPECT_FALSE(priced_kind(predictor, attention));
  const auto add = [&](WorkKind kind) {
    predictor.kinds[static_cast<std::size_t>(kind)] = Coefficients{};
  };
  for (const WorkKind kind : {WorkKind::kNormalization, WorkKind::kElementwise, WorkKind::kGemm,
                              WorkKind::kMatmul, WorkKind::kAttention}) {
    add(kind);
    EXPECT_EQ(priced_kind(predictor, attention), kind);
  }
  // The two lists have nothing in common.
  predictor.is_by_kernel = true;
  EXPECT_FALSE(priced_kind(predictor, attention));
  add(WorkKind::kFunction);
  EXPECT_EQ(priced_kind(predictor, attention), WorkKind::kFunction);
}

TEST(StandIns, EndWhereKindsStandInForEachOther) {
  Work work;
  for (const WorkKind kind : {WorkKind::kElementwise, WorkKind::kNormalization}) {
    work.kind = kind;
    EXPECT_FALSE(price_of(Predictor{}, work).is_known);
  }
}

TEST(StandIns, SeeABatchOfProductsAsOneProductAndAsTraffic) {
  Work work;
  work.kind = WorkKind::kMatmul;
  work.groups = 6;
  work.m = 10;
  work.n = 20;
  work.k = 30;
  EXPECT_EQ(seen_as(work, WorkKind::kMatmul), work);
  EXPECT_EQ(seen_as(work, WorkKind::kGemm).m, 60);
  // 60 rows of 30 in and of 20 out, and a matrix of 30 x 20: four bytes each.
  EXPECT_EQ(seen_as(work, WorkKind::kElementwise).bytes, 4 * (60 * 30 + 60 * 20 + 30 * 20));
  Work copy;
  copy.kind = WorkKind::kCopy;
  copy.bytes = 17;
  EXPECT_EQ(seen_as(copy, WorkKind::kElementwise).bytes, 17);
}

// IrEne's counts for batch 8, 32 tokens of 768: see docs/datasets.md.
TEST(WorkOfLeaf, FindsTheSizesOfALinearLayer) {
  const double b = 8;
  const double s = 32;
  for (const auto& [k, n] : {std::pair{768.0, 768.0}, {768.0, 3072.0}, {3072.0, 768.0}}) {
    const double flops = 2 * b * s * k * n + b * s * n;
    const double bytes = 4 * (b * (s * k + k * n + s * n) + 2 * b * s * n);
    const Work work = work_of_leaf("Linear", b, s, flops, bytes);
    EXPECT_EQ(work.kind, WorkKind::kGemm);
    EXPECT_EQ(work.m, 256);
    EXPECT_EQ(work.k, k);
    EXPECT_EQ(work.n, n);
  }
}

TEST(WorkOfLeaf, SeesThatAPoolerRunsOnOneVectorPerItem) {
  const Work work =
      work_of_leaf("Linear", 8, 32, 2.0 * 8 * 768 * 768, 4.0 * (8 * 768 + 768 * 768 + 8 * 768));
  EXPECT_EQ(work.m, 8);
  EXPECT_EQ(work.k, 768);
  EXPECT_EQ(work.n, 768);
}

TEST(WorkOfLeaf, TakesTheLargerSideOfAConv1dAsItsOutput) {
  const double m = 16 * 128;
  const Work work =
      work_of_leaf("Conv1D", 16, 128, 2 * m * 768 * 2304, 4 * (m * 768 + 768.0 * 2304 + m * 2304));
  EXPECT_EQ(work.k, 768);
  EXPECT_EQ(work.n, 2304);
}

TEST(WorkOfLeaf, FindsTheHeadsOfAnAttentionProduct) {
  const double b = 16;
  const double s = 96;
  const Work work =
      work_of_leaf("MatMul", b, s, 2 * b * 12 * s * s * 64, 4 * b * 12 * (128 * s + s * s));
  EXPECT_EQ(work.kind, WorkKind::kMatmul);
  EXPECT_EQ(work.groups, b * 12);
  EXPECT_EQ(work.m, s);
  EXPECT_EQ(work.k, 64);
}

TEST(WorkOfLeaf, TakesElementsAsWideAsThePrecisionHasThem) {
  DatasetTree tree;
  EXPECT_EQ(element_width(tree), 4);
  tree.dtype = "bf16";
  EXPECT_EQ(element_width(tree), 2);
  // Batch 8, 32 tokens, 768 -> 3072, every element of two bytes.
  const double flops = 2.0 * 256 * 768 * 3072 + 256 * 3072;
  const double bytes = 2 * (8.0 * (32 * 768 + 768 * 3072 + 32 * 3072) + 2 * 256 * 3072);
  const Work work = work_of_leaf("Linear", 8, 32, flops, bytes, 2);
  EXPECT_EQ(work.kind, WorkKind::kGemm);
  EXPECT_EQ(work.k, 768);
  EXPECT_EQ(work.n, 3072);
  EXPECT_EQ(work.width, 2);
  EXPECT_EQ(work.weight_width, 2);
  EXPECT_EQ(work_of_leaf("Softmax", 8, 32, 5 * 1024, 3 * 2 * 1024, 2).bytes, 2 * 2 * 1024);
}

TEST(WorkOfLeaf, StreamsWhatItDoesNotKnow) {
  const Work work = work_of_leaf("Mystery", 2, 2, 5, 4096);
  EXPECT_EQ(work.kind, WorkKind::kActivation);
  EXPECT_EQ(work.bytes, 4096);
  // Counts that no sizes explain.
  EXPECT_EQ(work_of_leaf("Linear", 8, 32, 1e9, 17).kind, WorkKind::kActivation);
  EXPECT_EQ(work_of_leaf("Linear", 0, 0, 0, 0).kind, WorkKind::kActivation);
}

// Half of the blocks of a long sequence are above the diagonal; a short one is a single block.
TEST(Work, CausalAttentionLeavesOutWhatIsNotSeen) {
  Work work;
  work.kind = WorkKind::kAttention;
  work.groups = 2 * 16;
  work.m = work.n = 8192;
  work.k = 64;
  work.width = 2;
  EXPECT_DOUBLE_EQ(seen_share(work, 128), 1);
  const Terms full = count_terms(seen_as(work, WorkKind::kFused16), Chip());
  work.is_causal = true;
  EXPECT_NEAR(seen_share(work, 128), (64.0 + 1) / (2 * 64), 1e-12);
  const Terms causal = count_terms(seen_as(work, WorkKind::kFused16), Chip());
  EXPECT_NEAR(causal[1] / full[1], 0.508, 1e-3);
  EXPECT_NEAR(causal[4] / full[4], 0.508, 1e-3);
  work.m = work.n = 100;
  EXPECT_DOUBLE_EQ(seen_share(work, 128), 1);
  // A single new token sees all that were before it.
  work.m = 1;
  EXPECT_DOUBLE_EQ(seen_share(work, 128), 1);
}

// Measured on an H200 (data/h200-edges): 12 rows by 384 x 384 take 33 µs without a bias, 4 with
// one.
TEST(Work, NarrowProductsOfFewRowsWithoutABiasAreTold) {
  Work work;
  work.kind = WorkKind::kGemm;
  work.m = 12;
  work.n = work.k = 384;
  const auto is_slow = [&] { return count_terms(seen_as(work, kernel_kind(work)), Chip())[3]; };
  EXPECT_EQ(kernel_kind(work), WorkKind::kFewRows32);
  EXPECT_EQ(is_slow(), 1);
  work.has_bias = true;
  EXPECT_EQ(is_slow(), 0);
  work.has_bias = false;
  work.n = 768;
  EXPECT_EQ(is_slow(), 0);
  work.n = 384;
  work.m = 6;
  EXPECT_EQ(is_slow(), 0);
}

}  // namespace
}  // namespace wattree
