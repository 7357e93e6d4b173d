// The error figures of IrEne's paper (Cao et al., ACL 2021, Tables 5 to 9), in percent, for the
// first of its two machines. Facts, to stand beside ours.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace wattree {

struct PublishedModel {
  std::string_view name;      // As datasets have it,
  std::string_view in_paper;  // and as the paper does.
  double software_model;      // Table 5: a software estimate (Strubell et al. 2019),
  double irene_model;         // and IrEne.
  double irene_module;        // Table 6.
};
inline constexpr std::array<PublishedModel, 6> kPublishedModels{{
    {"bert-base-uncased", "BERT-base", 57.9, 5.8, 5.37},
    {"distilbert-base-uncased", "DistilBERT", 56.3, 11.6, 5.93},
    {"roberta-base", "RoBERTa-base", 62.5, 7.1, 5.44},
    {"gpt2", "GPT2", 62.6, 3.5, 14.92},
    {"distilgpt2", "DistilGPT2", 55.9, 2.2, 14.73},
    {"openai-gpt", "OpenaiGPT", 61.8, 2.7, 13.98},
}};
inline constexpr PublishedModel kPublishedMean{"", "Average", 57.8, 5.5, 8.54};

struct PublishedType {
  std::string_view type;
  double error;
};
inline constexpr std::array<PublishedType, 7> kPublishedTypes{{
    // Table 7.
    {"Embedding", 0.65},
    {"LayerNorm", 0.89},
    {"Linear", 0.60},
    {"Tanh", 0.82},
    {"MatMul", 0.61},
    {"Softmax", 1.0},
    {"Conv1D", 0.58},
}};

// Tables 8 and 9: ml, module, model.
using PublishedErrors = std::array<std::optional<double>, 3>;
inline constexpr PublishedErrors kPublishedEnd2End{0.70, 8.54, 5.52};
inline constexpr PublishedErrors kPublishedModelFeatures{5.76, 11.54, 7.08};
inline constexpr PublishedErrors kPublishedResourceFeatures{0.63, 8.87, 7.32};
inline constexpr PublishedErrors kPublishedStepwise{std::nullopt, 9.28, 14.84};
inline constexpr PublishedErrors kPublishedSum{std::nullopt, 16.4, 17.69};
inline constexpr PublishedErrors kPublishedUnstructured{std::nullopt, 278.0, 39.79};

}  // namespace wattree
