#include "src/models/families/build_model.h"

#include <algorithm>
#include <set>

#include "src/base/text.h"
#include "src/models/families/config_notes.h"

namespace wattree {
namespace {

constexpr std::int64_t kMaxTokens = std::int64_t{1} << 32;

Error bad(std::string_view field, std::string message, std::string hint = "") {
  return {ErrorCode::kInvalidInput, std::move(message), std::move(hint), std::string(field)};
}

Status check(std::string_view what, std::string_view field, std::int64_t value,
             std::int64_t least) {
  if (value >= least && value <= kMaxTokens) return {};
  return bad(field, std::string(what) + " (<" + std::string(field) + ">) is " +
                        std::to_string(value) + "; it must be between " + std::to_string(least) +
                        " and " + std::to_string(kMaxTokens));
}

Result<Pass> pass_of(const PassShape& query, ConfigReader& config) {
  const Family* family = find_family(config.text({"model_type"}, ""));
  const std::int64_t seq = query.seq.value_or(family != nullptr ? family->default_seq : 1);
  const std::int64_t target = query.target_len.value_or(seq);
  for (const Status& failure :
       {check("batch size", "batch", query.batch, 1), check("sequence length", "seq", seq, 1),
        check("target length", "target_len", target, 1)}) {
    if (!failure.ok()) return failure.error();
  }
  if (query.past == 0) {
    return bad("past", "<past> is 0, and a decode step needs a cache",
               "leave <past> out for a full pass; <seq> 1 is the first token's");
  }
  if (const Status failure = check("past", "past", query.past.value_or(1), 1); !failure.ok())
    return failure.error();
  Pass pass;
  pass.batch = query.batch;
  pass.past = query.past.value_or(0);
  pass.source = seq;
  pass.seq = query.past ? 1 : seq;
  pass.target_len = query.past ? 1 : target;
  pass.logits_to_keep = query.logits_to_keep;

  const std::string attention = query.attention.empty() ? "sdpa" : query.attention;
  if (attention != "sdpa" && attention != "eager") {
    return bad("attention", "attention \"" + attention + "\" is not known", "choose sdpa or eager");
  }
  pass.attention = attention == "eager" ? Attention::kEager : Attention::kSdpa;

  std::string dtype = query.dtype;
  if (dtype.empty()) dtype = config.optional_text({"dtype", "torch_dtype"}).value_or("fp32");
  const std::optional<Precision> precision = parse_precision(dtype);
  if (!precision) {
    return bad("dtype", "dtype \"" + dtype + "\" is not known",
               "choose one with <dtype>: fp32, bf16, fp16 or tf32; `wattree tree` also counts the "
               "bytes of int8 and int4 weights");
  }
  pass.precision = *precision;
  pass.keeps_dataflow = query.keeps_dataflow;
  if (query.budget) pass.max_nodes = std::min(pass.max_nodes, query.budget->nodes_of_tree());
  if (!config.ok()) return config.failure().error();
  return pass;
}

// A field that nothing reads and that the config does not have was meant to be another one.
Status check_overrides(const Config& given, const Config& changed, const PassShape& query,
                       const Pass& pass) {
  if (query.overrides.empty() || !query.checks_overrides) return {};
  std::set<std::string> known = given.fields();
  const auto is_known = [&](const auto& set) { return known.contains(set.first); };
  const auto& sets = query.overrides;
  if (std::all_of(sets.begin(), sets.end(), is_known)) return {};
  known.merge(fields_read(changed, pass));
  known.insert({"architectures", "dtype", "torch_dtype", "quantization_config"});
  const auto unknown = std::find_if_not(sets.begin(), sets.end(), is_known);
  if (unknown == sets.end()) return {};
  const std::vector<std::string> near = nearest(unknown->first, {known.begin(), known.end()});
  return bad("set",
             "<set> " + unknown->first + ": " + given.origin() +
                 " has no such field, and no class of its family reads it",
             near.empty() ? "" : "did you mean " + join(near, " or ") + "?");
}

// A field of the config is wrong: who overrode it asked for that, and not the model.
Error blamed(Error error, const PassShape& query) {
  const auto is_wrong = [&](const auto& set) {
    const std::string field = "config." + set.first;
    return error.field == field || error.field.starts_with(field + ".");
  };
  const auto& sets = query.overrides;
  const bool is_too_large = error.field == "config" && !sets.empty();
  if (is_too_large || std::any_of(sets.begin(), sets.end(), is_wrong)) error.field = "set";
  return error;
}

}  // namespace

std::string_view name_of(Attention attention) {
  return attention == Attention::kEager ? "eager" : "sdpa";
}

Result<BuiltModel> build_model(const std::string& model, const std::string& config_json,
                               const std::string& origin, const PassShape& query) {
  if (query.budget) {
    if (const Status over = query.budget->status(); !over.ok()) return over.error();
  }
  Result<Config> parsed = Config::parse(config_json, origin);
  if (!parsed.ok()) return parsed.error();
  const Config given = std::move(parsed).value();
  Config config = given;
  for (const auto& [key, value] : query.overrides) {
    Result<Config> changed = config.with(key, value);
    if (!changed.ok()) return changed.error();
    config = std::move(changed).value();
  }
  Status failure;
  ConfigReader reader(config, failure);
  const Result<Pass> pass = pass_of(query, reader);
  if (!pass.ok()) return blamed(pass.error(), query);
  if (const Status failed = check_overrides(given, config, query, pass.value()); !failed.ok())
    return failed.error();
  Result<BuiltTree> built = build_tree(config, {pass.value(), query.as});
  if (!built.ok()) return blamed(built.error(), query);

  BuiltModel answer;
  BuiltTree whole = std::move(built).value();
  answer.model = model;
  answer.model_type = reader.text({"model_type"}, "");
  answer.class_name = whole.class_name;
  answer.pass = pass.value();
  answer.pass.attention = whole.attention;
  answer.is_encoder_decoder = whole.is_encoder_decoder;
  answer.has_text_source = whole.has_text_source;
  answer.tree = std::move(whole.tree);
  if (query.budget) query.budget->spend(answer.tree.nodes().size());
  answer.notes = notes_of(answer, reader, query);
  if (query.keeps_dataflow) {
    answer.config = config_json;
    answer.overrides = query.overrides;
  }
  return answer;
}

}  // namespace wattree
