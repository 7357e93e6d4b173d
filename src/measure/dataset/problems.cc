#include "src/measure/dataset/problems.h"

namespace wattree {

void Problems::append(const Problems& others) {
  for (const std::string& what : others.kept_) {
    if (has_room()) kept_.push_back(what);
  }
  count_ += others.count_;
}

std::string Problems::text() const {
  std::string out;
  for (const std::string& what : kept_) out += (out.empty() ? "" : "\n  ") + what;
  if (count_ > kept_.size()) out += "\n  and " + std::to_string(count_ - kept_.size()) + " more";
  return out;
}

Error Problems::error(const std::string& origin) const {
  constexpr const char* kHint = "<skip_bad> leaves out what is bad and goes on";
  if (count_ == 1) return {ErrorCode::kInvalidInput, text(), kHint};
  return {ErrorCode::kInvalidInput,
          origin + " has " + std::to_string(count_) + " problems:\n  " + text(), kHint};
}

void note_bad_lines(std::size_t count, const Problems& problems,
                    std::vector<std::string>& warnings) {
  if (count == 0) return;
  warnings.push_back(std::to_string(count) + (count == 1 ? " bad line was" : " bad lines were") +
                     " left out:\n  " + problems.text());
}

}  // namespace wattree
