#include "src/api/predict/compare_pair.h"

#include <nlohmann/json.hpp>

#include "src/api/model/tree_text.h"
#include "src/api/predict/estimate_text.h"
#include "src/api/predict/predicted_model.h"
#include "src/api/predict/request_reader.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOverride = "b.";

// The fields of one side, as any prediction has them.
Json fields_of(const Json& body, const char* model, bool overrides) {
  Json out = Json::object();
  for (const auto& [key, value] : body.items()) {
    if (key != "a" && key != "b" && !key.starts_with(kOverride)) out[key] = value;
  }
  const Json& named = body.at(model);
  out[named.is_object() ? "config" : "model"] = named;
  if (!overrides) return out;
  for (const auto& [key, value] : body.items()) {
    if (key.starts_with(kOverride)) out[key.substr(kOverride.size())] = value;
  }
  return out;
}

Result<ComparePairRequest::Side> read_side(const Json& fields) {
  RequestReader reader(fields);
  ComparePairRequest::Side side;
  side.model = reader.model();
  side.pass = reader.pass();
  side.predictor = reader.predictor();
  return reader.take(std::move(side));
}

// A side's model is its field, whether it is named or given as a config.
Error of_side(const std::string& side, Error error) {
  constexpr std::string_view kConfig = "config";
  if (error.field == "model" || error.field == kConfig) {
    error.field = side;
  } else if (error.field.starts_with("config.")) {
    error.field.replace(0, kConfig.size(), side);
  }
  return error;
}

// A field that only the other side has.
Error of_second(Error error, const Json& body) {
  const std::string prefixed = std::string(kOverride) + error.field;
  if (body.contains(prefixed)) {
    error.field = prefixed;
    return error;
  }
  return of_side("b", std::move(error));
}

Result<Prediction> predict_side(const ComparePairRequest::Side& side, const Services& services,
                                std::vector<std::string>& notes) {
  Result<PredictedModel> predicted = predict_model(side.model, side.pass, side.predictor, services);
  if (!predicted.ok()) return predicted.error();
  PredictedModel model = std::move(predicted).value();
  for (const std::string& note : model.notes) notes.push_back(name_of(side.model) + ": " + note);
  return std::move(model.prediction);
}

void write_side(JsonWriter& out, const Prediction& prediction, const PassEstimate& unit) {
  const BuiltModel& built = prediction.built;
  out.begin_object();
  write_subject(out, built);
  write_pass(out, built);
  write_precision(out, built);
  write_predictor(out, prediction.by);
  write_counts(out, built.tree.root());
  write_fields(out, prediction.root(), prediction.has_times());
  write_per_unit(out, prediction.root(), built.pass.batch, tokens_per_item(built));
  out.field("compared_j", unit.energy.value);
  out.key("memory");
  write_json(out, prediction.memory);
  out.key("basis");
  write_json(out, prediction.by.provenance());
  write_roles(out, role_shares(built.tree, prediction.nodes));
  out.end_object();
}

void write_ratio(JsonWriter& out, const EnergyRatio& ratio) {
  out.field("ratio", ratio.value);
  out.field("ratio_low", ratio.low);
  out.field("ratio_high", ratio.high);
}

void write_part(JsonWriter& out, const AlignedPart& part, AlignBy by) {
  out.begin_object();
  out.field(by == AlignBy::kScope ? "scope" : "role", part.name);
  if (by == AlignBy::kScope) out.field("type", part.type);
  for (const auto& [name, side] : {std::pair("a", &part.first), std::pair("b", &part.second)}) {
    out.key(name);
    if (!(side->energy > Joules())) {
      out.null();
      continue;
    }
    out.begin_object();
    write_fields(out, *side, side->time > Seconds());
    out.end_object();
  }
  out.field("difference_j", part.difference.value);
  out.field("share_of_difference", part.share);
  if (part.ratio) write_ratio(out, *part.ratio);
  out.end_object();
}

}  // namespace

Result<ComparePairRequest> compare_pair_request(const Json& body) {
  if (!body.is_object() || !body.contains("a") || body.at("a").is_null()) {
    return Error{ErrorCode::kInvalidInput, "the request: field \"a\" is missing",
                 "name the first model", "a"};
  }
  for (const char* name : {"a", "b"}) {
    if (body.contains(name) && !body.at(name).is_string() && !body.at(name).is_object()) {
      return Error{ErrorCode::kInvalidInput,
                   "the request: field \"" + std::string(name) + "\" must be a name or a config",
                   "", name};
    }
  }
  const Result<ComparePairRequest::Side> first = read_side(fields_of(body, "a", false));
  if (!first.ok()) return of_side("a", first.error());
  const bool has_second = body.contains("b");
  const Result<ComparePairRequest::Side> second =
      read_side(fields_of(body, has_second ? "b" : "a", true));
  if (!second.ok()) return of_second(second.error(), body);
  return ComparePairRequest{first.value(), second.value()};
}

Result<ComparePairAnswer> compare_pair(const ComparePairRequest& request,
                                       const Services& services) {
  std::vector<std::string> notes;
  Result<Prediction> first = predict_side(request.first, services, notes);
  if (!first.ok()) return of_side("a", first.error());
  Result<Prediction> second = predict_side(request.second, services, notes);
  if (!second.ok()) return of_side("b", second.error());
  Result<Alignment> aligned = align(first.value(), second.value());
  if (!aligned.ok()) return aligned.error();
  return ComparePairAnswer{std::move(first).value(), std::move(second).value(),
                           std::move(aligned).value(), std::move(notes)};
}

std::string to_json(const ComparePairAnswer& answer, int indent) {
  const Alignment& alignment = answer.alignment;
  JsonWriter out(indent);
  out.begin_object();
  out.field("headline", alignment.headline);
  out.field("per", alignment.per == AlignPer::kItem ? "item" : "pass");
  out.field("aligned_by", alignment.by == AlignBy::kScope ? "scope" : "role");
  write_ratio(out, alignment.ratio);
  out.field("difference_j", alignment.second.energy.value - alignment.first.energy.value);
  out.key("a");
  write_side(out, answer.first, alignment.first);
  out.key("b");
  write_side(out, answer.second, alignment.second);
  out.key("parts");
  out.begin_array();
  for (const AlignedPart& part : alignment.parts) write_part(out, part, alignment.by);
  out.end_array();
  out.field("notes", answer.notes);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
