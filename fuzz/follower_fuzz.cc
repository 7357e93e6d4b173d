// Any bytes as a journal that grows in any pieces, is cut off and goes on: the follower gives the
// same records as reading the file at once does, never one twice, and a run made of them always has
// a status, events and a trace.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "src/runs/live/journal_follower.h"
#include "src/runs/live/power_trace.h"
#include "src/runs/live/run_brief.h"
#include "src/runs/live/run_feed.h"

namespace {

using namespace wattree;

std::filesystem::path file() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("wattree-fuzz-" + std::to_string(::getpid()));
  return path;
}

// Every line that has a brace gets a checksum that fits, so that records are reached.
std::string with_checksums(std::string_view bytes) {
  std::uint32_t checksum = 0;
  std::string out = std::string(kJournalHeader) + "\n";
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t brace = line.find('{');
    if (brace != std::string_view::npos) out += journal_line(line.substr(brace), checksum);
  }
  return out;
}

// Written in pieces of lengths that the bytes themselves choose, and read after each.
std::vector<Record> follow(std::string_view bytes, std::string_view pieces) {
  std::filesystem::remove(file());
  std::vector<Record> out;
  JournalFollower follower(file());
  const auto read = [&] {
    while (true) {
      const auto found = follower.read([&](const Record& record) { out.push_back(record); });
      if (found == JournalFollower::Found::kAnother) out.clear();
      if (found != JournalFollower::Found::kMore && found != JournalFollower::Found::kAnother)
        return;
    }
  };
  for (std::size_t at = 0, i = 0; at < bytes.size(); ++i) {
    const std::size_t piece =
        pieces.empty() ? bytes.size() : 1 + static_cast<unsigned char>(pieces[i % pieces.size()]);
    std::ofstream(file(), std::ios::binary | std::ios::app) << bytes.substr(at, piece);
    at += piece;
    read();
  }
  read();
  if (!follower.bytes_from(0, bytes.size()).empty() &&
      !bytes.starts_with(follower.bytes_from(0, bytes.size()))) {
    __builtin_trap();
  }
  std::filesystem::remove(file());
  return out;
}

void show(const std::vector<Record>& records) {
  std::optional<TrackedRun> run;
  std::optional<PowerTrace> trace;
  RunFeed feed;
  FeedPlace place;
  std::uint64_t count = 0;
  for (const Record& record : records) {
    ++count;
    if (run) {
      run->apply(record);
      if (const auto* totals = std::get_if<Totals>(&record)) trace->add(*totals);
    } else if (const auto* begun = std::get_if<RunBegun>(&record)) {
      run.emplace(*begun);
      trace.emplace(begun->at);
    }
    if (!run) continue;
    feed.publish(*run, brief_of(*run, *trace, 10).status, count);
    if (count % 3 == 0) feed.next(place, *run);
  }
  for (int i = 0; run && i < 1000 && feed.next(place, *run); ++i) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;  // Files are slow: many small ones tell more.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view pieces = bytes.substr(0, std::min<std::size_t>(size, 16));
  for (const std::string& journal : {std::string(bytes), with_checksums(bytes)}) {
    const std::vector<Record> whole = follow(journal, "");
    if (whole != follow(journal, pieces)) __builtin_trap();
    show(whole);
  }
  return 0;
}
