#include "src/learn/any_predictor.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/in_quotes.h"
#include "src/base/json_parse.h"
#include "src/base/provenance.h"
#include "src/irene/model_json.h"
#include "src/predict/predictor_file.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 3> kLevels{"ml", "module", "model"};

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

// Fields of one object; the first thing that is wrong is kept.
struct Reader {
  const std::string& origin;
  Failure failure;

  void fail(const std::string& field, const std::string& what) {
    if (failure) return;
    failure = Error{ErrorCode::kInvalidInput, origin + ": " + field + " " + what,
                    "write predictors with wattree train; docs/schemas/predictor.schema.json "
                    "describes the file"};
  }
  const Json& at(const Json& object, const std::string& field) {
    static const Json kNull;
    const auto it = object.find(field);
    if (it != object.end()) return *it;
    fail(field, "is missing");
    return kNull;
  }
  std::string text(const Json& object, const std::string& field) {
    const Json& value = at(object, field);
    if (value.is_string()) return value.get<std::string>();
    fail(field, "must be text");
    return {};
  }
  std::vector<std::string> texts(const Json& object, const std::string& field) {
    std::vector<std::string> out;
    const Json& value = at(object, field);
    if (!value.is_array()) fail(field, "must be an array");
    for (const Json& item : value.is_array() ? value : Json::array()) {
      if (item.is_string()) {
        out.push_back(item.get<std::string>());
      } else {
        fail(field, "must hold only text");
      }
    }
    return out;
  }
};

Result<AnyPredictor> parse_irene(const Json& json, const std::string& kind,
                                 const std::string& origin) {
  Reader reader{origin, {}};
  IrenePredictor p;
  p.name = reader.text(json, "name");
  p.hardware = reader.text(json, "hardware");
  p.meter = reader.text(json, "meter");
  p.boundary = reader.text(json, "boundary");
  if (!parse_boundary(p.boundary)) reader.fail("boundary", "must be gpu, host, wall or facility");
  p.dtypes = reader.texts(json, "dtypes");
  const Json& training = reader.at(json, "training");
  if (!training.is_object()) reader.fail("training", "must be an object");
  if (reader.failure) return *reader.failure;
  p.models = reader.texts(training, "models");
  const Json& trees = reader.at(training, "trees");
  if (!trees.is_number_integer() || trees.get<std::int64_t>() < 0) {
    reader.fail("training.trees", "must be a count");
  } else {
    p.trees = trees.get<std::int64_t>();
  }
  const Json& errors = reader.at(training, "errors_percent");
  for (std::size_t l = 0; l < kLevels.size() && errors.is_object(); ++l) {
    const auto it = errors.find(kLevels[l]);
    if (it == errors.end() || it->is_null()) continue;
    if (!it->is_number() || !std::isfinite(it->get<double>()) || it->get<double>() < 0) {
      reader.fail(std::string("training.errors_percent.") + kLevels[l], "must be a percentage");
    } else {
      p.errors[l] = it->get<double>();
    }
  }
  const Json& body = reader.at(json, "irene");
  if (reader.failure) return *reader.failure;
  Result<IreneModel> model = read_irene(body.dump(), origin + ": irene");
  if (!model.ok()) return model.error();
  p.model = std::move(model).value();
  if (name_of(p.model.options.aggregate) != kind) {
    reader.fail("irene.aggregate", "is not the file's kind, " + kind);
    return *reader.failure;
  }
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
  write_texts(json, "dtypes", p.dtypes);
  json.key("training");
  json.begin_object();
  write_texts(json, "models", p.models);
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
