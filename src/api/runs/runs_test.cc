#include "src/api/runs/runs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "src/api/runs/linked_tracker.h"
#include "src/api/runs/run_detail.h"
#include "src/base/test_folder.h"

namespace wattree {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;
constexpr Nanos kS = kNanosPerSecond;

MeterEnergy joules(double energy, double covered) {
  return {0, Joules(energy), Joules(energy), Joules(energy), Seconds(covered)};
}

// A server's view of two runs of this process: one of six epochs goes on, one has ended.
class RunsTest : public ::testing::Test {
 protected:
  RunsTest() {
    services_ = services_from([](const char*) { return std::nullopt; });
    services_.live = live_.get();
    services_.seconds_since_1970 = [] { return std::int64_t{1'800'000'000}; };
    RunBegun begun;
    begun.name = "training";
    begun.host = "node7";
    begun.planned_epochs = 10;
    begun.time = UtcTime(std::chrono::seconds(1'800'000'000 - 60));
    begun.at = 100 * kS;
    begun.power_limit = Watts(700);
    begun.stop_above = Joules(1e6);
    begun.intensity = RecordedIntensity{CarbonIntensity(360), Basis::kPublished, "a table"};
    begun.meters.push_back(
        {"gpu0", "H200", ComponentKind::kGpu, {Basis::kMeasured, "NVML", Boundary::kGpu}});
    hand("live", begun);
    hand("live", IdleMeasured{Seconds(5), {joules(350, 5)}});
    double sum = 0;
    for (int i = 0; i < 6; ++i) {
      const double energy = i == 3 ? 400 : 200;
      sum += energy;
      hand("live", EpochMeasured{
                       std::to_string(i + 1), (101 + i) * kS, (102 + i) * kS, {joules(energy, 1)}});
      hand("live", Totals{(102 + i) * kS, {joules(sum, 2.0 + i)}});
    }
    begun.name = "old one";
    begun.time = UtcTime(std::chrono::seconds(1'700'000'000));
    hand("old", begun);
    hand("old", Totals{103 * kS, {joules(3600, 3)}});
    hand("old", RunEnded{103 * kS, 2});
    live_->wake();
    for (int i = 0; i < 500 && (count("live") < 6 || !run_of("old").has_value()); ++i)
      std::this_thread::sleep_for(10ms);
  }
  void hand(const std::string& id, const Record& record) {
    RunEntry entry;
    entry.id = id;
    live_->add_own(entry)->hand_over(record);
  }
  std::size_t count(const std::string& id) {
    return live_->find(id).value()->brief(2).status.epochs_ended;
  }
  std::optional<RunState> run_of(const std::string& id) {
    const RunStatus status = live_->find(id).value()->brief(2).status;
    return status.exit_code ? std::optional(status.state) : std::nullopt;
  }
  Json answer(const Json& request) {
    return Json::parse(to_json(runs(runs_request(request).value(), services_).value()));
  }

  TestFolder folder_;
  std::unique_ptr<LiveRuns> live_ =
      LiveRuns::start({folder_.path() / "runs", folder_.path() / "journals"}).value();
  Services services_;
};

TEST_F(RunsTest, ListsWithSumsAndAHeadline) {
  const Json all = answer(Json::object());
  ASSERT_EQ(all["runs"].size(), 2u);
  const Json& first = all["runs"][0];  // The newest.
  EXPECT_EQ(first["id"], "live");
  EXPECT_EQ(first["status"], "live");
  EXPECT_EQ(first["host"], "node7");
  EXPECT_EQ(first["energy_j"], 1400);
  EXPECT_NEAR(first["carbon_gco2e"].get<double>(), 1400.0 / 3.6e6 * 360, 1e-9);
  EXPECT_EQ(first["idle_power_w"], 70);
  EXPECT_EQ(first["power_limit_w"], 700);
  EXPECT_EQ(first["stop_above_j"], 1e6);
  EXPECT_NEAR(first["time_left_s"].get<double>(), 4, 1e-9);  // Four epochs of a second each.
  EXPECT_FALSE(first["trace"].empty());
  EXPECT_EQ(all["runs"][1]["status"], "failed");
  EXPECT_EQ(all["runs"][1]["reason"], "exit code 2");
  EXPECT_EQ(all["sums"]["energy_j"], 5000);
  EXPECT_EQ(all["today"]["energy_j"], 1400);
  EXPECT_EQ(all["sums"]["live"], 1);
  EXPECT_EQ(
      all["headline"],
      "1 run is live and draws 267 W; today's 1 run used 389 mWh and emitted 140 mg of CO2e.");
}

TEST_F(RunsTest, ARunThatIsNotHeardDrawsNothingAndIsNotLive) {
  live_->find("live").value()->set_outside(RunState::kStale, "its tracker does not answer");
  const Json all = answer(Json::object());
  EXPECT_EQ(all["runs"][0]["status"], "stale");
  EXPECT_EQ(all["runs"][0]["reason"], "its tracker does not answer");
  EXPECT_FALSE(all["runs"][0].contains("power_w"));
  EXPECT_FALSE(all["runs"][0].contains("time_left_s"));
  EXPECT_GE(all["runs"][0]["silent_s"], 0);
  EXPECT_EQ(all["runs"][0]["energy_j"], 1400);  // What it took stays.
  EXPECT_EQ(all["sums"]["live"], 0);
  EXPECT_FALSE(all["sums"].contains("power_w"));
  EXPECT_TRUE(all["headline"].get<std::string>().starts_with("No run is live;")) << all["headline"];
  EXPECT_FALSE(all["runs"][1].contains("silent_s"));
}

TEST_F(RunsTest, FiltersAndSorts) {
  EXPECT_EQ(answer({{"status", "failed"}})["runs"].size(), 1u);
  EXPECT_EQ(answer({{"status", {"failed", "live"}}})["runs"].size(), 2u);
  EXPECT_EQ(answer({{"q", "TRAIN"}})["runs"][0]["name"], "training");
  EXPECT_EQ(answer({{"q", "nothing"}})["headline"], "No run is known here.");
  EXPECT_EQ(answer({{"sort", "-energy"}})["runs"][0]["name"], "old one");
  EXPECT_EQ(answer({{"sort", "name"}, {"limit", 1}})["runs"].size(), 1u);
  EXPECT_EQ(answer({{"offset", 5}})["runs"].size(), 0u);
  EXPECT_EQ(runs_request({{"status", "dancing"}}).error().field, "status");
  EXPECT_EQ(runs_request({{"sort", "beauty"}}).error().field, "sort");
  EXPECT_FALSE(runs_request({{"colour", "red"}}).ok());
  services_.live = nullptr;
  EXPECT_EQ(runs({}, services_).error().code, ErrorCode::kUnavailable);
}

TEST_F(RunsTest, ShowsOneWithItsEpochsAndFlags) {
  const Json run = Json::parse(to_json(
      wattree::run(run_request({{"id", "live"}, {"points", 4}}).value(), services_).value()));
  EXPECT_EQ(run["epochs_in_all"], 6);
  ASSERT_EQ(run["epochs"].size(), 4u);  // The first, the lowest and highest, the last.
  EXPECT_EQ(run["epochs"][0]["begin_s"], 1);
  EXPECT_EQ(run["epochs"].back()["device_energy_so_far_j"], 1400);
  ASSERT_EQ(run["flags"].size(), 1u);
  EXPECT_EQ(run["flags"][0]["epoch"], 4);
  EXPECT_NE(run["flags"][0]["reason"].get<std::string>().find("2 times the median"),
            std::string::npos);
  EXPECT_EQ(run["outside_energy_j"], 0);
  EXPECT_EQ(run["components"][0]["basis"]["by"], "NVML");
  EXPECT_EQ(wattree::run({"nobody", 10}, services_).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(run_profile("live", services_).value().epochs.size(), 6u);
}

TEST(EnergyVisRecords, AreItsAnswers) {
  const RunBegun begun =
      EnergyVisRecords::begin(
          R"({"component_names":{"cpu":{"Intel i7 2600K":1},"gpu":{"geforce-gtx-1080-ti":4}},"state":"Georgia"})",
          "http://node7:5000", 5)
          .value();
  EXPECT_EQ(begun.region, "US-GA");
  ASSERT_EQ(begun.hardware.size(), 2u);
  EXPECT_EQ(begun.hardware[1].count, 4);
  TrackedRun run(begun);
  EnergyVisRecords records;
  const auto take = [&](const char* stats) {
    const auto taken = records.take(stats, 5);
    for (const Record& record : taken.value()) run.apply(record);
  };
  take(R"({"cpu":{"epoch":[0.05],"interval":null},"gpu":{"epoch":[0.05]}})");
  take(R"({"cpu":{"epoch":[0.05,0.05]},"gpu":{"epoch":[0.05,0.1]}})");
  ASSERT_EQ(run.epochs().size(), 2u);
  EXPECT_NEAR(run.energy()->value, 0.25 * 3.6e6, 1e-6);
  EXPECT_FALSE(run.power());
  EXPECT_FALSE(run.profile().epochs[0].duration);
  EXPECT_NEAR(device_energy(run.profile())->value, 0.25 * 3.6e6, 1e-6);
  for (const char* bad :
       {"", "[]", "{\"cpu\":{\"epoch\":[\"x\"]}}", "{\"cpu\":{\"epoch\":[-1]}}"}) {
    EXPECT_FALSE(records.take(bad, 5).ok()) << bad;
  }
  EXPECT_FALSE(EnergyVisRecords::begin("{}", "x", 5).ok());
}

}  // namespace
}  // namespace wattree
