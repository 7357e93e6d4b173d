#include "src/server/beast/repeated_answers.h"

#include <utility>

namespace wattree {

const RepeatedAnswer* RepeatedAnswers::find(std::string_view request,
                                            const ConnectionOrigin& origin) {
  const auto found = answers_.find(request);
  if (found == answers_.end() || found->second.origin != origin) return nullptr;
  if (found->second.holds()) return &found->second;
  answers_.erase(found);
  return nullptr;
}

void RepeatedAnswers::put(std::string_view request, RepeatedAnswer answer) {
  if (request.size() > kLongestRequest || !answer.body || answer.body->size() > kLongestBody) {
    return;
  }
  // Those that are asked for often are soon here again.
  if (answers_.size() >= kMost) answers_.clear();
  answers_.insert_or_assign(std::string(request), std::move(answer));
}

}  // namespace wattree
