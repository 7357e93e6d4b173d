#include "src/predict/predictor/overlay.h"

#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/test_folder.h"
#include "src/predict/predictor/loaded_predictor.h"

namespace wattree {
namespace {

MachineOverlay an_overlay() {
  MachineOverlay out;
  out.name = "mine";
  out.over = "h200";
  out.card = "NVIDIA H200";
  out.host = "a processor, 16 CPUs";
  out.date = "2026-11-17T12:00:00Z";
  out.compute = {1.1, 1.2};
  out.memory = {0.9, 1.05};
  out.idle = 0.8;
  out.launch = 2;
  out.launch_swing = 0.25;
  out.readings.push_back({"an addition", 0.5, 0.4, 1e-3, 2e-3});
  return out;
}

TEST(Overlay, IsReadAsItWasWritten) {
  const std::string text = to_json(an_overlay());
  EXPECT_TRUE(is_overlay(text));
  const Result<MachineOverlay> read = parse_overlay(text, "mine.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(read.value()), text);
  EXPECT_EQ(origin_of(read.value()),
            "h200, calibrated 2026-11-17 to NVIDIA H200 with a processor, 16 CPUs");
}

TEST(Overlay, ScalesEveryTermByWhatBoundsIt) {
  Predictor p;
  p.idle_w = 100;
  p.anchor = {Joules(0.7), "a protocol"};
  Coefficients linear;
  linear.energy = {1, 1, 1, 1, 1, 1};
  linear.time = linear.energy;
  p.kinds[static_cast<std::size_t>(WorkKind::kLinear16)] = linear;
  EagerHost host;
  host.per_kernel_s = 1;
  host.per_call_s = 2;
  host.per_module_s = 3;
  host.waiting_w = 100;
  host.native_kernel_s = 4;
  host.known_spread = 0.2;
  p.eager = host;
  const Predictor here = with_overlay(p, an_overlay());
  const Coefficients& scaled = *here.find(WorkKind::kLinear16);
  // Launch, arithmetic, tiles, and input, weights and output.
  EXPECT_EQ(scaled.energy, (Terms{0.8, 1.1, 1.1, 0.9, 0.9, 0.9}));
  EXPECT_EQ(scaled.time, (Terms{1, 1.2, 1.2, 1.05, 1.05, 1.05}));
  EXPECT_DOUBLE_EQ(here.idle_w, 80);
  EXPECT_EQ(here.anchor.energy, Joules());
  EXPECT_DOUBLE_EQ(here.eager->seconds(1, 1, 1), 12);
  EXPECT_DOUBLE_EQ(here.eager->waiting_w, 80);
  EXPECT_DOUBLE_EQ(here.eager->native_kernel_s, 8);
  EXPECT_DOUBLE_EQ(here.eager->spread, 0.45);
  EXPECT_EQ(here.name, "mine");
}

TEST(Overlay, BadOnesAreRefusedWithTheField) {
  const std::string good = to_json(an_overlay());
  const auto refuse = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const Result<MachineOverlay> read = parse_overlay(text, "mine.json");
    return read.ok() ? std::string("accepted") : read.error().message;
  };
  EXPECT_NE(refuse("\"idle\": 0.8", "\"idle\": 0").find("idle"), std::string::npos);
  EXPECT_NE(refuse("\"launch\": 2", "\"launch\": 1e9").find("launch"), std::string::npos);
  EXPECT_NE(refuse("\"over\"", "\"ower\"").find("over"), std::string::npos);
  EXPECT_NE(refuse("\"version\": 1", "\"version\": 2").find("version 2"), std::string::npos);
  EXPECT_NE(refuse("\"measured_j\": 0.5", "\"measured_j\": -1").find("readings[0]"),
            std::string::npos);
  EXPECT_FALSE(is_overlay("{\"format\": \"wattree-predictor\"}"));
  EXPECT_FALSE(is_overlay("[]"));
  EXPECT_FALSE(is_overlay(""));
}

TEST(Overlay, IsFoundWherePredictorsAre) {
  const TestFolder folder;
  const auto write = [&](const std::string& name, const MachineOverlay& overlay) {
    ASSERT_TRUE(write_file(folder.path() / name, to_json(overlay)).ok());
  };
  write("this-machine.json", an_overlay());
  const Result<LoadedPredictor> shipped = load_predictor({{}, "h200", {}});
  const Result<LoadedPredictor> found = load_predictor({{}, "", folder.path()});
  ASSERT_TRUE(shipped.ok() && found.ok());
  EXPECT_EQ(found.value().predictor->name, "mine");
  EXPECT_EQ(found.value().origin, origin_of(an_overlay()));
  EXPECT_DOUBLE_EQ(found.value().predictor->idle_w, 0.8 * shipped.value().predictor->idle_w);
  // One over a device of the catalogue has its memory and is assumed, as that is.
  MachineOverlay other = an_overlay();
  other.over = "A100 SXM4 80GB";
  write("other.json", other);
  const Result<LoadedPredictor> assumed = load_predictor({{}, "other", folder.path()});
  ASSERT_TRUE(assumed.ok()) << assumed.error().message;
  EXPECT_TRUE(assumed.value().predictor->is_assumed);
  other.over = "nothing";
  write("bad.json", other);
  const Result<LoadedPredictor> bad = load_predictor({{}, "bad", folder.path()});
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("field \"over\""), std::string::npos);
}

TEST(Overlay, ADriversNameLeadsToItsPredictor) {
  EXPECT_EQ(predictor_for("NVIDIA H200").value(), "h200");
  const Result<std::string> other = predictor_for("NVIDIA A100-SXM4-80GB");
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_TRUE(load_predictor({{}, other.value(), {}}).ok());
  EXPECT_FALSE(predictor_for("Fake GPU").ok());
}

}  // namespace
}  // namespace wattree
