#include "src/models/families/build_model.h"

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
        check("target length", "target_len", target, 1), check("past", "past", query.past, 0)}) {
    if (!failure.ok()) return failure.error();
  }
  Pass pass;
  pass.batch = query.batch;
  pass.past = query.past;
  pass.source = seq;
  pass.seq = query.past > 0 ? 1 : seq;
  pass.target_len = query.past > 0 ? 1 : target;

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
               "choose one with <dtype>: fp32, tf32, bf16, fp16, int8 or int4");
  }
  pass.precision = *precision;
  pass.keeps_dataflow = query.keeps_dataflow;
  if (!config.ok()) return config.failure().error();
  return pass;
}

}  // namespace

std::string_view name_of(Attention attention) {
  return attention == Attention::kEager ? "eager" : "sdpa";
}

Result<BuiltModel> build_model(const std::string& model, const std::string& config_json,
                               const std::string& origin, const PassShape& query) {
  Result<Config> parsed = Config::parse(config_json, origin);
  if (!parsed.ok()) return parsed.error();
  Config config = std::move(parsed).value();
  for (const auto& [key, value] : query.overrides) {
    Result<Config> changed = config.with(key, value);
    if (!changed.ok()) return changed.error();
    config = std::move(changed).value();
  }
  Status failure;
  ConfigReader reader(config, failure);
  const Result<Pass> pass = pass_of(query, reader);
  if (!pass.ok()) return pass.error();
  Result<BuiltTree> built = build_tree(config, {pass.value(), query.as});
  if (!built.ok()) return built.error();

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
  if (query.keeps_dataflow) {
    answer.config = config_json;
    answer.overrides = query.overrides;
  }
  return answer;
}

}  // namespace wattree
