// What the tracker finds out about where and in what it runs.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "src/base/test_folder.h"
#include "src/measure/meter/assumed.h"
#include "src/runs/track/child.h"
#include "src/runs/track/epoch_socket.h"
#include "src/runs/track/job.h"
#include "src/runs/track/location.h"

namespace wattree {
namespace {

Environment environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

TEST(Job, IsKnownByWhoStartedIt) {
  EXPECT_EQ(find_job(environment({}), 7), "");
  EXPECT_EQ(find_job(environment({{"SLURM_JOB_ID", "12"}, {"SLURM_STEP_ID", "3"}}), 7),
            "slurm 12.3");
  EXPECT_EQ(find_job(environment({{"SLURM_JOB_ID", "12"}}), 7), "slurm 12.batch");
  EXPECT_EQ(find_job(environment({{"TORCHELASTIC_RUN_ID", "abc"}}), 7), "torchrun abc");
  EXPECT_EQ(find_job(environment({{"TORCHELASTIC_RUN_ID", "none"}}), 7), "torchrun none 7");
  EXPECT_EQ(find_job(environment({{"WATTREE_JOB", "x"}, {"SLURM_JOB_ID", "12"}}), 7), "job x");
  EXPECT_EQ(find_job(environment({{"WATTREE_TRACK", "unix:/s"}}), 7), "inside unix:/s");
  EXPECT_EQ(find_job(environment({{"OMPI_COMM_WORLD_SIZE", "4"}}), 7), "mpi of process 7");
  EXPECT_EQ(
      find_job(environment({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_MCA_ess_base_jobid", "55"}}), 7),
      "mpi 55");
  EXPECT_EQ(find_job(environment({{"WORLD_SIZE", "2"},
                                  {"RANK", "1"},
                                  {"MASTER_ADDR", "node1"},
                                  {"MASTER_PORT", "29500"}}),
                     7),
            "world of 2 at node1:29500");
  EXPECT_EQ(find_job(environment({{"WORLD_SIZE", "1"}, {"MASTER_ADDR", "node1"}}), 7), "");
}

TEST(Job, WhoWaitsGoesOnFromTheLastReadingThatWasCounted) {
  TestFolder folder;
  Meters meters;
  meters.push_back(make_assumed_meter({Component::kCpu, Watts(65)}));
  meters.push_back(make_assumed_meter({Component::kGpu, Watts(300)}));
  auto first = std::make_unique<DeviceClaims>();
  EXPECT_TRUE(first->claim(folder.path(), "job", meters).empty());
  EXPECT_TRUE(first->elsewhere().empty());
  DeviceClaims second;
  const auto counted = second.claim(folder.path(), "job", meters);
  ASSERT_EQ(counted.size(), 2u);
  EXPECT_EQ(counted[0].meter, "cpu.assumed");
  EXPECT_EQ(counted[0].process, ::getpid());
  EXPECT_EQ(second.elsewhere(), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(DeviceClaims().claim(folder.path(), "another job", meters).empty());

  first->note(1, {{77, 0.0, Absence::kNone}, 3, 3});
  first->note(1, {{18446744073709551615u, 2.5, Absence::kNone}, 40, 44});
  EXPECT_TRUE(second.take_over().empty());
  first.reset();
  // Nothing was said of the first meter: somebody else may count it still.
  const auto taken = second.take_over();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].meter, 1u);
  EXPECT_EQ(taken[0].process, ::getpid());
  EXPECT_EQ(taken[0].last.sample.count, 18446744073709551615u);
  EXPECT_EQ(taken[0].last.sample.level, 2.5);
  EXPECT_EQ(taken[0].last.time(), 42);
  EXPECT_EQ(second.elsewhere(), std::vector<std::size_t>{0});
  EXPECT_TRUE(second.take_over().empty());
}

TEST(Job, ANoteFromBeforeARestartIsNotBelieved) {
  TestFolder folder;
  Meters meters;
  meters.push_back(make_assumed_meter({Component::kCpu, Watts(65)}));
  auto first = std::make_unique<DeviceClaims>();
  first->claim(folder.path(), "job", meters);
  DeviceClaims second;
  second.claim(folder.path(), "job", meters);
  const Nanos later = boot_clock().now() + 3600 * kNanosPerSecond;
  first->note(0, {{1, 1.0, Absence::kNone}, later, later});
  first.reset();
  EXPECT_TRUE(second.take_over().empty());
}

TEST(RuntimeFolder, IsTheUsersAlone) {
  TestFolder folder;
  const auto here = environment({{"XDG_RUNTIME_DIR", folder.path().string()}});
  ASSERT_TRUE(runtime_folder(here).ok());
  ASSERT_EQ(::chmod((folder.path() / "wattree").c_str(), 0777), 0);
  EXPECT_FALSE(runtime_folder(here).ok());
  EXPECT_FALSE(runtime_folder(environment({{"XDG_RUNTIME_DIR", "/nonexistent"}})).ok());
}

TEST(Location, SettingsAreLinesOfNamesAndValues) {
  const Settings settings = parse_settings("# mine\n\nregion = US-GA # home\n pue=1.2\r\n", "f");
  EXPECT_EQ(settings.region, "US-GA");
  EXPECT_EQ(settings.pue, "1.2");
  EXPECT_TRUE(settings.warnings.empty());
  // What is wrong is said, and the rest holds.
  const Settings partly = parse_settings("region = DEU\nregoin = x\npue = 1.1\ncolour\n", "f");
  EXPECT_EQ(partly.region, "DEU");
  EXPECT_EQ(partly.pue, "1.1");
  ASSERT_EQ(partly.warnings.size(), 2u);
  EXPECT_EQ(partly.warnings[0],
            "f:2: \"regoin = x\" is no setting and is left out; did you mean \"region\"?");
  EXPECT_EQ(partly.warnings[1],
            "f:4: \"colour\" is no setting and is left out; settings are: region = US-GA, pue = "
            "1.2");
}

TEST(Location, CloudInitKnowsTheCloud) {
  EXPECT_EQ(cloud_region(R"({"v1":{"cloud_name":"aws","region":"us-east-2"}})"), "aws:us-east-2");
  EXPECT_EQ(cloud_region(R"({"v1":{"cloud_name":"azure","region":"eastus"}})"), "azure:eastus");
  EXPECT_EQ(cloud_region(R"({"v1":{"cloud_name":"gce","availability_zone":"us-central1-a"}})"),
            "gcp:us-central1");
  EXPECT_EQ(cloud_region(R"({"v1":{"cloud_name":"nocloud","region":"here"}})"), "");
  for (const char* text : {"", "[]", "{\"v1\":3}", "{\"v1\":{\"cloud_name\":1}}", "{"}) {
    EXPECT_EQ(cloud_region(text), "") << text;
  }
}

TEST(EpochMessages, AreALetterATimeAndAName) {
  EpochMessage message;
  ASSERT_TRUE(parse_epoch_message("B 123 epoch 1", message));
  EXPECT_EQ(message.kind, EpochMessage::Kind::kEpochBegin);
  EXPECT_EQ(message.at, 123);
  EXPECT_EQ(message.name, "epoch 1");
  EXPECT_TRUE(parse_epoch_message("E 5 ", message));
  EXPECT_EQ(message.name, "");
  for (const char* bad :
       {"", "B", "B ", "X 1 a", "B x", "B -1 a", "B 1a", "B99 1", "B 99999999999999999999 a"}) {
    EXPECT_FALSE(parse_epoch_message(bad, message)) << bad;
  }
}

TEST(CommandText, CouldBeTyped) {
  EXPECT_EQ(command_text({"python", "train.py", "--lr=0.1", "a b", "it's", ""}),
            "python train.py --lr=0.1 'a b' 'it'\\''s' ''");
}

TEST(ProcessTree, FollowsParents) {
  TestFolder folder;
  for (const auto& [process, parent] :
       std::vector<std::pair<int, int>>{{10, 1}, {11, 10}, {12, 11}, {13, 10}, {20, 1}, {21, 20}}) {
    folder.write(
        std::to_string(process) + "/stat",
        std::to_string(process) + " (a (b) c) S " + std::to_string(parent) +
            " 1 1 0 -1 4194560 1 1 1 1 5 6 7 8 20 0 1 0 100 1000 100 1 1 1 1 1 0 0 0 0 0 0 "
            "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  }
  EXPECT_EQ(process_tree(10, folder.path()), (std::vector<pid_t>{10, 11, 13, 12}));
  EXPECT_EQ(process_tree(99, folder.path()), std::vector<pid_t>{99});
}

}  // namespace
}  // namespace wattree
