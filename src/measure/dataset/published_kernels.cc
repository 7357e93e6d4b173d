#include "src/measure/dataset/published_kernels.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/base/mib.h"

namespace wattree {
namespace {

// Traffic in units of one hidden state (batch × length × width) and of all attention scores (batch
// × heads × length²), four bytes an element. A copy or an operation with one operand moves its
// tensor twice, an addition of two tensors three times; that is how the calls are counted.
struct Entry {
  std::string_view class_name;
  std::string_view root;  // The root's class, where the class alone does not decide.
  std::string_view op;
  double calls;
  double states;
  double scores;
};
constexpr std::string_view kCopy = "copy";
constexpr std::string_view kElementwise = "elementwise";
constexpr std::string_view kScores = "scores";
constexpr std::string_view kGelu = "gelu";
constexpr std::array<Entry, 26> kEntries{{
    // Query, key, value and context are permuted; scores are scaled and masked.
    {"BertSelfAttention", "", kCopy, 4, 8, 0},
    {"BertSelfAttention", "", kScores, 2, 0, 4},
    {"RobertaSelfAttention", "", kCopy, 4, 8, 0},
    {"RobertaSelfAttention", "", kScores, 2, 0, 4},
    // One residual addition.
    {"BertSelfOutput", "", kElementwise, 1, 3, 0},
    {"RobertaSelfOutput", "", kElementwise, 1, 3, 0},
    {"BertOutput", "", kElementwise, 1, 3, 0},
    {"RobertaOutput", "", kElementwise, 1, 3, 0},
    // GELU, one kernel on a tensor four times as wide.
    {"BertIntermediate", "", kGelu, 1, 8, 0},
    {"RobertaIntermediate", "", kGelu, 1, 8, 0},
    {"FFN", "", kGelu, 1, 8, 0},
    // Embeddings are added; BERT's positions are broadcast over the batch.
    {"BertEmbeddings", "", kElementwise, 2, 5, 0},
    {"RobertaEmbeddings", "", kElementwise, 2, 6, 0},
    {"Embeddings", "", kElementwise, 1, 3, 0},
    // The query is scaled, the scores are masked.
    {"MultiHeadSelfAttention", "", kCopy, 4, 8, 0},
    {"MultiHeadSelfAttention", "", kElementwise, 1, 2, 0},
    {"MultiHeadSelfAttention", "", kScores, 1, 0, 2},
    // Two residual additions.
    {"TransformerBlock", "", kElementwise, 2, 6, 0},
    {"Block", "", kElementwise, 2, 6, 0},
    // gelu_new, written out: eight kernels on a tensor four times as wide.
    {"MLP", "", kElementwise, 8, 72, 0},
    // GPT-2 also stacks keys and values for its cache.
    {"Attention", "GPT2Model", kCopy, 6, 12, 0},
    {"Attention", "GPT2Model", kScores, 2, 0, 4},
    {"Attention", "OpenAIGPTModel", kCopy, 4, 8, 0},
    {"Attention", "OpenAIGPTModel", kScores, 3, 0, 6},
    {"GPT2Model", "", kElementwise, 1, 2, 0},
    {"OpenAIGPTModel", "", kElementwise, 2, 4, 0},
}};
constexpr double kBytesPerElement = 4;

// The attention scores of a module in MiB: its Softmax is counted with 5 FLOPs an element.
std::optional<double> scores_of(const DatasetTree& tree, std::int32_t module) {
  for (const std::int32_t child : children_of(tree, module)) {
    const DatasetNode& node = tree.nodes[static_cast<std::size_t>(child)];
    if (node.instance_type == "Softmax" && node.features.has(Feature::kFlops)) {
      return node.features.get(Feature::kFlops) * 1e6 / 5 * kBytesPerElement / kMiB;
    }
  }
  return std::nullopt;
}

}  // namespace

void add_published_kernels(DatasetTree& tree, std::optional<double> hidden) {
  const double tokens = static_cast<double>(tree.batch_size) * static_cast<double>(tree.seq_len);
  const std::string root = tree.root().instance_type;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    DatasetNode& node = tree.nodes[i];
    if (node.is_leaf()) continue;
    for (const Entry& entry : kEntries) {
      if (entry.class_name != node.instance_type) continue;
      if (!entry.root.empty() && entry.root != root) continue;
      double mib = 0;
      if (entry.states > 0) {
        if (!hidden) continue;
        mib += entry.states * tokens * *hidden * kBytesPerElement / kMiB;
      }
      if (entry.scores > 0) {
        const std::optional<double> scores = scores_of(tree, static_cast<std::int32_t>(i));
        if (!scores) continue;
        mib += entry.scores * *scores;
      }
      node.ops.push_back({std::string(entry.op), entry.calls, 0, mib});
    }
  }
}

}  // namespace wattree
