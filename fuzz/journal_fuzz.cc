// Any bytes as a journal. First as they are, in pieces: the scanner gives whole records only, and
// the same ones however the bytes are cut. Then every line of it as a record, under a checksum that
// fits: a record that is read is written and read back as it is, and a run made of such records
// always has a profile that reads back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/runs/profile/profile_json.h"
#include "src/runs/track/journal.h"
#include "src/runs/track/run.h"

namespace {

using namespace wattree;

struct Scanned {
  std::vector<std::string> records;
  std::uint64_t good_bytes;
  std::string damage;
  bool operator==(const Scanned&) const = default;
};

Scanned scan(std::string_view bytes, std::size_t piece) {
  JournalScanner scanner;
  Scanned out{};
  std::string_view record;
  while (true) {
    const std::size_t take = std::min(piece, bytes.size());
    if (take == 0) scanner.finish();
    scanner.feed(bytes.substr(0, take));
    bytes.remove_prefix(take);
    while (scanner.next(record)) out.records.emplace_back(record);
    if (take == 0) break;
  }
  out.good_bytes = scanner.good_bytes();
  out.damage = scanner.damage();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Scanned whole = scan(bytes, size + 1);
  if (whole != scan(bytes, 7)) __builtin_trap();
  // What is good is a journal without damage.
  const Scanned good = scan(bytes.substr(0, whole.good_bytes), size + 1);
  if (whole.good_bytes > 0 && (!good.damage.empty() || good.records != whole.records)) {
    __builtin_trap();
  }

  std::optional<TrackedRun> run;
  std::uint32_t checksum = 0;
  std::string journal = std::string(kJournalHeader) + "\n";
  std::vector<std::string> lines;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    lines.emplace_back(line);
    journal += journal_line(line, checksum);
    // A corpus of real journals has checksums; fuzzed lines need none.
    const std::size_t brace = line.find('{');
    if (brace == std::string_view::npos) continue;
    const Result<Record> record = parse_record(line.substr(brace), "fuzz");
    if (!record.ok()) continue;
    const Result<Record> again = parse_record(to_line(record.value()), "again");
    if (!again.ok() || again.value() != record.value()) __builtin_trap();
    if (const auto* begun = std::get_if<RunBegun>(&record.value()); begun != nullptr && !run) {
      run.emplace(*begun);
    } else if (run) {
      run->apply(record.value());
    }
  }
  if (scan(journal, 4096).records != lines) __builtin_trap();
  if (!run) return 0;
  const Profile profile = run->profile();
  const Result<Profile> read = read_profile_json(write_profile_json(profile), "profile");
  // Sums of absurd figures go beyond what a profile may hold, and are refused as such.
  if (read.ok() && read.value() != profile) __builtin_trap();
  return 0;
}
