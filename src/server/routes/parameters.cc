#include "src/server/routes/parameters.h"

#include <iterator>

namespace wattree {

using enum ParameterType;

Parameter choice(std::string name, std::string description, std::vector<std::string> values) {
  Parameter out{std::move(name), kText, std::move(description)};
  out.example = values.front();
  out.values = std::move(values);
  return out;
}

Parameters model_parameters() {
  return {
      {"model", kText,
       "The model: a bundled name, or org/name as on the Hugging Face Hub. With a config in the "
       "body it is only what the answer calls it.",
       "bert-base-uncased"},
      {"revision", kText, "Branch, tag or commit on the Hub.", "main"}};
}

Parameters size_parameters() {
  return {{"batch", kInteger, "Items in one pass; 1 where absent.", "16"},
          {"seq", kInteger, "Tokens of each item's text; 128 where absent.", "128"}};
}

Parameters pass_parameters() {
  return {
      {"target_len", kInteger, "Tokens of an encoder-decoder's target; seq where absent.", "32"},
      {"past", kInteger, "Cached tokens: one decode step after so many.", "512"},
      choice("dtype", "Precision; the config's where absent.",
             {"fp32", "tf32", "bf16", "fp16", "int8", "int4"}),
      choice("attention", "How attention is computed; sdpa where absent.", {"sdpa", "eager"}),
      {"as", kText, "The framework's class, in place of the config's; base: without a head.",
       "BertForMaskedLM"},
      {"set", kTextsOrObject, "A field of the config and its value instead, as key=value.",
       "num_hidden_layers=6"}};
}

Parameters predictor_parameters() {
  return {{"on", kText,
           "Hardware or predictor by name; this machine's, or else h200, where absent.", "h200"},
          choice("execution", "How kernels are started; graph where absent.", {"graph", "eager"})};
}

Parameters view_parameters() {
  return {
      choice("level", "The finest level of nodes shown; math where absent.",
             {"model", "module", "ml", "math"}),
      {"depth", kInteger, "Levels below the root that are shown; all where absent.", "2"},
      choice("fold", "Whether layers that are alike are one node with a count; yes where absent.",
             {"no", "yes"}),
      choice("features", "Whether nodes have their features and roles; yes where absent.",
             {"no", "yes"})};
}

Parameters extra_parameters() {
  return {{"top", kInteger, "So many nodes with the most energy of their own, too.", "10"},
          choice("by", "Breaks the energy down, too.", {"type", "module", "op"}),
          {"all", kBoolean, "Every layer by itself among the top, also where layers are alike.",
           "true"}};
}

Parameters total_parameters() {
  return {{"queries", kNumber, "Queries that the totals are for.", "1000000"},
          {"passes_per_query", kNumber, "Passes that one query takes.", "1"},
          {"price", kNumber, "USD per kWh.", "0.15"},
          {"host_watts", kNumber, "Power of the machine around the GPU, for the totals.", "300"},
          {"region", kText, "A code or name of /api/v1/regions, for carbon.", "US-GA"},
          {"intensity", kText, "Carbon of a unit of energy, in place of a region's.", "400g/kWh"},
          {"pue", kNumberOrText, "Power usage effectiveness: a number of 1 or more, or average.",
           "1.2"}};
}

Parameters setting_parameters() {
  return {{"region", kText, "A code or name of /api/v1/regions.", "US-GA"},
          {"intensity", kText, "Carbon of a unit of energy, in place of a region's.", "400g/kWh"},
          {"pue", kNumberOrText, "Power usage effectiveness: a number of 1 or more, or average.",
           "1.2"},
          {"price", kNumber, "USD per kWh.", "0.15"}};
}

Parameters joined(std::initializer_list<Parameters> parts) {
  Parameters out;
  for (const Parameters& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Parameters in_body(Parameters parameters) {
  for (Parameter& parameter : parameters) {
    if (parameter.place == ParameterPlace::kQuery) parameter.place = ParameterPlace::kBody;
  }
  return parameters;
}

}  // namespace wattree
