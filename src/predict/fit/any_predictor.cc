#include "src/predict/fit/any_predictor.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/provenance.h"
#include "src/predict/irene/model_json.h"
#include "src/predict/predictor/predictor_file.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 3> kLevels{"ml", "module", "model"};
constexpr std::int64_t kMostTrees = 1'000'000'000'000;
constexpr double kMostPercent = std::numeric_limits<double>::max();

Result<AnyPredictor> parse_irene(const Json& json, const std::string& kind,
                                 const std::string& origin) {
  Status failure;
  JsonFields fields(json, "", origin, failure);
  IrenePredictor p;
  p.name = fields.text("name", true);
  p.hardware = fields.text("hardware", true);
  p.meter = fields.text("meter", true);
  p.boundary = fields.text("boundary", true);
  if (!parse_boundary(p.boundary)) {
    fields.complain("boundary", "must be gpu, host, wall or facility");
  }
  p.dtypes = fields.texts("dtypes", true);
  JsonFields training = fields.inside("training");
  p.models = training.texts("models", true);
  p.trees = training.whole("trees", 0, kMostTrees, true).value_or(0);
  JsonFields errors = training.inside("errors_percent");
  for (std::size_t l = 0; l < kLevels.size(); ++l) {
    p.errors[l] = errors.number(kLevels[l], 0, kMostPercent);
  }
  const Json* body = fields.object("irene", true);
  if (failure.ok()) {
    Result<IreneModel> model = read_irene(body->dump(), origin + ": irene");
    if (!model.ok()) return model.error();
    p.model = std::move(model).value();
    if (name_of(p.model.options.aggregate) != kind) {
      fields.complain("irene.aggregate", "is not the file's kind, " + kind);
    }
  }
  if (!failure.ok()) return with_predictor_hint(failure.error());
  return AnyPredictor(std::move(p));
}

}  // namespace

std::string to_json(const IrenePredictor& p) {
  JsonWriter json(1);
  begin_predictor(json, name_of(p.model.options.aggregate));
  json.field("name", p.name);
  json.field("hardware", p.hardware);
  json.field("meter", p.meter);
  json.field("boundary", p.boundary);
  json.field("dtypes", p.dtypes);
  json.key("training");
  json.begin_object();
  json.field("models", p.models);
  json.field("trees", p.trees);
  json.key("errors_percent");
  json.begin_object();
  for (std::size_t l = 0; l < kLevels.size(); ++l) {
    json.key(kLevels[l]);
    p.errors[l] ? json.value(*p.errors[l]) : json.null();
  }
  json.end_object();
  json.end_object();
  json.key("irene");
  write_irene(json, p.model);
  json.end_object();
  return json.take() + "\n";
}

Result<AnyPredictor> parse_any_predictor(std::string_view text, const std::string& origin) {
  const Result<PredictorHeader> header = read_predictor_header(text, origin);
  if (!header.ok()) return header.error();
  const std::string& kind = header.value().kind;
  if (kind == "reconciled") {
    Result<Predictor> predictor = parse_predictor(text, origin);
    if (!predictor.ok()) return predictor.error();
    return AnyPredictor(std::move(predictor).value());
  }
  for (const IreneAggregate aggregate : kIreneAggregates) {
    if (name_of(aggregate) != kind) continue;
    const Result<Json> json = parse_json(text, origin);
    if (!json.ok()) return json.error();
    return parse_irene(json.value(), kind, origin);
  }
  return Error{ErrorCode::kUnavailable,
               origin + ": kind is " + in_quotes(kind) + ", which this wattree does not know",
               "update wattree, or train the predictor again with this one"};
}

}  // namespace wattree
