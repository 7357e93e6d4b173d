#include "src/api/predict/request_reader.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "src/api/model/read_pass.h"
#include "src/api/model/request_texts.h"
#include "src/api/model/sizes.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostTokens = std::int64_t{1} << 32;
constexpr std::int64_t kMostNodes = 1'000'000;
constexpr double kMostWatts = 1e9;
constexpr double kMost = 1e18;

}  // namespace

RequestReader::RequestReader(const Json& body) : fields_(body, "", "the request", failure_) {}

ModelRef RequestReader::model() {
  ModelRef model;
  if (const Json* config = fields_.object("config")) model.config = config->dump();
  model.name = fields_.text("model", model.config.empty());
  model.revision = fields_.text("revision");
  model.inputs = fields_.texts("input");
  return model;
}

PassShape RequestReader::pass(bool has_size) { return read_pass(fields_, has_size); }

PredictorRef RequestReader::predictor() {
  PredictorRef ref;
  ref.on = fields_.text("on");
  ref.file = fields_.text("predictor");
  ref.execution = fields_.text("execution");
  if (!ref.on.empty() && !ref.file.empty()) {
    fields_.complain("on", "and \"predictor\" exclude each other");
  }
  return ref;
}

TreeView RequestReader::view() {
  const std::string level = fields_.text("level");
  const auto depth = fields_.whole("depth", 0, std::numeric_limits<int>::max());
  Result<TreeView> parsed =
      parse_view(level, depth ? std::optional(static_cast<int>(*depth)) : std::nullopt);
  if (!parsed.ok()) fields_.fail(parsed.error());
  TreeView view = parsed.ok() ? std::move(parsed).value() : TreeView{};
  view.folds = yes_or_no("fold", true);
  view.details = yes_or_no("features", true);
  return view;
}

bool RequestReader::yes_or_no(std::string_view name, bool otherwise) {
  const Json* value = fields_.any(name);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) return fields_.flag(name);
  const std::string text = fields_.text(name);
  if (text == "yes" || text == "true") return true;
  if (text != "no" && text != "false") fields_.complain(name, "must be yes or no");
  return false;
}

ExtrasRequest RequestReader::extras() {
  ExtrasRequest extras;
  extras.top = static_cast<std::size_t>(fields_.whole("top", 0, kMostNodes).value_or(0));
  if (const std::string by = fields_.text("by"); !by.empty()) {
    extras.by = parse_breakdown(by);
    if (!extras.by) fields_.complain("by", "must be type, module or op, not \"" + by + "\"");
  }
  extras.all = fields_.flag("all");
  return extras;
}

TotalsRequest RequestReader::totals() {
  TotalsRequest totals;
  totals.queries = fields_.number("queries", 1, kMost).value_or(totals.queries);
  totals.passes_per_query =
      fields_.number("passes_per_query", 0, kMost).value_or(totals.passes_per_query);
  totals.usd_per_kwh = fields_.number("price", 0, kMost);
  totals.host_watts = fields_.number("host_watts", 0, kMostWatts);
  totals.region = fields_.text("region");
  totals.intensity = fields_.text("intensity");
  const Json* pue = fields_.any("pue");
  if (pue != nullptr && pue->is_number()) {
    totals.pue = Json(fields_.number("pue", 1, kMost).value_or(1)).dump();
  } else if (const std::string text = fields_.text("pue"); !text.empty()) {
    totals.pue = text;
  }
  return totals;
}

std::optional<double> RequestReader::limit() {
  const std::string text = fields_.text("fail_above");
  if (text.empty()) return std::nullopt;
  const Result<double> limit = parse_limit(text);
  if (limit.ok()) return limit.value();
  fields_.fail(limit.error());
  return std::nullopt;
}

std::vector<std::int64_t> RequestReader::sizes(std::string_view name) {
  const Json* value = fields_.any(name);
  if (value != nullptr && value->is_string()) {
    Result<std::vector<std::int64_t>> parsed = parse_sizes(name, fields_.text(name));
    if (parsed.ok()) return std::move(parsed).value();
    fields_.fail(parsed.error());
    return {};
  }
  if (value != nullptr && value->is_array()) {
    std::vector<std::int64_t> out;
    for (const double number : fields_.numbers(name, 1, static_cast<double>(kMostTokens))) {
      out.push_back(static_cast<std::int64_t>(number));
      if (static_cast<double>(out.back()) != number) {
        fields_.complain(name, "must be a list of whole numbers");
      }
    }
    return out;
  }
  const auto one = fields_.whole(name, 1, kMostTokens);
  return one ? std::vector{*one} : std::vector<std::int64_t>{};
}

}  // namespace wattree
