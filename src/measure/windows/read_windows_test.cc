#include "src/measure/windows/read_windows.h"

#include <gtest/gtest.h>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

constexpr const char* kHeader = R"({"kind":"header","gpu":"NVIDIA H200","boundary":"gpu"})";

std::string window(const std::string& key, const std::string& more = "") {
  return R"({"kind":"window","key":")" + key + R"(/cold","node":")" + key +
         R"(","subject":"op","dtype":"bf16","type":"neg","execution":"graph","cache":"cold",)" +
         R"("energy_j":2,"time_s":0.5)" + more + "}\n";
}

std::string error_of(const std::string& text) {
  const auto read = parse_windows(text, "w.jsonl");
  return read.ok() ? "" : read.error().message;
}

TEST(ReadWindows, WhatWasThrownOutIsNotThere) {
  const auto read = parse_windows(std::string(kHeader) + "\n" + window("a", R"(,"block":1)") +
                                      R"({"kind":"verdict","block":1,"is_good":false})"
                                      "\n" +
                                      window("b", R"(,"block":2)") +
                                      R"({"kind":"verdict","block":2,"is_good":true})"
                                      "\n" +
                                      // Another session, whose first block is another.
                                      kHeader + "\n" + window("c", R"(,"block":1)"),
                                  "w.jsonl");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 2U);
  ASSERT_EQ(read.value()[0].windows.size(), 1U);
  EXPECT_EQ(read.value()[0].windows[0].key, "b/cold");
  ASSERT_EQ(read.value()[1].windows.size(), 1U);
  const NodeFigures& figures = read.value()[1].windows[0].figures;
  EXPECT_EQ(figures.key, "c");
  EXPECT_EQ(figures.energy, Joules(2));
  EXPECT_EQ(figures.time, Seconds(0.5));
}

TEST(ReadWindows, ProtocolsAreToldApart) {
  const auto protocol = [](const std::string& fields) {
    return parse_windows(R"({"kind":"header","gpu":"H200")" + fields + "}\n", "w.jsonl")
        .value()[0]
        .protocol;
  };
  EXPECT_EQ(protocol(R"(,"protocol":"wattree-native-1")"), kNativeProtocol);
  EXPECT_EQ(protocol(R"(,"protocol":"wattree-torch-1")"), kTorchProtocol);
  EXPECT_EQ(protocol(R"(,"protocol":"irene")"), kIreneProtocol);
  // Both of ours had one name once.
  EXPECT_EQ(protocol(R"(,"protocol":"wattree-1","python":"3.12.3")"), kTorchProtocol);
  EXPECT_EQ(protocol(R"(,"protocol":"wattree-1","wattree":"0.1.0")"), kNativeProtocol);
}

TEST(ReadWindows, FiguresGoByKeyAndTheLaterCounts) {
  const auto figures = figures_of(
      parse_windows(std::string(kHeader) + "\n" + window("a") +
                        window("a", R"(,"pauses":{},"node_energy_j":1,"node_time_s":0.25)") +
                        window("a", R"(,"is_capped":true)"),
                    "w.jsonl")
          .value(),
      "NVIDIA H200");
  ASSERT_TRUE(figures.ok());
  ASSERT_EQ(figures.value().size(), 2U);
  EXPECT_TRUE(figures.value().at("a/cold").is_capped);
  EXPECT_EQ(figures.value().at("a/cold/paused").energy, Joules(1));
  EXPECT_EQ(figures.value().at("a/cold/paused").time, Seconds(0.25));
  const auto refused =
      figures_of(parse_windows(std::string(kHeader) + "\n", "w.jsonl").value(), "NVIDIA A100");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "w.jsonl:1: measured on \"NVIDIA H200\", and this is \"NVIDIA A100\"");
}

TEST(ReadWindows, ALineCutShortIsPassedOver) {
  const auto read =
      parse_windows(std::string(kHeader) + "\n" + window("a") + R"({"kind":"win)", "w.jsonl");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value()[0].windows.size(), 1U);
}

TEST(ReadWindows, ErrorsNameFileLineAndField) {
  const std::string header = std::string(kHeader) + "\n";
  EXPECT_EQ(error_of(header + "{\"kind\":\"window\"}\n"), "w.jsonl:2: field \"key\" is missing");
  EXPECT_EQ(error_of(header + window("a", R"(,"execution":"Graph")")),
            "w.jsonl:2: field \"execution\" must be graph or eager");
  EXPECT_EQ(error_of(header + window("a", R"(,"time_s":0)")),
            "w.jsonl:2: field \"time_s\" must be a number from 1e-12 to 1e+15");
  EXPECT_EQ(error_of(header + window("a", R"(,"inputs":[1])")),
            "w.jsonl:2: field \"inputs[0]\" must be a text, not number");
  EXPECT_EQ(error_of(header + window("a", R"(,"cache":"lukewarm")")),
            "w.jsonl:2: field \"cache\" must be natural, cold, in_place or warm");
  EXPECT_EQ(error_of(header + window("a", R"(,"subject":"x")")),
            "w.jsonl:2: field \"subject\" must be model, decode, module or op");
  EXPECT_EQ(error_of(window("a")), "w.jsonl:1: field \"kind\" is window before any header");
  EXPECT_EQ(error_of("[1]\n"), "w.jsonl:1: must be an object, not array");
  EXPECT_EQ(error_of("{\"kind\":\"footer\"}\n"), "w.jsonl: has no header of a session");
  EXPECT_NE(error_of(header + "{\n").find("w.jsonl:2: not valid JSON"), std::string::npos);
}

TEST(ReadWindows, FilesAndFoldersOfThem) {
  const TestFolder folder;
  EXPECT_FALSE(read_windows(folder.path()).ok());
  folder.write("windows-a.jsonl", std::string(kHeader) + "\n" + window("a"));
  folder.write("b.windows.jsonl", std::string(kHeader) + "\n" + window("b"));
  folder.write("b.jsonl", "{\"model_name\":\"b\"}\n");
  const auto read = read_windows(folder.path());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().size(), 2U);
  EXPECT_EQ(read_windows(folder.path() / "windows-a.jsonl").value().size(), 1U);
  EXPECT_FALSE(read_windows(folder.path() / "none.jsonl").ok());
  EXPECT_TRUE(holds_windows(folder.path()));
  EXPECT_TRUE(holds_windows(folder.path() / "b.windows.jsonl"));
  EXPECT_FALSE(holds_windows(folder.path() / "b.jsonl"));
  EXPECT_FALSE(holds_windows(folder.path() / "none.jsonl"));
}

}  // namespace
}  // namespace wattree
