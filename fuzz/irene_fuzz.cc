// Any bytes as IrEne's four files, one behind the other with a line "---" between them: an error or
// trees, never a crash, and the trees can be written and read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/measure/dataset/irene_import.h"
#include "src/measure/dataset/json_lines_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  if (size == 0) return 0;
  constexpr std::string_view kBetween = "---\n";
  const bool skips_bad = (data[0] & 1) != 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  IreneTexts texts;
  for (IreneText& file : texts) {
    const std::size_t end = rest.find(kBetween);
    file = {"fuzz.csv", std::string(rest.substr(0, end))};
    rest = end == std::string_view::npos ? "" : rest.substr(end + kBetween.size());
  }
  const Result<Dataset> dataset = import_irene(std::move(texts), "fuzz", {skips_bad});
  if (!dataset.ok()) return 0;
  for (const DatasetTree& tree : dataset.value().trees) {
    Problems problems;
    const std::string line = to_json_line(tree);
    const std::optional<DatasetTree> again = parse_tree(line, "fuzz:1", problems);
    if (!again || again->nodes.size() != tree.nodes.size()) __builtin_trap();
  }
  return 0;
}
