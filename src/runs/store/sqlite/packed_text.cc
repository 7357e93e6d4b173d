#include "src/runs/store/sqlite/packed_text.h"

#include <zlib.h>

namespace wattree {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{4} << 30;

}  // namespace

Result<std::string> pack_text(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  // The fastest: texts of profiles repeat themselves so much that more effort gains little.
  const int code = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                             reinterpret_cast<const Bytef*>(text.data()), text.size(), 1);
  if (code != Z_OK) return Error{ErrorCode::kInternal, "zlib cannot pack a profile", ""};
  out.resize(size);
  return out;
}

Result<std::string> unpack_text(std::string_view packed, std::int64_t bytes) {
  const Error damaged{ErrorCode::kInvalidInput, "the text of this profile is damaged in the store",
                      "`wattree profiles restore BACKUP` brings a backup back"};
  if (bytes < 0 || bytes > kMaxBytes) return damaged;
  std::string out(static_cast<std::size_t>(bytes), '\0');
  uLongf size = out.size();
  const int code = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                              reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (code != Z_OK || size != out.size()) return damaged;
  return out;
}

}  // namespace wattree
