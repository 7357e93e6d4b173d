// Feeds a fuzz target the files and folders named on the command line, one after the other, and
// then inputs that are made of them by random changes, the same in every run. It takes libFuzzer's
// place in builds that have none; libFuzzer itself, which sees what code an input reaches, is for
// the soak.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kChanged = 20000;
constexpr std::size_t kLargest =
    16384;  // Of inputs that are changed: large ones are slow, not richer.

// Whole numbers by a generator that is the same everywhere; the standard's distributions are not.
class Dice {
 public:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : engine_() % end; }

 private:
  std::mt19937_64 engine_{1};
};

// What parsers trip over: edges of numbers, brackets without partners, bytes that are no text.
constexpr std::string_view kPieces[] = {"-1",
                                        "0",
                                        "1e309",
                                        "18446744073709551616",
                                        "-9223372036854775808",
                                        "0x",
                                        "nan",
                                        "null",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "\"",
                                        "\\u0000",
                                        ":",
                                        ",",
                                        "\r\n",
                                        "%00",
                                        "\xff",
                                        "..",
                                        "=",
                                        "&",
                                        ";"};

void change(std::string& bytes, const std::string& other, Dice& dice) {
  const std::size_t at = dice.below(bytes.size() + 1);
  const std::size_t length = dice.below(std::min<std::size_t>(bytes.size() - at, 64) + 1);
  switch (dice.below(6)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(dice.below(256));
      break;
    case 1: bytes.erase(at, length); break;
    case 2: bytes.insert(at, kPieces[dice.below(std::size(kPieces))]); break;
    case 3: bytes.insert(dice.below(bytes.size() + 1), bytes.substr(at, length)); break;
    case 4: bytes.resize(at); break;
    default: {
      const std::size_t from = dice.below(other.size() + 1);
      bytes.replace(at, length, other.substr(from, dice.below(64)));
    }
  }
}

void feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

void feed_changed(const std::vector<std::string>& corpus) {
  Dice dice;
  for (int i = 0; i < kChanged; ++i) {
    std::string bytes = corpus[dice.below(corpus.size())];
    for (std::size_t changes = 1 + dice.below(4); changes > 0; --changes)
      change(bytes, corpus[dice.below(corpus.size())], dice);
    // On a line of its own and flushed: after a crash, the last one says which input it was.
    std::printf("changed %d\n", i);
    std::fflush(stdout);
    feed(bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> inputs;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      inputs.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) inputs.push_back(entry.path());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  std::vector<std::string> small;
  for (const std::filesystem::path& path : inputs) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 1;
    }
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    // Before the call and flushed: after a crash, the last line says which input it was.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    feed(bytes);
    if (bytes.size() <= kLargest) small.push_back(bytes);
  }
  if (!small.empty()) feed_changed(small);
  std::printf("replayed %zu inputs, and %d changed ones\n", inputs.size(),
              small.empty() ? 0 : kChanged);
  return inputs.empty() ? 1 : 0;
}
