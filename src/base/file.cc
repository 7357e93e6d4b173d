#include "src/base/file.h"

#include <zlib.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "src/base/file_error.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

Error too_large(const fs::path& path, std::uint64_t limit) {
  return {ErrorCode::kInvalidInput,
          path.string() + " is larger than " + std::to_string(limit) + " bytes", ""};
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::uint64_t limit) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return file_error("read", path, EISDIR);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error("open", path, errno != 0 ? errno : EIO);
  std::string text;
  char buffer[64 * 1024];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > limit) return too_large(path, limit);
  }
  if (file.bad()) return file_error("read", path, EIO);
  return text;
}

Result<std::string> read_maybe_gzip(const fs::path& path, std::uint64_t limit) {
  Result<std::string> raw = read_file(path, limit);
  if (!raw.ok() || !raw.value().starts_with("\x1f\x8b")) return raw;
  const std::string& packed = raw.value();
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (inflateInit2(&stream, kGzip) != Z_OK)
    return Error{ErrorCode::kInternal, "zlib does not start", ""};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  int status = Z_OK;
  char buffer[64 * 1024];
  while (status == Z_OK && text.size() <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer, sizeof buffer - stream.avail_out);
    // Nothing left to read and nothing written: the end is missing.
    if (status == Z_OK && stream.avail_in == 0 && stream.avail_out == sizeof buffer) break;
  }
  inflateEnd(&stream);
  if (text.size() > limit) return too_large(path, limit);
  if (status != Z_STREAM_END) {
    return Error{ErrorCode::kInvalidInput, path.string() + ": the gzip data is damaged or cut off",
                 ""};
  }
  return text;
}

Result<bool> file_exists(const fs::path& path) {
  std::error_code error;
  const bool is_there = fs::exists(path, error);
  if (!error) return is_there;
  Error out = file_error("look for", path, error.value());
  if (out.code == ErrorCode::kPermission) out.hint = "choose a folder that you may read";
  return out;
}

Status write_file(const fs::path& path, std::string_view text, FileKeeping keeping) {
  OutputFile file(path, keeping);
  file.write(text);
  return file.finish();
}

}  // namespace wattree
