#include <nlohmann/json.hpp>

#include "src/api/predict/compare_models.h"
#include "src/api/predict/compare_pair.h"
#include "src/api/predict/explain.h"
#include "src/api/predict/generate.h"
#include "src/api/predict/leaderboard.h"
#include "src/api/predict/predict.h"
#include "src/api/predict/suggest.h"
#include "src/api/predict/sweep.h"
#include "src/api/predict/tree.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/parameters.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using enum ParameterType;

constexpr auto kWithoutProgress = [](double) {};
// Answers on one line.
constexpr auto kOneLine = [](const auto& answer) { return to_json(answer, 0); };

// By GET with a model's name, and by POST with names or configs in the body.
void add(Routes& routes, Route route) {
  route.method = HttpMethod::kGet;
  route.tag = "Prediction";
  route.is_cacheable = true;
  Route post = route;
  post.method = HttpMethod::kPost;
  post.operation += "_config";
  post.summary += " The model may be a config in the body.";
  post.parameters = in_body(std::move(post.parameters));
  bool has_one_model = false;
  for (Parameter& parameter : route.parameters) {
    if (parameter.name != "model") continue;
    parameter.is_required = true;
    has_one_model = true;
  }
  if (has_one_model) {
    post.parameters.push_back({"config", kObject, "A config.json, as an object.",
                               R"({"model_type": "bert", "num_hidden_layers": 6})",
                               ParameterPlace::kBody});
  }
  routes.push_back(std::move(route));
  routes.push_back(std::move(post));
}

// Named as its path is.
Route route(const std::string& name, std::string summary, Parameters parameters, std::string answer,
            Handler handle) {
  return api_route(HttpMethod::kGet, name, name, std::move(summary), std::move(parameters),
                   std::move(answer), std::move(handle));
}

// The parameters of a pass, of the second side alone.
Parameters of_second(Parameters parameters) {
  for (Parameter& parameter : parameters) {
    parameter.name = "b." + parameter.name;
    parameter.description = "Of b alone: " + parameter.description;
  }
  return parameters;
}

Result<HttpAnswer> compare_answer(const RouteCall& call) {
  const auto pair = use_case(
      compare_pair_request,
      [](const ComparePairRequest& request, const Services& services) {
        return compare_pair(request, services);
      },
      kOneLine);
  const auto models = use_case(
      compare_models_request,
      [](const CompareModelsRequest& request, const Services& services) {
        return compare_models(request, services);
      },
      kOneLine);
  return call.fields.contains("a") || call.fields.contains("b") ? pair(call) : models(call);
}

Route compare_route() {
  return route(
      "compare", "Models beside each other: either all of `models`, or `a` and `b` part by part.",
      joined({{{"models", kModels, "Two models or more; the first is the reference.",
                "bert-base-uncased"},
               {"fail_above", kText, "More energy than the first by so much is too much.", "3%"},
               {"a", kModel, "The first of two models.", "bert-base-uncased"},
               {"b", kModel, "The second; the same as `a` where absent.", "gpt2"}},
              size_parameters(),
              pass_parameters(),
              predictor_parameters(),
              of_second(joined({size_parameters(), pass_parameters(), predictor_parameters()}))}),
      "compare|compare_pair", compare_answer);
}

Route leaderboard_route() {
  Route out = route("leaderboard", "All known models for one size and device.",
                    joined({size_parameters(),
                            pass_parameters(),
                            predictor_parameters(),
                            {choice("per", "What the energy is of; item where absent.",
                                    {"item", "token", "pass"}),
                             choice("kind", "Only models of this kind.",
                                    {"encoder", "decoder", "encoder-decoder", "vision", "speech"}),
                             {"family", kText, "Only models of this model_type.", "bert"},
                             {"task", kText, "Published scores of this task, too.", "MMLU"},
                             {"max_j", kNumber, "At most so many joules.", "10"},
                             {"max_s", kNumber, "At most so many seconds for a pass.", "1"}}}),
                    "leaderboard",
                    use_case(
                        leaderboard_request,
                        [](const LeaderboardRequest& request, const Services& services) {
                          return leaderboard(request, services);
                        },
                        kOneLine));
  out.tag = "Prediction";
  out.is_cacheable = true;
  return out;
}

// Examples that fit a model which writes token after token.
Parameters of_decoder(Parameters parameters) {
  for (Parameter& parameter : parameters) {
    if (parameter.name == "model") parameter.example = "gpt2";
    if (parameter.name == "as") parameter.example = "GPT2LMHeadModel";
    if (parameter.name == "set") parameter.example = "n_layer=6";
  }
  return parameters;
}

Parameters sweep_sizes() {
  return {{"batch", kSizes, "Batch sizes: a list (8,16) or a range (from:to:step).", "1,8,16"},
          {"seq", kSizes, "Lengths: a list or a range.", "32:128:32"}};
}

}  // namespace

Routes prediction_routes() {
  Routes out;
  add(out, route("predict", "Time and energy of every node of a model's pass.",
                 joined({model_parameters(), size_parameters(), pass_parameters(),
                         predictor_parameters(), view_parameters(), extra_parameters(),
                         total_parameters()}),
                 "predict",
                 use_case(
                     predict_request,
                     [](const PredictRequest& request, const Services& services) {
                       return predict(request, services);
                     },
                     kOneLine)));
  add(out,
      route("tree", "The model tree of a pass: parameters, FLOPs and bytes of every node.",
            joined({model_parameters(), size_parameters(), pass_parameters(), view_parameters()}),
            "tree", use_case(tree_request, tree, kOneLine)));
  Parameter node{"node", kText, "The node's scope; the whole model where absent.",
                 "encoder.layer.0"};
  add(out, route("explain", "How the predicted energy of one node comes about.",
                 joined({model_parameters(),
                         size_parameters(),
                         pass_parameters(),
                         predictor_parameters(),
                         {node}}),
                 "explain",
                 use_case(
                     explain_request,
                     [](const ExplainRequest& request, const Services& services) {
                       return explain(request, services);
                     },
                     kOneLine)));
  add(out, route("sweep", "One model at many sizes, and the mean over them.",
                 joined({model_parameters(), sweep_sizes(), pass_parameters(),
                         predictor_parameters(), view_parameters(), extra_parameters()}),
                 "predict",
                 use_case(
                     sweep_request,
                     [](const SweepRequest& request, const Services& services) {
                       return sweep(request, services, kWithoutProgress);
                     },
                     kOneLine)));
  Parameter steps{"generate", kInteger, "Decode steps after the prompt's pass.", "100"};
  steps.is_required = true;
  add(out, route("generate", "A whole request to a language model: the prompt and every token.",
                 of_decoder(joined({model_parameters(),
                                    size_parameters(),
                                    pass_parameters(),
                                    {steps},
                                    predictor_parameters(),
                                    total_parameters()})),
                 "generate",
                 use_case(
                     generate_request,
                     [](const GenerateRequest& request, const Services& services) {
                       return generate(request, services, kWithoutProgress);
                     },
                     kOneLine)));
  add(out, compare_route());
  add(out, route("suggest", "What would lower the energy of a pass, each with its ratio.",
                 joined({model_parameters(), size_parameters(), pass_parameters(),
                         predictor_parameters()}),
                 "suggest",
                 use_case(
                     suggest_request,
                     [](const SuggestRequest& request, const Services& services) {
                       return suggest(request, services);
                     },
                     kOneLine)));
  out.push_back(leaderboard_route());
  return out;
}

Routes irene_viz_routes() {
  Route out = route("irene-viz",
                    "The request of IrEne-viz: model_name, batch_size and seq_len. It is answered "
                    "as predict is.",
                    {}, "predict", {});
  for (const Route& known : prediction_routes()) {
    if (known.operation == "predict") out.handle = known.handle;
  }
  out.operation = "irene_viz";
  out.tag = "Prediction";
  out.is_cacheable = true;
  out.parameters = {{"model_name", kText, "The model, as predict's `model`.", "bert-base-uncased"},
                    {"batch_size", kInteger, "As predict's `batch`.", "16"},
                    {"seq_len", kInteger, "As predict's `seq`.", "128"}};
  out.parameters[0].field = "model";
  out.parameters[0].is_required = true;
  out.parameters[1].field = "batch";
  out.parameters[2].field = "seq";
  return {out};
}

}  // namespace wattree
