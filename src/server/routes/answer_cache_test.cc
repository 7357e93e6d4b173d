#include "src/server/routes/answer_cache.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<const CachedAnswer> answer(
    const std::string& text, std::optional<AnswerCache::Clock::time_point> until = {}) {
  auto out = std::make_shared<CachedAnswer>();
  out->until = until;
  out->answer.body = std::make_shared<const std::string>(text);
  return out;
}

std::string text(const std::shared_ptr<const CachedAnswer>& cached) {
  return cached ? *cached->answer.body : "none";
}

TEST(AnswerCache, DropsWhatWasNotAskedForLongest) {
  AnswerCache cache({1 << 20, 2});
  cache.put("a", answer("A"), 0);
  cache.put("b", answer("B"), 0);
  EXPECT_EQ(text(cache.find("a")), "A");
  cache.put("c", answer("C"), 0);
  EXPECT_EQ(text(cache.find("b")), "none");
  EXPECT_EQ(text(cache.find("a")), "A");
  EXPECT_EQ(text(cache.find("c")), "C");
  EXPECT_EQ(cache.counts().evictions, 1u);
  EXPECT_EQ(cache.counts().hits, 3u);
}

TEST(AnswerCache, KeepsWithinItsBytes) {
  AnswerCache cache({100'000, 1000});
  for (int i = 0; i < 100; ++i) cache.put(std::to_string(i), answer(std::string(10'000, 'x')), 0);
  EXPECT_LE(cache.counts().bytes, 100'000u);
  EXPECT_GE(cache.counts().entries, 8u);
  cache.put("huge", answer(std::string(50'000, 'x')), 0);
  EXPECT_EQ(text(cache.find("huge")), "none") << "it would push out half of the others";
}

TEST(AnswerCache, FindsAnAnswerByAllItsKeys) {
  AnswerCache cache({1 << 20, 10});
  cache.put("canonical", answer("A"), 0);
  cache.add_key("canonical", "as it came");
  cache.add_key("another", "as it went");
  EXPECT_EQ(text(cache.find("as it came")), "A");
  EXPECT_EQ(text(cache.find("as it went")), "none");
  cache.put("canonical", answer("B"), 0);
  EXPECT_EQ(text(cache.find("as it came")), "none") << "an old key does not lead to a new answer";
  for (int i = 0; i < 100; ++i) cache.add_key("canonical", std::to_string(i));
  EXPECT_EQ(text(cache.find("3")), "B");
  EXPECT_EQ(text(cache.find("99")), "none") << "keys are bounded, too";
}

TEST(AnswerCache, ForgetsOnTime) {
  AnswerCache cache({1 << 20, 10});
  cache.put("a", answer("A", AnswerCache::Clock::now() - 1s), 0);
  cache.put("b", answer("B", AnswerCache::Clock::now() + 1h), 0);
  EXPECT_EQ(text(cache.find("a")), "none");
  EXPECT_EQ(text(cache.find("b")), "B");
}

TEST(AnswerCache, DropsAnswersFromBeforeAChange) {
  AnswerCache cache({1 << 20, 10});
  const std::uint64_t before = cache.generation();
  cache.put("a", answer("A"), before);
  cache.clear();
  EXPECT_EQ(text(cache.find("a")), "none");
  cache.put("b", answer("B"), before);
  EXPECT_EQ(text(cache.find("b")), "none") << "it was made from old data";
  cache.put("b", answer("B"), cache.generation());
  EXPECT_EQ(text(cache.find("b")), "B");
  EXPECT_EQ(cache.counts().entries, 1u);
}

}  // namespace
}  // namespace wattree
