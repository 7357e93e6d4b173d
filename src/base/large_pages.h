// Large pages under large arrays.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace wattree {

// For an array that is about to be filled. The first touch of every small page takes longer than
// what is written there: a third of the time to predict a million nodes. Without large pages, or
// with a small array, nothing happens.
inline void prefer_large_pages(void* array, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::size_t kLarge = std::size_t{8} << 20;
  if (bytes < kLarge) return;
  const auto address = reinterpret_cast<std::uintptr_t>(array);
  const std::uintptr_t skipped = (kPage - address % kPage) % kPage;
  ::madvise(static_cast<std::byte*>(array) + skipped, bytes - skipped, MADV_HUGEPAGE);
}

}  // namespace wattree
