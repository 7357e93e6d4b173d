#include <memory>
#include <ostream>

#include "src/api/predict/leaderboard.h"
#include "src/cli/command.h"
#include "src/cli/pass_flags.h"
#include "src/cli/predict_flags.h"
#include "src/report/table/leaderboard_table.h"
#include "src/report/table/prediction_table.h"

namespace wattree {
namespace {

struct LeaderboardFlags {
  PassFlags pass;
  LeaderboardRequest request;
  std::string per = "item", kind;
  bool json = false;
};

int run(LeaderboardFlags& flags, Surroundings& world) {
  if (const Status failure = read_sets(flags.pass); !failure.ok()) {
    return usage_error(failure.error(), flags.json, world);
  }
  LeaderboardRequest request = flags.request;
  request.pass = flags.pass.query;
  request.per = parse_per(flags.per).value_or(Per::kItem);
  request.kind = parse_model_kind(flags.kind);
  const Result<LeaderboardAnswer> answer = leaderboard(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  const Leaderboard& board = answer.value().board;
  world.out << board.headline << "\n\n"
            << leaderboard_table(board, name_of(request.per), basis_text(answer.value().by));
  return 0;
}

}  // namespace

Command leaderboard_command(CommandSyntax app) {
  auto flags = std::make_shared<LeaderboardFlags>();
  const CommandSyntax board = app.add_subcommand(
      "leaderboard", "Rank all known models by the energy of one pass on one device");
  board.footer(
      "Examples:\n"
      "  wattree leaderboard -b 16 -s 128\n"
      "  wattree leaderboard --kind decoder --per token -s 1024 --on a100-sxm4-80gb\n\n"
      "All models run in bf16 unless --dtype says otherwise.\n");
  describe_size(board, flags->pass);
  describe_predictor(board, flags->request.predictor);
  describe_pass(board, flags->pass, PrecisionUse::kRanked);
  board.add_option("--per", flags->per, "What the energies are of")
      .one_of({"item", "token", "pass"})
      .show_default();
  board.add_option("--kind", flags->kind, "Only models of this kind [all]")
      .one_of({"encoder", "decoder", "encoder-decoder", "vision", "speech"});
  board.add_option("--family", flags->request.family, "Only models of this family [all]");
  board.add_option("--task", flags->request.task,
                   "Show published scores of this task beside the energies");
  board.add_option("--max-j", flags->request.max_j,
                   "Mark models that take more joules for an item, token or pass");
  board.add_option("--max-s", flags->request.max_s, "Mark models that take longer for a pass");
  board.add_flag("--json", flags->json, "Print JSON (docs/schemas/leaderboard.schema.json)");
  return {board, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
