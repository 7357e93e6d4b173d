#include "src/predict/irene/model_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/predict/regress/polynomial.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

// One object for each feature, so that the file can be read: what it is scaled by, and its weight.
void write_terms(JsonWriter& json, std::span<const std::string_view> names,
                 const StandardScaler& scaler, const std::vector<double>* weights) {
  json.begin_array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    json.begin_object();
    json.field("feature", names[i]);
    json.field("mean", scaler.mean[i]);
    json.field("scale", scaler.scale[i]);
    if (weights != nullptr) json.field("weight_j", (*weights)[i]);
    json.end_object();
  }
  json.end_array();
}

// Reads fields out of a document and keeps the first error.
class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  const Status& failure() const { return failure_; }
  void fail(const std::string& where, const std::string& what) {
    if (failure_.ok()) {
      failure_ = Error{ErrorCode::kInvalidInput, std::string(origin_) + ": " + where + " " + what,
                       "The file was changed or is not a model that wattree wrote. Train it anew."};
    }
  }

  // The field, of the kind that `is` says; null where it is not there.
  const Json& get(const Json& object, const std::string& where, const char* name,
                  bool (Json::*is)() const noexcept, const char* kind) {
    static const Json kNull;
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (found == object.end()) {
      fail(where + name, "is missing");
      return kNull;
    }
    if (!((*found).*is)()) {
      fail(where + name, std::string("must be ") + kind);
      return kNull;
    }
    return *found;
  }

  const Json& array(const Json& object, const std::string& where, const char* name) {
    return get(object, where, name, &Json::is_array, "an array");
  }
  const Json& object(const Json& parent, const std::string& where, const char* name) {
    return get(parent, where, name, &Json::is_object, "an object");
  }
  double number(const Json& object, const std::string& where, const char* name) {
    const Json& value = get(object, where, name, &Json::is_number, "a number");
    return value.is_null() ? 0 : finite(value, where + name);
  }
  double positive(const Json& object, const std::string& where, const char* name) {
    const double value = number(object, where, name);
    if (!(value > 0)) fail(where + name, "must be above 0");
    return value;
  }
  std::int64_t integer(const Json& object, const std::string& where, const char* name) {
    const Json& value = get(object, where, name, &Json::is_number_integer, "a whole number");
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
      fail(where + name, "is too large");
    }
    return value.is_null() ? 0 : value.get<std::int64_t>();
  }
  std::string text(const Json& object, const std::string& where, const char* name) {
    const Json& value = get(object, where, name, &Json::is_string, "a text");
    return value.is_null() ? "" : value.get<std::string>();
  }
  double finite(const Json& value, const std::string& where) {
    const double number = value.get<double>();
    if (!std::isfinite(number)) fail(where, "must be finite");
    return number;
  }
  // A text that names one of `choices`.
  template <class Choice, std::size_t n>
  Choice choice(const Json& object, const char* name, const Choice (&choices)[n]) {
    const std::string value = text(object, "", name);
    std::string known;
    for (const Choice candidate : choices) {
      if (name_of(candidate) == value) return candidate;
      known += (known.empty() ? "" : ", ") + std::string(name_of(candidate));
    }
    fail(name, "must be one of: " + known);
    return choices[0];
  }
  void only(const Json& object, const std::string& where,
            std::initializer_list<std::string_view> names) {
    for (const auto& item : object.items()) {
      if (std::find(names.begin(), names.end(), item.key()) == names.end()) {
        fail(where + item.key(), "is no field of this format");
      }
    }
  }

 private:
  std::string_view origin_;
  Status failure_;
};

void read_terms(Reader& reader, const Json& terms, const std::string& where,
                std::span<const std::string_view> names, StandardScaler& scaler,
                std::vector<double>* weights) {
  if (terms.size() != names.size()) {
    return reader.fail(where, "must have " + std::to_string(names.size()) + " elements");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string at = where + "[" + std::to_string(i) + "].";
    const Json& term = terms[i];
    if (reader.text(term, at, "feature") != names[i]) {
      reader.fail(at + "feature", "must be " + std::string(names[i]));
    }
    scaler.mean.push_back(reader.number(term, at, "mean"));
    scaler.scale.push_back(reader.positive(term, at, "scale"));
    if (weights != nullptr) {
      weights->push_back(reader.number(term, at, "weight_j"));
      reader.only(term, at, {"feature", "mean", "scale", "weight_j"});
    } else {
      reader.only(term, at, {"feature", "mean", "scale"});
    }
    if (!reader.failure().ok()) return;
  }
}

IreneOptions read_options(Reader& reader, const Json& document) {
  IreneOptions out;
  out.aggregate = reader.choice(document, "aggregate", kIreneAggregates);
  out.features = reader.choice(document, "features", kIreneFeatureSets);
  out.tau = reader.positive(document, "", "tau");
  out.epochs = reader.integer(document, "", "epochs");
  out.learning_rate = reader.positive(document, "", "learning_rate");
  out.seed = reader.integer(document, "", "seed");
  return out;
}

void read_leaves(Reader& reader, const Json& document, IreneModel& model) {
  const Json& leaves = reader.array(document, "", "leaves");
  if (leaves.empty()) return reader.fail("leaves", "must not be empty");
  for (std::size_t i = 0; i < leaves.size() && reader.failure().ok(); ++i) {
    const std::string at = "leaves[" + std::to_string(i) + "].";
    LeafRegressor leaf;
    const std::string type = reader.text(leaves[i], at, "type");
    leaf.rows = reader.integer(leaves[i], at, "rows");
    leaf.linear.intercept = reader.number(leaves[i], at, "intercept_j");
    const Json& terms = reader.array(leaves[i], at, "terms");
    if (!reader.failure().ok()) return;
    reader.only(leaves[i], at, {"type", "rows", "intercept_j", "terms"});
    read_terms(reader, terms, at + "terms", feature_names(model.options.features), leaf.scaler,
               &leaf.linear.weights);
    if (!model.leaves.emplace(type, std::move(leaf)).second) {
      reader.fail(at + "type", "comes twice: " + type);
    }
  }
}

void read_inner(Reader& reader, const Json& document, IreneModel& model) {
  const Json& inner = reader.object(document, "", "inner");
  const Json& scaling = reader.array(inner, "inner.", "scaling");
  const Json& weights = reader.array(inner, "inner.", "weights");
  model.inner.linear.intercept = reader.number(inner, "inner.", "intercept");
  if (!reader.failure().ok()) return;
  reader.only(inner, "inner.", {"scaling", "weights", "intercept"});
  const auto names = feature_names(model.options.features);
  read_terms(reader, scaling, "inner.scaling", names, model.inner.scaler, nullptr);
  const std::size_t size = polynomial_size(names.size(), kIreneDegree);
  if (weights.size() != size) {
    return reader.fail("inner.weights", "must have " + std::to_string(size) + " elements");
  }
  for (std::size_t i = 0; i < size; ++i) {
    const std::string at = "inner.weights[" + std::to_string(i) + "]";
    if (!weights[i].is_number()) return reader.fail(at, "must be a number");
    model.inner.linear.weights.push_back(reader.finite(weights[i], at));
  }
}

}  // namespace

void write_irene(JsonWriter& json, const IreneModel& model) {
  const auto names = feature_names(model.options.features);
  json.begin_object();
  json.field("aggregate", name_of(model.options.aggregate));
  json.field("features", name_of(model.options.features));
  json.field("tau", model.options.tau);
  json.field("epochs", model.options.epochs);
  json.field("learning_rate", model.options.learning_rate);
  json.field("seed", model.options.seed);
  json.key("leaves");
  json.begin_array();
  for (const auto& [type, leaf] : model.leaves) {
    json.begin_object();
    json.field("type", std::string_view(type));
    json.field("rows", leaf.rows);
    json.field("intercept_j", leaf.linear.intercept);
    json.key("terms");
    write_terms(json, names, leaf.scaler, &leaf.linear.weights);
    json.end_object();
  }
  json.end_array();
  if (model.options.aggregate != IreneAggregate::kSum) {
    json.key("inner");
    json.begin_object();
    json.key("scaling");
    write_terms(json, names, model.inner.scaler, nullptr);
    json.field("intercept", model.inner.linear.intercept);
    json.key("weights");
    json.begin_array();
    for (const double weight : model.inner.linear.weights) json.value(weight);
    json.end_array();
    json.end_object();
  }
  json.end_object();
}

Result<IreneModel> read_irene(std::string_view text, std::string_view origin) {
  Reader reader(origin);
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) {
    reader.fail("the text", "is not a JSON object");
    return reader.failure().error();
  }
  IreneModel out;
  out.options = read_options(reader, document);
  if (reader.failure().ok()) read_leaves(reader, document, out);
  const bool sums = out.options.aggregate == IreneAggregate::kSum;
  if (reader.failure().ok() && !sums) read_inner(reader, document, out);
  if (sums && document.contains("inner")) reader.fail("inner", "is of no use to a sum");
  reader.only(
      document, "",
      {"aggregate", "features", "tau", "epochs", "learning_rate", "seed", "leaves", "inner"});
  if (!reader.failure().ok()) return reader.failure().error();
  return out;
}

}  // namespace wattree
