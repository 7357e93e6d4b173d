#include "src/measure/protocol/record.h"

#include <gtest/gtest.h>

#include "src/measure/windows/read_windows.h"

namespace wattree {
namespace {

constexpr const char* kHeader = R"({"kind":"header","gpu":"NVIDIA H200","boundary":"gpu"})";

TEST(Record, WhatIsWrittenIsReadAgain) {
  WindowRecord record;
  record.key = "0123456789abcdef/natural";
  record.block = 3;
  record.pass = {"t5", "t5", "bf16", "sdpa", 2, 1, 7, 9, 0, {{"num_layers", "2"}}};
  record.node.subject = Subject::kDecode;
  record.node.key = record.figures.key = "0123456789abcdef";
  record.node.type = "T5Model";
  record.node.inputs = {"i64[2,1]", "bf16[8,4]{1,8}"};
  record.figures.time = Seconds(0.5);
  record.measurement.window.runs = 4;
  record.measurement.window.ended = 2 * kNanosPerSecond;
  record.measurement.window.energy = Joules(8);
  const std::string text = std::string(kHeader) + "\n" +
                           to_line("a", MeasuredModel{"t5", "T5Model", "{\"x\": 1}"}) + "\n" +
                           to_line(record) + "\n";
  const auto read = parse_windows(text, "w.jsonl");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const MeasuredSession& session = read.value()[0];
  ASSERT_EQ(session.models.size(), 1U);
  EXPECT_EQ(session.models[0].config, "{\"x\": 1}");
  EXPECT_EQ(session.models[0].class_name, "T5Model");
  ASSERT_EQ(session.windows.size(), 1U);
  const MeasuredWindow& window = session.windows[0];
  EXPECT_EQ(window.key, record.key);
  EXPECT_EQ(window.block, 3);
  EXPECT_EQ(window.pass.source_len, 9);
  EXPECT_EQ(window.pass.past, 7);
  EXPECT_EQ(window.pass.overrides, record.pass.overrides);
  EXPECT_EQ(window.node.subject, Subject::kDecode);
  EXPECT_EQ(window.node.inputs, record.node.inputs);
  EXPECT_EQ(window.figures.energy, Joules(2));
  EXPECT_EQ(window.figures.time, Seconds(0.5));
}

}  // namespace
}  // namespace wattree
