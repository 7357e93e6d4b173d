#include "src/measure/dataset/irene_parameters.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wattree {
namespace {

// What the models' published configs say (vocab_size, max_position_embeddings or n_positions,
// type_vocab_size, hidden_size or n_embd).
struct Embeddings {
  std::string_view model;
  double words;
  double positions;
  double types;
  double hidden;
};
constexpr std::array<Embeddings, 6> kPublished{{
    {"bert-base-uncased", 30522, 512, 2, 768},
    {"roberta-base", 50265, 514, 1, 768},
    {"distilbert-base-uncased", 30522, 512, 0, 768},
    {"gpt2", 50257, 1024, 0, 768},
    {"distilgpt2", 50257, 1024, 0, 768},
    {"openai-gpt", 40478, 512, 0, 768},
}};

struct Layer {
  double k;
  double n;
};

// What a leaf's row says, as whole numbers.
struct Counts {
  double b, s, flops, bytes;
};

double parameters_of(const Layer& layer) { return layer.k * layer.n + layer.n; }

bool is_size(double value) { return value >= 1 && value < 1e9; }

// Linear on three dimensions. With A = flops / bs = 2KN + N and C = bytes / 4b = sK + KN + 3sN, K
// drops out: (3s - 1/2) N² - (C - A/2 + s/2) N + sA/2 = 0. Only a root that gives both counts back
// exactly is taken, and there must be one.
std::optional<Layer> linear(const Counts& c) {
  const double a = c.flops / (c.b * c.s);
  const double square = 3 * c.s - 0.5;
  const double linear = c.bytes / (4 * c.b) - a / 2 + c.s / 2;
  const double root = std::sqrt(linear * linear - 2 * square * c.s * a);
  std::optional<Layer> found;
  for (const double sign : {1.0, -1.0}) {
    const double n = std::round((linear + sign * root) / (2 * square));
    const double k = std::round((a / n - 1) / 2);
    if (!is_size(n) || !is_size(k)) continue;
    if (2 * c.b * c.s * k * n + c.b * c.s * n != c.flops) continue;
    if (4 * c.b * (c.s * k + k * n + 3 * c.s * n) != c.bytes) continue;
    if (found && found->n != n) return std::nullopt;
    found = Layer{k, n};
  }
  return found;
}

// A product of `rows` × K and K × N, flops = 2·rows·KN and bytes = 4(rows·K + KN + rows·N): the two
// widths, the larger first. They are known by sum and product.
std::optional<Layer> product(const Counts& c, double rows) {
  const double of_both = c.flops / (2 * rows);
  const double sum = (c.bytes / 4 - of_both) / rows;
  const double larger = std::round((sum + std::sqrt(sum * sum - 4 * of_both)) / 2);
  const double smaller = std::round(sum - larger);
  if (!is_size(larger) || !is_size(smaller)) return std::nullopt;
  if (2 * rows * larger * smaller != c.flops) return std::nullopt;
  if (4 * (rows * larger + larger * smaller + rows * smaller) != c.bytes) return std::nullopt;
  return Layer{larger, smaller};
}

// The last part of root.encoder.0.attention.self.query.
std::string_view own_name(std::string_view scope) { return scope.substr(scope.rfind('.') + 1); }

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Which of the two widths is the output.
std::optional<Layer> directed(std::optional<Layer> pair, std::string_view scope,
                              std::optional<double> hidden) {
  if (!pair || pair->k == pair->n) return pair;
  if (!hidden || (pair->k == *hidden) == (pair->n == *hidden)) return std::nullopt;
  const double other = pair->k == *hidden ? pair->n : pair->k;
  return has(own_name(scope), "proj") ? Layer{other, *hidden} : Layer{*hidden, other};
}

std::optional<double> embedding_parameters(std::string_view model, std::string_view scope) {
  const auto known = std::find_if(kPublished.begin(), kPublished.end(),
                                  [&](const Embeddings& e) { return e.model == model; });
  if (known == kPublished.end()) return std::nullopt;
  const std::string_view name = own_name(scope);
  double rows = known->words;
  if (has(name, "position") || name == "wpe") rows = known->positions;
  if (has(name, "token_type")) rows = known->types;
  return rows * known->hidden;
}

// A LayerNorm is counted with 8 FLOPs an element.
std::optional<double> layer_norm_width(const DatasetTree& tree, const DatasetNode& node) {
  if (!node.features.has(Feature::kFlops)) return std::nullopt;
  const double tokens = static_cast<double>(tree.batch_size) * static_cast<double>(tree.seq_len);
  const double width = std::round(node.features.get(Feature::kFlops) * 1e6) / (8 * tokens);
  if (!is_size(width) || width != std::round(width)) return std::nullopt;
  return width;
}

}  // namespace

std::optional<double> hidden_size(const DatasetTree& tree) {
  for (const DatasetNode& node : tree.nodes) {
    if (node.instance_type != "LayerNorm") continue;
    if (const std::optional<double> width = layer_norm_width(tree, node)) return width;
  }
  return std::nullopt;
}

std::optional<double> leaf_parameters(const DatasetTree& tree, const DatasetNode& leaf,
                                      std::optional<double> hidden) {
  if (leaf.type == NodeType::kMlNonParametric) return 0.0;
  const std::string_view type = leaf.instance_type;
  if (type == "Embedding") return embedding_parameters(tree.model_name, leaf.scope);
  if (type == "LayerNorm") {
    const std::optional<double> width = layer_norm_width(tree, leaf);
    if (!width) return std::nullopt;
    return 2 * *width;  // A scale and a shift.
  }
  if (!leaf.features.has(Feature::kFlops) || !leaf.features.has(Feature::kMemory)) {
    return std::nullopt;
  }
  const Counts counts{static_cast<double>(tree.batch_size), static_cast<double>(tree.seq_len),
                      std::round(leaf.features.get(Feature::kFlops) * 1e6),
                      std::round(leaf.features.get(Feature::kMemory) * 1024 * 1024)};
  std::optional<Layer> layer;
  if (type == "Linear") {
    layer = linear(counts);
    if (!layer) layer = directed(product(counts, counts.b), leaf.scope, hidden);
  } else if (type == "Conv1D") {
    layer = directed(product(counts, counts.b * counts.s), leaf.scope, hidden);
  }
  if (!layer) return std::nullopt;
  return parameters_of(*layer);
}

}  // namespace wattree
