#include "src/api/tree.h"

#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::int64_t kMaxTokens = std::int64_t{1} << 32;

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kInvalidInput, std::move(message), std::move(hint)};
}

Failure check(std::string_view what, std::int64_t value, std::int64_t least) {
  if (value >= least && value <= kMaxTokens) return std::nullopt;
  return bad(std::string(what) + " is " + std::to_string(value) + "; it must be between " +
             std::to_string(least) + " and " + std::to_string(kMaxTokens));
}

Result<Pass> pass_of(const TreeQuery& query, const Config& config) {
  const Family* family = find_family(config.text({"model_type"}, ""));
  const std::int64_t seq = query.seq.value_or(family != nullptr ? family->default_seq : 1);
  const std::int64_t target = query.target_len.value_or(seq);
  for (const Failure& failure :
       {check("batch size (-b)", query.batch, 1), check("sequence length (-s)", seq, 1),
        check("target length (--target-len)", target, 1), check("past (--past)", query.past, 0)}) {
    if (failure) return *failure;
  }
  Pass pass;
  pass.batch = query.batch;
  pass.past = query.past;
  pass.source = seq;
  pass.seq = query.past > 0 ? 1 : seq;
  pass.target_len = query.past > 0 ? 1 : target;

  const std::string attention = query.attention.empty() ? "sdpa" : query.attention;
  if (attention != "sdpa" && attention != "eager") {
    return bad("attention \"" + attention + "\" is not known", "choose sdpa or eager");
  }
  pass.attention = attention == "eager" ? Attention::kEager : Attention::kSdpa;

  std::string dtype = query.dtype;
  if (dtype.empty()) dtype = config.optional_text({"dtype", "torch_dtype"}).value_or("fp32");
  const std::optional<Precision> precision = parse_precision(dtype);
  if (!precision) {
    return bad("dtype \"" + dtype + "\" is not known",
               "choose one with --dtype: fp32, tf32, bf16, fp16, int8 or int4");
  }
  pass.precision = *precision;
  return pass;
}

void write_node(const ModelTree& tree, std::int32_t index, int depth, const TreeView& view,
                JsonWriter& out) {
  const Node& node = tree.nodes()[static_cast<std::size_t>(index)];
  out.begin_object();
  out.field("scope", node.scope);
  if (node.run >= 0) out.field("run", std::int64_t{node.run});
  out.field("type", node.type);
  out.field("level", name_of(node.level));
  out.key("shape");
  out.begin_array();
  for (const std::int64_t n : node.shape) out.value(n);
  out.end_array();
  out.field("params", node.params);
  out.field("flops", node.flops);
  out.field("matmul_flops", node.matmul_flops);
  out.field("bytes", node.bytes);
  out.key("children");
  out.begin_array();
  std::vector<std::int32_t> children;
  tree.children(index, children);
  for (const std::int32_t child : children) {
    if (view.shows(tree.nodes()[static_cast<std::size_t>(child)], depth + 1)) {
      write_node(tree, child, depth + 1, view, out);
    }
  }
  out.end_array();
  out.end_object();
}

// Quoted where CSV needs it.
void append_csv(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string_view name_of(Attention attention) {
  return attention == Attention::kEager ? "eager" : "sdpa";
}

Result<TreeAnswer> tree_of(const std::string& model, const std::string& config_json,
                           const std::string& origin, const TreeQuery& query) {
  Result<Config> parsed = Config::parse(config_json, origin);
  if (!parsed.ok()) return parsed.error();
  Config config = std::move(parsed).value();
  for (const auto& [key, value] : query.overrides) {
    if (Failure failure = config.set(key, value)) return *failure;
  }
  const Result<Pass> pass = pass_of(query, config);
  if (!pass.ok()) return pass.error();
  Result<BuiltTree> built = build_tree(config, {pass.value(), query.as});
  if (!built.ok()) return built.error();

  TreeAnswer answer;
  BuiltTree whole = std::move(built).value();
  answer.model = model;
  answer.model_type = config.text({"model_type"}, "");
  answer.class_name = whole.class_name;
  answer.pass = pass.value();
  answer.pass.attention = whole.attention;
  answer.is_encoder_decoder = whole.is_encoder_decoder;
  answer.has_text_source = whole.has_text_source;
  answer.tree = std::move(whole.tree);
  return answer;
}

std::string to_json(const TreeAnswer& answer, const TreeView& view, int indent) {
  JsonWriter out(indent);
  const Node& root = answer.tree.root();
  out.begin_object();
  out.field("model", answer.model);
  out.field("class", answer.class_name);
  out.field("batch_size", answer.pass.batch);
  out.field("seq_len", answer.pass.seq);
  if (answer.is_encoder_decoder) out.field("target_len", answer.pass.target_len);
  if (answer.is_encoder_decoder && answer.has_text_source && answer.pass.past > 0) {
    out.field("source_len", answer.pass.source);
  }
  if (answer.pass.past > 0) out.field("past", answer.pass.past);
  out.field("dtype", name_of(answer.pass.precision));
  out.field("attention", name_of(answer.pass.attention));
  out.field("params", root.params);
  out.field("flops", root.flops);
  out.field("matmul_flops", root.matmul_flops);
  out.field("bytes", root.bytes);
  out.key("tree");
  write_node(answer.tree, static_cast<std::int32_t>(answer.tree.nodes().size()) - 1, 0, view, out);
  out.end_object();
  return out.take() + "\n";
}

std::string to_csv(const TreeAnswer& answer, const TreeView& view) {
  std::string out = "scope,run,type,level,depth,shape,params,flops,matmul_flops,bytes\n";
  const auto nodes = answer.tree.nodes();
  std::vector<int> depth(nodes.size(), 0);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent >= 0) depth[i] = depth[static_cast<std::size_t>(nodes[i].parent)] + 1;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (!view.shows(node, depth[i])) continue;
    append_csv(out, node.scope);
    out += ',';
    if (node.run >= 0) out += std::to_string(node.run);
    out += ',';
    append_csv(out, node.type);
    out += ',';
    out += name_of(node.level);
    out += ',' + std::to_string(depth[i]) + ',';
    for (int d = 0; d < node.shape.rank(); ++d) {
      out += (d > 0 ? "x" : "") + std::to_string(node.shape[d]);
    }
    for (const std::int64_t figure : {node.params, node.flops, node.matmul_flops, node.bytes}) {
      out += ',' + std::to_string(figure);
    }
    out += '\n';
  }
  return out;
}

}  // namespace wattree
