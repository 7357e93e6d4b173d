#include "src/measure/protocol/job.h"

#include <algorithm>

#include "src/base/random.h"
#include "src/measure/protocol/record.h"

namespace wattree {
namespace {

template <class T>
void shuffle(typename std::vector<T>::iterator first, typename std::vector<T>::iterator last,
             Random& random) {
  for (auto n = last - first; n > 1; --n) {
    const auto other = static_cast<std::ptrdiff_t>(random.next() % static_cast<std::uint64_t>(n));
    std::swap(first[n - 1], first[other]);
  }
}

}  // namespace

Subject subject_of(const Job& job) {
  const Subject subject = facts_of(*job.tree, job.node).subject;
  return subject == Subject::kModel && job.pass.past > 0 ? Subject::kDecode : subject;
}

bool is_whole(const Job& job) {
  const Subject subject = subject_of(job);
  return subject == Subject::kModel || subject == Subject::kDecode;
}

void order_jobs(std::vector<Job>& jobs, double budget_s, double seconds_each, std::uint64_t seed) {
  Random random(seed);
  // By key first, so that the order does not depend on where they were found.
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.key() < b.key(); });
  const auto parts = std::stable_partition(jobs.begin(), jobs.end(), is_whole);
  shuffle<Job>(jobs.begin(), parts, random);
  shuffle<Job>(parts, jobs.end(), random);
  if (budget_s <= 0) return;
  const double affordable = std::max(0.0, budget_s / seconds_each) -
                            static_cast<double>(std::distance(jobs.begin(), parts));
  if (affordable >= static_cast<double>(std::distance(parts, jobs.end()))) return;
  std::stable_sort(parts, jobs.end(),
                   [](const Job& a, const Job& b) { return a.weight > b.weight; });
  shuffle<Job>(parts, parts + static_cast<std::ptrdiff_t>(std::max(0.0, affordable)), random);
}

}  // namespace wattree
