#include "src/api/learn/measured_trees.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/parameters.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

Result<HttpAnswer> answer(const RouteCall& call) {
  const Result<MeasuredTreesRequest> request = measured_trees_request(call.fields, call.http.body);
  if (!request.ok()) return request.error();
  const Result<MeasuredTreesAnswer> trees = measured_trees(request.value(), call.services);
  if (!trees.ok()) return trees.error();
  return json_answer(to_json(trees.value(), 0));
}

}  // namespace

Routes dataset_routes() {
  Route out = api_route(
      HttpMethod::kPost, "datasets", "datasets",
      "Measured trees beside what is predicted for them: the JSON Lines of `wattree profile`, or "
      "IrEne's JSON. Nothing is kept.",
      predictor_parameters(), "measured_trees", answer);
  out.text_bodies = {"application/jsonl", "application/x-ndjson", "application/json", "text/plain"};
  out.body_example = R"({"model_name": "bert-tiny", "batch_size": 2, "seq_len": 16,
    "frontend_tree": {"id": "0", "scope": "root", "instance_type": "BertModel", "type": "model",
      "ground_truth_energy": 0.01, "child_nodes_obj": [
        {"id": "1", "scope": "root.pooler.dense", "instance_type": "Linear", "type": "ml",
         "ground_truth_energy": 0.001, "child_nodes_obj": []}]}})";
  out.body_limit = std::size_t{64} << 20;
  return tagged("Measurements", {std::move(out)});
}

}  // namespace wattree
