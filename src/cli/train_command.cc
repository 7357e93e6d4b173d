#include <memory>
#include <ostream>

#include "src/api/learn/train.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/learn_flags.h"
#include "src/cli/train_text.h"

namespace wattree {
namespace {

struct TrainFlags {
  TrainRequest request;
  std::string output;
  std::string dtypes;
};

CommandSyntax describe(CommandSyntax app, TrainFlags& flags) {
  TrainRequest& request = flags.request;
  const CommandSyntax command =
      app.add_subcommand("train", "Learn a predictor from measured trees and write it to a file");
  command.footer(
      "Examples:\n"
      "  wattree train data.jsonl -o my-gpu.json --name my-gpu --hardware \"RTX 4090\"\n"
      "  wattree train data.jsonl -o wall.json --meter \"wall meter\" --boundary wall\n"
      "  wattree train data.jsonl -o irene.json --aggregate end2end --seed 3\n"
      "  wattree train data/h200 data/h200-kinds -o h200.json\n"
      "  wattree train measured -o my-gpu.json          what wattree profile wrote into a "
      "folder\n\n"
      "The predictor is one readable JSON file. The table shows what was learnt: joules and\n"
      "seconds for each unit of work, and the watts that turn a GPU counter's reading into what\n"
      "the meter says. Errors and intervals come from leaving each model out once. The same data\n"
      "gives the same file, byte by byte. See docs/learning.md.\n");
  command
      .add_option("DATASET", request.dataset,
                  "A dataset in JSON Lines, plain or gzip; or windows (a file, or a folder such as "
                  "data/h200)")
      .required();
  command.add_option("MORE", request.further, "More measurements of the same hardware");
  command.add_option("-o,--output", flags.output, "File for the predictor").required();
  describe_method(command, request.method);
  command.add_option("--seed", request.seed, "Seed of the first weights of IrEne's methods [1]");
  command.add_option("--name", request.name, "What to call the predictor [the file's name]");
  command.add_option("--hardware", request.hardware,
                     "Name of the machine that was measured [as the measurements say, or unknown]");
  command.add_option("--meter", request.meter,
                     "Meter that measured the energy [as the measurements say, or unknown]");
  command
      .add_option("--boundary", request.boundary,
                  "What that energy covers [as the measurements say, or wall]")
      .one_of({"gpu", "host", "wall"});
  command.add_option("--dtypes", flags.dtypes,
                     "The precisions that were measured: fp32,bf16 [as the data says, or fp32]");
  describe_model_choice(command, request.models);
  return command;
}

int run(TrainFlags& flags, Surroundings& world) {
  TrainRequest& request = flags.request;
  request.dtypes = split(flags.dtypes, ',');
  if (request.name.empty()) request.name = std::filesystem::path(flags.output).stem().string();
  if (const Status wrong = check(request); !wrong.ok())
    return usage_error(wrong.error(), false, world);
  const Result<TrainAnswer> answer = train(request, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  const Status failure = write_file(flags.output, to_json(answer.value()));
  if (!failure.ok()) return fail(failure.error(), false, world);
  world.out << flags.output << ": " << text_of(answer.value());
  print_warnings(answer.value().warnings, world);
  return 0;
}

}  // namespace

Command train_command(CommandSyntax app) {
  auto flags = std::make_shared<TrainFlags>();
  const CommandSyntax command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
