// Makes data/measured_nodes.csv, the measured nodes that are shipped with the program, from the
// windows in the folders data/h200*. A test says when it is stale.
//
//   cmake --build build/release --target measured_nodes
//   build/release/bin/measured_nodes data/h200 data/h200-* > data/measured_nodes.csv
#include <cstdio>
#include <filesystem>
#include <vector>

#include "src/predict/fit/shipped_table.h"

int main(int count, char** arguments) {
  const std::vector<std::filesystem::path> folders(arguments + 1, arguments + count);
  const wattree::Result<wattree::ShippedTable> table = wattree::shipped_table(folders);
  if (!table.ok()) {
    std::fprintf(stderr, "%s\n", table.error().message.c_str());
    return 1;
  }
  std::fputs(table.value().csv.c_str(), stdout);
  for (const std::string& problem : table.value().problems) {
    std::fprintf(stderr, "left out: %s\n", problem.c_str());
  }
  return 0;
}
