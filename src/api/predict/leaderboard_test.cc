#include "src/api/predict/leaderboard.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/predict/predict.h"
#include "src/api/predict/test_services.h"
#include "src/models/hub/bundled.h"
#include "tests/support/no_threads.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

LeaderboardAnswer board(const char* body) {
  const Result<LeaderboardRequest> request = leaderboard_request(Json::parse(body));
  EXPECT_TRUE(request.ok()) << request.error().message;
  Result<LeaderboardAnswer> answer = leaderboard(request.value(), offline_services());
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return std::move(answer).value();
}

TEST(Leaderboard, HasEveryModelOnce) {
  const LeaderboardAnswer answer = board(R"({"batch":4,"seq":64,"on":"h200"})");
  const Leaderboard& all = answer.board;
  EXPECT_EQ(all.rows.size() + all.left_out.size(), bundled_models().size());
  double last = 0;
  for (const LeaderboardRow& row : all.rows) {
    ASSERT_TRUE(row.unit);
    EXPECT_GE(row.unit->energy.value, last);
    last = row.unit->energy.value;
    EXPECT_NEAR(4 * row.unit->energy.value, row.pass.energy.value, 1e-9 * row.pass.energy.value);
  }
  EXPECT_NE(all.headline.find(all.rows.front().model), std::string::npos) << all.headline;
}

TEST(Leaderboard, NeedsNoThreadsOfItsOwn) {
  const LeaderboardAnswer usual = board(R"({"batch":4,"seq":64,"on":"h200"})");
  const NoThreads none;
  const LeaderboardAnswer alone = board(R"({"batch":4,"seq":64,"on":"h200"})");
  EXPECT_EQ(alone.board.headline, usual.board.headline);
  EXPECT_EQ(alone.board.rows.size(), usual.board.rows.size());
}

TEST(Leaderboard, FiguresAreThePredictions) {
  const LeaderboardAnswer answer =
      board(R"({"batch":4,"seq":64,"on":"h200","family":"gpt2","per":"token"})");
  ASSERT_EQ(answer.board.rows.size(), 5U);  // gpt2 in four sizes, and distilgpt2.
  for (const LeaderboardRow& row : answer.board.rows) {
    PredictRequest request;
    request.model.name = row.model;
    request.pass.batch = 4;
    request.pass.seq = 64;
    request.pass.dtype = "bf16";  // Of all, where none is given.
    request.predictor.on = "h200";
    const Prediction prediction =
        std::move(predict(request, offline_services())).value().prediction;
    EXPECT_NEAR(row.unit->energy.value, prediction.root().energy.value / (4 * 64), 1e-12);
    EXPECT_EQ(row.params, prediction.built.tree.root().params);
    EXPECT_EQ(row.kind, ModelKind::kDecoder);
  }
}

TEST(Leaderboard, ComparesInOnePrecision) {
  const LeaderboardAnswer answer = board(R"({"seq":64,"on":"h200"})");
  EXPECT_EQ(answer.dtype, "bf16");
  for (const LeaderboardRow& row : answer.board.rows) EXPECT_EQ(row.dtype, "bf16") << row.model;
  const LeaderboardAnswer single = board(R"({"seq":64,"on":"h200","dtype":"fp32"})");
  for (const LeaderboardRow& row : single.board.rows) EXPECT_EQ(row.dtype, "fp32") << row.model;
}

TEST(Leaderboard, KindsAreTold) {
  const auto kind = [](const char* family) { return kind_of(*find_family(family)); };
  EXPECT_EQ(kind("bert"), ModelKind::kEncoder);
  EXPECT_EQ(kind("modernbert"), ModelKind::kEncoder);
  EXPECT_EQ(kind("gpt2"), ModelKind::kDecoder);
  EXPECT_EQ(kind("llama"), ModelKind::kDecoder);
  EXPECT_EQ(kind("t5"), ModelKind::kEncoderDecoder);
  EXPECT_EQ(kind("whisper"), ModelKind::kSpeech);
  EXPECT_EQ(kind("vit"), ModelKind::kVision);
}

TEST(Leaderboard, FrontsAreWhatNobodyBeats) {
  const LeaderboardAnswer answer = board(R"({"seq":64,"on":"h200","task":"MMLU"})");
  std::size_t on_front = 0;
  for (const LeaderboardRow& row : answer.board.rows) {
    if (!row.memory.fits()) {
      EXPECT_FALSE(row.is_on_params_front);
      continue;
    }
    bool is_beaten = false;
    for (const LeaderboardRow& other : answer.board.rows) {
      is_beaten = is_beaten || (other.memory.fits() && other.params > row.params &&
                                other.unit->energy < row.unit->energy);
    }
    EXPECT_TRUE(!is_beaten || !row.is_on_params_front) << row.model;
    on_front += row.is_on_params_front;
    EXPECT_EQ(row.score == nullptr && row.is_on_score_front, false);
  }
  EXPECT_GT(on_front, 2U);
  EXPECT_LT(on_front, answer.board.rows.size());
  EXPECT_TRUE(answer.board.rows.front().is_on_params_front);  // Nobody takes less.
  // Published and cited: Llama 2's Table 3.
  ASSERT_NE(find_score("llama-2-7b", "MMLU"), nullptr);
  EXPECT_EQ(find_score("llama-2-7b", "MMLU")->value, 45.3);
  for (const TaskScore& score : published_scores()) {
    EXPECT_NE(find_bundled(score.model), nullptr) << score.model;
    EXPECT_FALSE(score.source.empty()) << score.model;
    EXPECT_GT(score.year, 2000) << score.model;
  }
}

TEST(Leaderboard, BudgetsAreKept) {
  const LeaderboardAnswer free = board(R"({"seq":64,"on":"h200","kind":"encoder"})");
  const LeaderboardRow& middle = free.board.rows[free.board.rows.size() / 2];
  const std::string budget = std::to_string(middle.unit->energy.value);
  const LeaderboardAnswer bounded =
      board((R"({"seq":64,"on":"h200","kind":"encoder","max_j":)" + budget + "}").c_str());
  ASSERT_EQ(bounded.board.rows.size(), free.board.rows.size());
  std::size_t within = 0;
  for (const LeaderboardRow& row : bounded.board.rows) {
    EXPECT_EQ(row.meets_budgets, row.unit->energy.value <= std::stod(budget)) << row.model;
    within += row.meets_budgets;
  }
  EXPECT_EQ(bounded.board.headline.rfind(std::to_string(within) + " of ", 0), 0U)
      << bounded.board.headline;
  EXPECT_EQ(board(R"({"seq":64,"on":"h200","max_s":0})").board.headline,
            "No model meets the budgets.");
}

TEST(Leaderboard, NamesWhatIsWrong) {
  for (const auto& [body, field] :
       {std::pair(R"({"per":"day"})", "per"), std::pair(R"({"kind":"poet"})", "kind"),
        std::pair(R"({"max_j":-1})", "max_j"), std::pair(R"({"model":"gpt2"})", "model")}) {
    const auto request = leaderboard_request(Json::parse(body));
    ASSERT_FALSE(request.ok()) << body;
    EXPECT_EQ(request.error().field, field);
  }
  for (const auto& [body, field] :
       {std::pair(R"({"family":"berd"})", "family"), std::pair(R"({"task":"chess"})", "task")}) {
    const auto request = leaderboard_request(Json::parse(body));
    ASSERT_TRUE(request.ok()) << body;
    const auto answer = leaderboard(request.value(), offline_services());
    ASSERT_FALSE(answer.ok()) << body;
    EXPECT_EQ(answer.error().field, field);
  }
}

}  // namespace
}  // namespace wattree
