#include "src/api/runs/track.h"

#include <gtest/gtest.h>

#include <map>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

// A machine without any hardware, whose user has these variables.
Services services_in(const TestFolder& folder, std::map<std::string, std::string> variables = {}) {
  variables.emplace("HOME", folder.path().string());
  variables.emplace("XDG_RUNTIME_DIR", folder.path().string());
  Services out = services_from([=](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
  out.meters.sys_root = out.meters.proc_root = folder.path() / "nothing";
  out.meters.nvml_library = "/nonexistent/libnvidia-ml.so.1";
  return out;
}

TrackRequest request_for(const std::string& command = "train.py") {
  TrackRequest out;
  out.command = {"python", command};
  out.instance_data = "/nonexistent";
  return out;
}

bool has_note(const TrackPlan& plan, std::string_view text) {
  for (const std::string& note : plan.notes) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(TrackPlan, WhatTheUserWroteWrongNamesItsField) {
  const TestFolder folder;
  const Services services = services_in(folder);
  const auto field_of = [&](auto change) {
    TrackRequest request = request_for();
    change(request);
    const Result<TrackPlan> plan = plan_track(request, services);
    return plan.ok() ? std::string("none") : plan.error().field;
  };
  EXPECT_EQ(field_of([](TrackRequest&) {}), "none");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.command.clear(); }), "pid");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.period = "1us"; }), "period");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.period = "100s"; }), "period");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.idle = "5"; }), "idle");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.grace = "soon"; }), "grace");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.warn_above = "3"; }), "warn_above");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.stop_above = "3"; }), "stop_above");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.epoch_regex = "("; }), "epoch_regex");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.assume = {"cpu=65"}; }), "assume");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.region = "Atlantis"; }), "region");
  EXPECT_EQ(field_of([](TrackRequest& r) { r.pue = "0.5"; }), "pue");
}

// What was found here must not stop a run; what the user asked for must be right.
TEST(TrackPlan, APlaceThatWasFoundIsANoteOrAWarning) {
  const TestFolder folder;
  const auto right = plan_track(request_for(), services_in(folder, {{"WATTREE_REGION", "US-GA"}}));
  ASSERT_TRUE(right.ok());
  EXPECT_EQ(right.value().options.run.region, "US-GA");
  EXPECT_TRUE(has_note(right.value(), "region US-GA, from WATTREE_REGION"));
  const auto wrong = plan_track(request_for(), services_in(folder, {{"WATTREE_REGION", "Oz"}}));
  ASSERT_TRUE(wrong.ok());
  ASSERT_EQ(wrong.value().warnings.size(), 1u);
  EXPECT_NE(wrong.value().warnings[0].find("WATTREE_REGION: region \"Oz\" is not known"),
            std::string::npos);
  EXPECT_TRUE(has_note(wrong.value(), "CO2 is not shown"));
  // Even where the user's text is that of a source that is found.
  TrackRequest asked = request_for();
  asked.region = "US-WY";
  const auto named = plan_track(asked, services_in(folder, {{"WATTREE_REGION", "US-GA"}}));
  EXPECT_EQ(named.value().options.run.region, "US-WY");
  EXPECT_FALSE(has_note(named.value(), "region US-WY"));
}

TEST(TrackPlan, FoldersAreTheServicesUnlessTheRequestSays) {
  const TestFolder folder;
  const Services services = services_in(folder);
  const TrackPlan usual = plan_track(request_for(), services).value();
  EXPECT_EQ(usual.options.journal.parent_path(), folder.path() / ".local/state/wattree/journals");
  EXPECT_EQ(usual.folder, folder.path() / ".local/share/wattree/profiles");
  EXPECT_FALSE(usual.keeps_journal);
  EXPECT_EQ(usual.options.run.name, "train.py");
  TrackRequest request = request_for();
  request.journal = "/j";
  request.folder = "/p";
  request.output = folder.path();
  const TrackPlan other = plan_track(request, services).value();
  EXPECT_EQ(other.options.journal.parent_path(), "/j");
  EXPECT_EQ(other.folder, "/p");
  EXPECT_TRUE(other.keeps_journal);
  ASSERT_EQ(other.warnings.size(), 1u);
  EXPECT_NE(other.warnings[0].find("is a folder"), std::string::npos);
}

TEST(TrackPlan, IsSaidInTheWordsOfTheShell) {
  const TestFolder folder;
  TrackRequest request = request_for();
  request.stop_above = "3kWh";
  TrackPlan plan = plan_track(request, services_in(folder)).value();
  EXPECT_EQ(plan.options.stop_above->text, "3kWh (<stop_above>)");
  name_fields(plan, [](std::string_view field) { return "--" + std::string(field); });
  EXPECT_EQ(plan.options.stop_above->text, "3kWh (--stop_above)");
  EXPECT_TRUE(has_note(plan, "--assume cpu=65W"));
  EXPECT_TRUE(has_note(plan, "--region US-GA"));
}

}  // namespace
}  // namespace wattree
