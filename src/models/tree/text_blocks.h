// Many short texts with one lifetime. They stand in large blocks that never move, so views of them
// stay good when their owner moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace wattree {

class TextBlocks {
 public:
  // A copy of the pieces, joined.
  std::string_view join(std::string_view a, std::string_view b, std::string_view c) {
    const std::size_t size = a.size() + b.size() + c.size();
    if (blocks_.empty() || size > room_) add_block(size);
    char* const copy = next_;
    next_ = std::copy(a.begin(), a.end(), next_);
    next_ = std::copy(b.begin(), b.end(), next_);
    next_ = std::copy(c.begin(), c.end(), next_);
    room_ -= size;
    return {copy, size};
  }

 private:
  void add_block(std::size_t size) {
    constexpr std::size_t kBlock = 64 * 1024;
    room_ = std::max(size, kBlock);
    next_ =
        blocks_.emplace_back(new char[room_]).get();  // Not cleared: all of it is written first.
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;  // Where the last block is free; of no meaning while there is none.
  std::size_t room_ = 0;
};

}  // namespace wattree
