// Any bytes as a line of a dataset: problems or a tree, never a crash, and what was read is written
// and read again the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/json_lines_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  Problems problems;
  const std::optional<DatasetTree> tree =
      parse_tree({reinterpret_cast<const char*>(data), size}, "fuzz:1", problems);
  if (tree.has_value() != problems.empty()) __builtin_trap();
  if (!tree) return 0;
  const std::string line = to_json_line(*tree);
  const std::optional<DatasetTree> again = parse_tree(line, "fuzz:1", problems);
  if (!again || to_json_line(*again) != line) __builtin_trap();
  return 0;
}
