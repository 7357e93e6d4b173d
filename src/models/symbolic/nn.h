// Layers: the framework's modules on symbolic tensors. `name` is the module's name in its parent.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/models/symbolic/ops.h"
#include "src/models/symbolic/trace.h"

namespace wattree {

enum class Bias : bool { kNo, kYes };

// nn.Linear. The second form's weight is another module's (a tied language-model head).
Tensor linear(const Tensor& x, std::string_view name, std::int64_t out_features,
              Bias bias = Bias::kYes);
Tensor tied_linear(const Tensor& x, std::string_view name, const Tensor& weight,
                   Bias bias = Bias::kNo);
// F.linear: the kernels alone, in the module that is open. `weight` is [out, in].
Tensor linear_kernels(const Tensor& x, const Tensor& weight, const Tensor* bias);

// Transformers' Conv1D (GPT-2): a Linear whose weight is stored transposed; folds leading
// dimensions itself.
Tensor conv1d_linear(const Tensor& x, std::string_view name, std::int64_t out_features);

// nn.Embedding. `table` is filled with its weight, for tying.
Tensor embedding(const Tensor& ids, std::string_view name, std::int64_t rows, std::int64_t width,
                 Tensor* table = nullptr);
// The same with its rows multiplied by a factor that the model keeps as a tensor; `type` is its
// class.
Tensor scaled_embedding(const Tensor& ids, std::string_view name, std::string_view type,
                        std::int64_t rows, std::int64_t width, Tensor* table = nullptr);
// Another Embedding module that holds the same weight.
Tensor tied_embedding(const Tensor& ids, std::string_view name, const Tensor& table);
// F.embedding alone, in the module that is open.
Tensor embedding_kernel(const Tensor& ids, const Tensor& table);

// nn.LayerNorm over the last dimension. `type`: the class, where a model has its own that only
// calls F.layer_norm.
Tensor layer_norm(const Tensor& x, std::string_view name, Bias bias = Bias::kYes,
                  std::string_view type = "LayerNorm");
// F.layer_norm alone, in the module that is open.
Tensor layer_norm_kernel(const Tensor& x, const Tensor* weight, const Tensor* bias);

// x / sqrt(mean(x^2) + eps) * weight with the statistics in fp32, as Llama's family writes it.
Tensor rms_norm(const Tensor& x, std::string_view name, std::string_view type);

// 1 / sqrt(mean(x^2) + eps) over the last dimension.
Tensor inverse_root_mean_square(const Tensor& x);

// The same, cast back only after the weight, as Olmo 2 writes it.
Tensor wide_rms_norm(const Tensor& x, std::string_view name, std::string_view type);

// x / sqrt(mean(x^2) + eps) * (1 + weight), all of it in fp32, as Gemma's family writes it.
Tensor offset_rms_norm(const Tensor& x, std::string_view name, std::string_view type);

// One of Transformers' named activations ("gelu", "gelu_new", "silu", …) as a module with its math
// ops; an unknown name fails the trace.
Tensor activation(const Tensor& x, std::string_view module_name, std::string_view function);
bool is_activation(std::string_view function);
// The same ops without a module of their own, for code that calls the function.
Tensor activation_kernels(const Tensor& x, std::string_view function);

// nn.Conv1d over [n, in, length] and nn.Conv2d over [n, in, h, w], with kernel and stride as [h,
// w].
Tensor conv1d(const Tensor& x, std::string_view name, std::int64_t out_channels,
              std::int64_t kernel, std::int64_t stride, std::int64_t padding,
              Bias bias = Bias::kYes, std::int64_t groups = 1);
Tensor conv2d(const Tensor& x, std::string_view name, std::int64_t out_channels, const Dims& kernel,
              const Dims& stride, Bias bias = Bias::kYes);

// Layers that Transformers seldom use but models around them do: over [n, channels, length]…
Tensor max_pool1d(const Tensor& x, std::string_view name, std::int64_t kernel, std::int64_t stride);
Tensor avg_pool1d(const Tensor& x, std::string_view name, std::int64_t kernel, std::int64_t stride);
Tensor batch_norm1d(const Tensor& x, std::string_view name);  // With running statistics: inference.
// …and nn.LSTM, one direction, over [length, batch, features].
Tensor lstm(const Tensor& x, std::string_view name, std::int64_t hidden, std::int64_t layers = 1);

}  // namespace wattree
