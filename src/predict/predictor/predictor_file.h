// A predictor as one readable, versioned JSON file (docs/schemas/predictor.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "src/base/json_writer.h"
#include "src/base/result.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

inline constexpr std::string_view kPredictorFormat = "wattree-predictor";
inline constexpr std::int64_t kPredictorVersion = 1;

// What any predictor file says first: its format and version were checked.
struct PredictorHeader {
  std::string kind;  // "reconciled", or how IrEne's method aggregates: "end2end", …
};
Result<PredictorHeader> read_predictor_header(std::string_view text, const std::string& origin);
// Opens the object and writes those fields; the caller writes the rest and closes it.
void begin_predictor(JsonWriter& json, std::string_view kind);

// What to do about a file with this error, where the error does not say it.
Error with_predictor_hint(Error error);

std::string to_json(const Predictor& predictor);
// Refuses a newer version, another kind, a field that is missing or of a wrong type, and numbers
// that are not finite or make no sense; every message names `origin` and the field.
Result<Predictor> parse_predictor(std::string_view text, const std::string& origin);

}  // namespace wattree
