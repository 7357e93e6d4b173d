// Requests from JSON: one object, in which every field is known. The parts that several requests
// have in common are read here, so that they are called the same everywhere.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/api/predict/predict.h"
#include "src/base/json_fields.h"
#include "src/models/tree/view.h"
#include "src/predict/estimate/totals.h"

namespace wattree {

class RequestReader {
 public:
  // `body` must outlive the reader.
  explicit RequestReader(const nlohmann::json& body);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  JsonFields& fields() { return fields_; }

  ModelRef model();                      // model or config, revision, input
  PassShape pass(bool has_size = true);  // batch, seq, target_len, past, dtype, attention, as, set
  PredictorRef predictor();              // on, predictor, execution
  TreeView view();                       // level, depth, fold, features
  ExtrasRequest extras();                // top, by, all
  TotalsRequest totals();                // queries, passes_per_query, price, region, …
  std::optional<double> limit();         // fail_above: "3%" is 0.03
  // A number, a list of them, or a text as parse_sizes() takes it; empty where it is absent.
  std::vector<std::int64_t> sizes(std::string_view name);

  // "yes" or "no", or true or false, as addresses and bodies have it.
  bool yes_or_no(std::string_view name, bool otherwise);

  // The request, or what is wrong with it; last, because what nobody has asked for is wrong, too.
  template <class Request>
  Result<Request> take(Request request) {
    fields_.finish();
    if (!failure_.ok()) return failure_.error();
    return request;
  }

 private:
  Status failure_;
  JsonFields fields_;
};

}  // namespace wattree
