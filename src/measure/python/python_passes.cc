#include "src/measure/python/python_passes.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "src/base/json_parse.h"
#include "src/base/run_program.h"
#include "src/base/text.h"
#include "src/models/families/family.h"
#include "src/models/hub/bundled.h"

namespace wattree {

std::string_view time_passes_script();

namespace {

struct WantedPass {
  std::string_view model;
  std::int64_t length;
};
// Of four families, and so short that a GPU waits for its host.
constexpr std::array kPasses{WantedPass{"bert-base-uncased", 40}, WantedPass{"gpt2", 24},
                             WantedPass{"pythia-160m", 30}, WantedPass{"qwen2.5-0.5b", 20}};

Result<PythonPass> build(const WantedPass& wanted) {
  PassShape shape;
  shape.seq = wanted.length;
  shape.dtype = "bf16";
  shape.as = kBaseModel;
  const BundledModel* model = find_bundled(wanted.model);
  if (model == nullptr) {
    return Error{ErrorCode::kInternal, std::string(wanted.model) + " is not bundled", ""};
  }
  Result<BuiltModel> built =
      build_model(std::string(model->name), std::string(model->json), "bundled", shape);
  if (!built.ok()) return built.error();
  return PythonPass{std::move(built).value(), {}};
}

std::string request_of(const PythonOptions& options, const std::vector<PythonPass>& passes) {
  nlohmann::json out{{"device", options.device},
                     {"rounds", options.rounds},
                     {"round_s", options.round.value},
                     {"passes", nlohmann::json::array()}};
  for (const PythonPass& each : passes) {
    out["passes"].push_back({{"config", nlohmann::json::parse(find_bundled(each.pass.model)->json)},
                             {"batch", each.pass.pass.batch},
                             {"length", each.pass.pass.seq}});
  }
  return out.dump();
}

Error not_timed(const PythonOptions& options, const std::string& why) {
  return {ErrorCode::kUnavailable, options.program + ": " + why,
          "name a Python that has PyTorch and Transformers with <python>", "python"};
}

// The last line of what it complained of: where Python ends with an exception, its message.
std::string complaint(const ProgramEnd& end) {
  std::string last = "it ended with " + std::to_string(end.exit_code);
  for (const std::string& line : split(end.err, '\n')) {
    if (!line.empty()) last = line;
  }
  return last;
}

// One round: as many times as there are passes.
bool take_round(const std::string& line, std::vector<PythonPass>& passes) {
  const Result<nlohmann::json> parsed = parse_json(line, "round");
  if (!parsed.ok() || !parsed.value().is_array() || parsed.value().size() != passes.size()) {
    return false;
  }
  for (const nlohmann::json& value : parsed.value()) {
    if (!value.is_number() || !(value.get<double>() > 0)) return false;
  }
  for (std::size_t i = 0; i < passes.size(); ++i) {
    passes[i].times.emplace_back(parsed.value()[i].get<double>());
  }
  return true;
}

}  // namespace

Result<std::vector<PythonPass>> time_python_passes(const PythonOptions& options,
                                                   const std::function<bool()>& is_stopped) {
  std::vector<PythonPass> passes;
  for (const WantedPass& wanted : kPasses) {
    Result<PythonPass> pass = build(wanted);
    if (!pass.ok()) return pass.error();
    passes.push_back(std::move(pass).value());
  }
  const Result<ProgramEnd> end = run_program(
      {options.program, "-c", std::string(time_passes_script()), request_of(options, passes)},
      options.limit, is_stopped);
  if (!end.ok()) return Error{ErrorCode::kUnavailable, end.error().message, "", "python"};
  if (end.value().exit_code != 0) return not_timed(options, complaint(end.value()));
  for (const std::string& line : split(end.value().out, '\n')) {
    if (!line.empty() && !take_round(line, passes)) {
      return not_timed(options, "it printed \"" + line.substr(0, 60) + "\" instead of times");
    }
  }
  if (passes.front().times.empty()) return not_timed(options, "it printed no times");
  return passes;
}

}  // namespace wattree
