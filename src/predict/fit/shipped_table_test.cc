#include "src/predict/fit/shipped_table.h"

#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/test_folder.h"

namespace wattree {
namespace {

const std::filesystem::path kData = WATTREE_SOURCE_DIR "/data";

TEST(ShippedTable, IsWhatItsWindowsMake) {
  const Result<ShippedTable> table =
      shipped_table({kData / "h200", kData / "h200-check", kData / "h200-kinds",
                     kData / "h200-kinds-2", kData / "h200-kinds-check"});
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_TRUE(table.value().csv == read_file(kData / "measured_nodes.csv").value())
      << "data/measured_nodes.csv is stale: tools/measured_nodes.cc says how to make it anew";
}

// Two windows of one sum, on two cards, and one of it with cold caches that is doubtful.
TEST(ShippedTable, WindowsOfTheSameWorkAreOneRow) {
  const TestFolder folder;
  const std::string window =
      R"("kind":"window","subject":"op","op":"add","dtype":"fp32","node":"a","type":"add",)"
      R"("inputs":["f32[64]","f32[64]"],"outputs":["f32[64]"],"execution":"graph","time_s":1e-5,)"
      R"("relative_error":0.01,"is_settled":true,"gpu_percent":90,)";
  const auto header = [](const char* card) {
    return std::string(R"({"kind":"header","gpu":"NVIDIA H200","card":")") + card + "\"}\n";
  };
  const auto line = [&](const char* rest) { return "{" + window + rest + "}\n"; };
  folder.write("windows-a.jsonl",
               header("1") + line(R"("key":"a","cache":"in_place","energy_j":1.0)") + header("2") +
                   line(R"("key":"b","cache":"in_place","energy_j":3.0)") +
                   line(R"("key":"c","cache":"cold","energy_j":4.0,"doubts":["not settled"])"));
  const Result<ShippedTable> table = shipped_table({folder.path()});
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_TRUE(table.value().problems.empty());
  const std::string& csv = table.value().csv;
  const std::string row = csv.substr(csv.find('\n') + 1);
  // The mean of 1 and 3 J, which both are half of it away from.
  EXPECT_EQ(row.substr(16), ",,graph,2,1e-05,0.5,2,2,,4,1e-05,0.01,1,1,not settled,,,90,,,\n");
}

}  // namespace
}  // namespace wattree
