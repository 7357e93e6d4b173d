#include "src/api/predict/leaderboard.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/api/model/known_models.h"
#include "src/api/predict/estimate_text.h"
#include "src/api/predict/request_reader.h"
#include "src/base/json_writer.h"
#include "src/base/text.h"

namespace wattree {
namespace {

constexpr double kMostBudget = 1e18;

// What stands in the name of a field that one of `values` is to be in.
template <class Parse>
auto choice(RequestReader& reader, std::string_view name, Parse parse, std::string_view values)
    -> decltype(parse("")) {
  const std::string text = reader.fields().text(name);
  if (text.empty()) return std::nullopt;
  auto parsed = parse(text);
  if (!parsed) {
    reader.fields().complain(name, "must be " + std::string(values) + ", not \"" + text + "\"");
  }
  return parsed;
}

Status check_names(const LeaderboardRequest& request) {
  if (!request.family.empty() && find_family(request.family) == nullptr) {
    return Error{ErrorCode::kInvalidInput, "the family \"" + request.family + "\" is not known",
                 "`wattree models` lists families", "family"};
  }
  const std::vector<std::string> tasks = scored_tasks();
  if (!request.task.empty() && std::find(tasks.begin(), tasks.end(), request.task) == tasks.end()) {
    return Error{ErrorCode::kInvalidInput,
                 "the task \"" + request.task + "\" has no published scores here",
                 "choose " + join(tasks), "task"};
  }
  return {};
}

void write_row(JsonWriter& out, const LeaderboardRow& row, const Provenance& basis) {
  const bool has_times = row.pass.time > Seconds();
  out.begin_object();
  out.field("model", row.model);
  out.field("model_type", row.model_type);
  out.field("class", row.class_name);
  out.field("kind", name_of(row.kind));
  out.field("params", row.params);
  out.field("dtype", row.dtype);
  if (row.unit) {
    out.field("energy_j", row.unit->energy.value);
    out.field("energy_low_j", row.unit->energy_low().value);
    out.field("energy_high_j", row.unit->energy_high().value);
  }
  out.key("pass");
  out.begin_object();
  write_fields(out, row.pass, has_times);
  out.end_object();
  out.key("memory");
  write_json(out, row.memory);
  if (row.score != nullptr) {
    out.key("score");
    out.begin_object();
    out.field("task", row.score->task);
    out.field("metric", row.score->metric);
    out.field("value", row.score->value);
    out.field("source", row.score->source);
    out.field("year", std::int64_t{row.score->year});
    out.end_object();
  }
  out.field("meets_budgets", row.meets_budgets);
  out.key("front");
  out.begin_object();
  out.field("params", row.is_on_params_front);
  out.field("time", row.is_on_time_front);
  out.field("score", row.is_on_score_front);
  out.end_object();
  out.key("basis");
  write_json(out, basis);
  out.end_object();
}

}  // namespace

Result<LeaderboardRequest> leaderboard_request(const nlohmann::json& body) {
  RequestReader reader(body);
  LeaderboardRequest request;
  request.pass = reader.pass();
  request.predictor = reader.predictor();
  request.per = choice(reader, "per", parse_per, "item, token or pass").value_or(Per::kItem);
  request.kind = choice(reader, "kind", parse_model_kind,
                        "encoder, decoder, encoder-decoder, vision or speech");
  request.family = reader.fields().text("family");
  request.task = reader.fields().text("task");
  request.max_j = reader.fields().number("max_j", 0, kMostBudget);
  request.max_s = reader.fields().number("max_s", 0, kMostBudget);
  return reader.take(std::move(request));
}

Result<LeaderboardAnswer> leaderboard(const LeaderboardRequest& request, const Services& services) {
  if (const Status failure = check_names(request); !failure.ok()) return failure.error();
  const Result<LoadedPredictor> by = find_predictor(request.predictor, services);
  if (!by.ok()) return by.error();
  LeaderboardQuery query;
  query.models = known_texts(services);
  query.pass = within_budget(request.pass, services);
  query.by = by.value();
  // One precision for all: as they are published, a larger model may beat a smaller one only
  // because its config names fewer bits.
  const std::vector<std::string>& dtypes = by.value().predictor->dtypes;
  const bool has_bf16 = std::find(dtypes.begin(), dtypes.end(), "bf16") != dtypes.end();
  if (query.pass.dtype.empty() && has_bf16) query.pass.dtype = "bf16";
  query.per = request.per;
  query.kind = request.kind;
  query.family = request.family;
  query.task = request.task;
  if (request.max_j) query.most_energy = Joules(*request.max_j);
  if (request.max_s) query.most_time = Seconds(*request.max_s);
  return LeaderboardAnswer{request, by.value(), query.pass.dtype, leaderboard(query)};
}

std::string to_json(const LeaderboardAnswer& answer, int indent) {
  const LeaderboardRequest& request = answer.request;
  JsonWriter out(indent);
  out.begin_object();
  out.field("headline", answer.board.headline);
  out.field("batch_size", request.pass.batch);
  if (request.pass.seq) out.field("seq_len", *request.pass.seq);
  if (!answer.dtype.empty()) out.field("dtype", answer.dtype);
  out.field("per", name_of(request.per));
  write_predictor(out, answer.by);
  if (request.max_j) out.field("max_j", *request.max_j);
  if (request.max_s) out.field("max_s", *request.max_s);
  out.field("tasks", scored_tasks());
  out.key("rows");
  out.begin_array();
  for (const LeaderboardRow& row : answer.board.rows) {
    write_row(out, row, answer.by.provenance());
  }
  out.end_array();
  out.key("left_out");
  out.begin_array();
  for (const Leaderboard::LeftOut& left : answer.board.left_out) {
    out.begin_object();
    out.field("model", left.model);
    out.field("why", left.why);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
