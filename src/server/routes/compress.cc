#include "src/server/routes/compress.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "src/base/text.h"

namespace wattree {
namespace {

// JSON of trees repeats itself so much that higher levels cost more time than they save bytes.
constexpr int kLevel = 1;
constexpr int kGzipWindow = 15 + 16;

// One for each thread, since making its tables costs as much as packing 100 kB.
class Packer {
 public:
  Packer() { is_ready_ = deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, 9, 0) == Z_OK; }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() {
    if (is_ready_) deflateEnd(&stream_);
  }

  std::string pack(std::string_view text) {
    if (!is_ready_ || deflateReset(&stream_) != Z_OK) return "";
    const std::size_t most = deflateBound(&stream_, static_cast<uLong>(text.size()));
    std::vector<char> large(most > buffer_.size() ? most : 0);
    const std::span<char> out = large.empty() ? std::span<char>(buffer_) : std::span<char>(large);
    // zlib does not write to it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return "";
    return {out.data(), stream_.total_out};
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
  // Most answers fit: what is returned then takes no more room than it needs.
  std::vector<char> buffer_ = std::vector<char>(std::size_t{128} << 10);
};

// Mixes 8 bytes into the state: the product's halves, so that every bit reaches every other.
std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(state ^ word) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
         (word << 1 | word >> 63);
}

std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed) {
  std::array<std::uint64_t, 4> lanes{seed, ~seed, seed * 3, seed * 5};
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at + 8 * lane, 8);
      lanes[lane] = mixed(lanes[lane], word);
    }
  }
  std::uint64_t out = bytes.size();
  for (; at < bytes.size(); ++at) out = mixed(out, static_cast<unsigned char>(bytes[at]) + 1ULL);
  for (const std::uint64_t lane : lanes) out = mixed(out, lane);
  return out;
}

std::optional<double> quality_of(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return 1.0;
  const std::string_view text = trimmed(parameters.substr(at + 2));
  double quality = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), quality);
  return result.ec == std::errc() ? std::optional(quality) : std::nullopt;
}

}  // namespace

std::string gzip(std::string_view text) {
  thread_local Packer packer;
  return packer.pack(text);
}

std::string gunzip(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return "";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    std::array<char, 65536> buffer;
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END ? out : "";
}

bool accepts_gzip(std::string_view header) {
  // What most clients send.
  if (header.starts_with("gzip,") || header == "gzip") return true;
  std::optional<bool> named, any;
  for (const std::string& part : split(header, ',')) {
    const std::string_view entry = trimmed(part);
    const std::size_t end = std::min(entry.find(';'), entry.size());
    const std::string_view name = trimmed(entry.substr(0, end));
    const bool is_wanted = quality_of(entry.substr(end)).value_or(0) > 0;
    if (name == "gzip" || name == "x-gzip") named = is_wanted;
    if (name == "*") any = is_wanted;
  }
  return named.value_or(any.value_or(false));
}

std::string entity_tag(std::string_view bytes, std::string_view variant) {
  std::string out = "\"";
  for (const std::uint64_t seed : {0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL}) {
    std::array<char, 16> hex;
    const std::uint64_t hash = hash_of(bytes, seed);
    for (std::size_t i = 0; i < hex.size(); ++i) hex[i] = "0123456789abcdef"[hash >> (4 * i) & 15];
    out.append(hex.data(), hex.size());
  }
  out += variant;
  return out + '"';
}

bool matches_tag(std::string_view if_none_match, std::string_view tag) {
  if (trimmed(if_none_match) == "*") return true;
  for (const std::string& part : split(if_none_match, ',')) {
    std::string_view entry = trimmed(part);
    if (entry.starts_with("W/")) entry.remove_prefix(2);
    if (entry == tag) return true;
  }
  return false;
}

}  // namespace wattree
