#include "src/runs/live/live_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
// Bytes that were asked for so far, of the whole program. operator new has no other way to count.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::size_t> allocated{0};
}  // namespace

// Not inlined: the compiler would take each for one half of a pair that does not fit. The one that
// does not throw is replaced as well, because what it allocates comes to the same delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated += size;
  if (void* place = std::malloc(size)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocated += size;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, const std::nothrow_t&) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }

namespace wattree {
namespace {

constexpr Nanos kS = kNanosPerSecond;

RunBegun begun() {
  RunBegun out;
  out.name = "long";
  out.meters.push_back(
      {"gpu0", "", ComponentKind::kGpu, {Basis::kMeasured, "a meter", Boundary::kGpu}});
  return out;
}

EpochMeasured epoch(int number) {
  const MeterEnergy energy{0, Joules(100), Joules(100), Joules(100), Seconds(1)};
  return {std::to_string(number), (number - 1) * kS, number * kS, {energy}};
}

// A copy of this run would be more than ten megabytes.
TEST(LiveRun, AnEventCopiesNothingOfALongRun) {
  constexpr int kEpochs = 100'000, kEvents = 20;
  RunEntry entry;
  entry.id = "own";
  const auto run = std::make_shared<LiveRun>(entry);
  run->hand_over(begun());
  for (int i = 1; i <= kEpochs; ++i) run->hand_over(epoch(i));
  const std::size_t before_run = allocated;
  run->follow();
  EXPECT_GT(allocated - before_run, kEpochs * sizeof(EpochMeasured));
  RunReader reader(run, std::to_string(kEpochs));
  while (reader.next()) {
  }
  const std::size_t before = allocated;
  for (int i = 1; i <= kEvents; ++i) {
    run->hand_over(epoch(kEpochs + i));
    run->hand_over(Totals{(kEpochs + i) * kS, {{0, Joules(100.0 * (kEpochs + i)), {}, {}, {}}}});
    run->follow();
    bool is_told = false;
    while (const SharedText text = reader.next()) {
      is_told = is_told || text->find("\"epoch\":" + std::to_string(kEpochs + i)) != text->npos;
    }
    EXPECT_TRUE(is_told);
  }
  EXPECT_LT((allocated - before) / kEvents, 100'000U);
  EXPECT_EQ(run->brief(2).status.epochs_ended, static_cast<std::size_t>(kEpochs + kEvents));
}

}  // namespace
}  // namespace wattree
