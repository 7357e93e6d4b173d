#include "src/models/symbolic/nn.h"

#include <array>
#include <string>
#include <vector>

namespace wattree {

using Kind = Module::Kind;

Tensor linear_kernels(const Tensor& x, const Tensor& weight, const Tensor* bias) {
  Dims size = x.size;
  size[x.rank() - 1] = weight.size[0];
  Tensor columns = weight.t();
  if (bias != nullptr && x.rank() == 2) return addmm(*bias, x, columns);
  if (bias != nullptr && x.is_contiguous())
    return addmm(*bias, x.view({-1, x.dim(-1)}), columns).view(size);
  const Tensor product = matmul(x, columns);
  return bias != nullptr ? product + *bias : product;
}

Tensor linear(const Tensor& x, std::string_view name, std::int64_t out_features, Bias bias) {
  Module self(*x.trace, name, "Linear", Kind::kPrimitive);
  const Tensor weight = x.trace->parameter({out_features, x.dim(-1)});
  if (bias == Bias::kNo) return self.returns(linear_kernels(x, weight, nullptr));
  const Tensor offset = x.trace->parameter({out_features});
  return self.returns(linear_kernels(x, weight, &offset));
}

Tensor tied_linear(const Tensor& x, std::string_view name, const Tensor& weight, Bias bias) {
  Module self(*x.trace, name, "Linear", Kind::kPrimitive);
  x.trace->hold(weight);
  if (bias == Bias::kNo) return self.returns(linear_kernels(x, weight, nullptr));
  const Tensor offset = x.trace->parameter({weight.size[0]});
  return self.returns(linear_kernels(x, weight, &offset));
}

Tensor conv1d_linear(const Tensor& x, std::string_view name, std::int64_t out_features) {
  Module self(*x.trace, name, "Conv1D", Kind::kPrimitive);
  const Tensor weight = x.trace->parameter({x.dim(-1), out_features});
  const Tensor offset = x.trace->parameter({out_features});
  Dims size = x.size;
  size[x.rank() - 1] = out_features;
  return self.returns(addmm(offset, x.view({-1, x.dim(-1)}), weight).view(size));
}

Tensor embedding_kernel(const Tensor& ids, const Tensor& table) {
  Dims size = ids.size;
  size.push_back(table.size[1]);
  return ids.trace->emit(Op::kEmbedding, {&table, &ids}, Tensor(ids.trace, table.dtype, size));
}

namespace {
// Models keep what they looked up in a variable (inputs_embeds), and call what they make of it
// hidden_states.
Tensor kept_rows(const Tensor& rows) {
  rows.trace->keep_for_caller(rows);
  return rows;
}
}  // namespace

Tensor embedding(const Tensor& ids, std::string_view name, std::int64_t rows, std::int64_t width,
                 Tensor* table) {
  Module self(*ids.trace, name, "Embedding", Kind::kPrimitive);
  const Tensor weight = ids.trace->parameter({rows, width});
  if (table != nullptr) *table = weight;
  return self.returns(kept_rows(embedding_kernel(ids, weight)));
}

Tensor scaled_embedding(const Tensor& ids, std::string_view name, std::string_view type,
                        std::int64_t rows, std::int64_t width, Tensor* table) {
  Trace& trace = *ids.trace;
  Module self(trace, name, type, Kind::kPrimitive);
  const Tensor weight = trace.parameter({rows, width});
  if (table != nullptr) *table = weight;
  const Tensor factor = trace.buffer(trace.dtype(), {});
  return self.returns(kept_rows(embedding_kernel(ids, weight) * factor));
}

Tensor tied_embedding(const Tensor& ids, std::string_view name, const Tensor& table) {
  Module self(*ids.trace, name, "Embedding", Kind::kPrimitive);
  ids.trace->hold(table);
  return self.returns(kept_rows(embedding_kernel(ids, table)));
}

Tensor layer_norm_kernel(const Tensor& x, const Tensor* weight, const Tensor* bias) {
  Trace& trace = *x.trace;
  Dims rows = x.size;
  rows[x.rank() - 1] = 1;
  // Mean and reciprocal deviation are written too, in fp32.
  const std::array<Tensor, 3> outputs{Tensor(&trace, x.dtype, x.size),
                                      Tensor(&trace, DType::kFloat32, rows),
                                      Tensor(&trace, DType::kFloat32, rows)};
  std::array<const Tensor*, 3> inputs{&x, weight, bias};
  const std::size_t count = weight == nullptr ? 1 : bias == nullptr ? 2 : 3;
  return trace.emit(Op::kLayerNorm, std::span(inputs.data(), count), outputs);
}

Tensor layer_norm(const Tensor& x, std::string_view name, Bias bias, std::string_view type) {
  Module self(*x.trace, name, type, Kind::kPrimitive);
  const Tensor weight = x.trace->parameter({x.dim(-1)});
  if (bias == Bias::kNo) return self.returns(layer_norm_kernel(x, &weight, nullptr));
  const Tensor offset = x.trace->parameter({x.dim(-1)});
  return self.returns(layer_norm_kernel(x, &weight, &offset));
}

Tensor inverse_root_mean_square(const Tensor& x) {
  const Tensor squares = unary(Op::kPow, x, {2});
  const Tensor variance = reduce(Op::kMean, squares, -1, true);
  const Tensor shifted = variance + 1e-6;
  return unary(Op::kRsqrt, shifted);
}

namespace {
// x / sqrt(mean(x^2) + eps) in fp32.
Tensor unit_mean_square(const Tensor& x) {
  const Tensor wide = x.to(DType::kFloat32);
  return wide * inverse_root_mean_square(wide);
}
}  // namespace

Tensor rms_norm(const Tensor& x, std::string_view name, std::string_view type) {
  Module self(*x.trace, name, type, Kind::kMl);
  const Tensor weight = x.trace->parameter({x.dim(-1)});
  const Tensor normed = unit_mean_square(x).to(x.dtype);
  return self.returns(weight * normed);
}

Tensor wide_rms_norm(const Tensor& x, std::string_view name, std::string_view type) {
  Module self(*x.trace, name, type, Kind::kMl);
  const Tensor weight = x.trace->parameter({x.dim(-1)});
  const Tensor normed = unit_mean_square(x);
  return self.returns((weight * normed).to(x.dtype));
}

Tensor offset_rms_norm(const Tensor& x, std::string_view name, std::string_view type) {
  Module self(*x.trace, name, type, Kind::kMl);
  const Tensor weight = x.trace->parameter({x.dim(-1)});
  const Tensor normed = unit_mean_square(x);
  const Tensor gain = 1.0 + weight.to(DType::kFloat32);
  return self.returns((normed * gain).to(x.dtype));
}

namespace {

struct Activation {
  std::string_view function;
  std::string_view type;
  Tensor (*kernels)(const Tensor& x);
};

template <Op op>
Tensor single(const Tensor& x) {
  return unary(op, x);
}

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), written with eight kernels.
Tensor new_gelu(const Tensor& x) {
  const Tensor half = 0.5 * x;
  const Tensor cube = unary(Op::kPow, x, {3});
  const Tensor small = 0.044715 * cube;
  const Tensor inner = x + small;
  const Tensor scaled = 0.7978845608 * inner;
  const Tensor saturated = unary(Op::kTanh, scaled);
  const Tensor shifted = 1.0 + saturated;
  return half * shifted;
}

// 0.5 * x * (1 + tanh(x * 0.7978845608 * (1 + 0.044715 * x * x)))
Tensor fast_gelu(const Tensor& x) {
  const Tensor half = 0.5 * x;
  const Tensor scaled = x * 0.7978845608;
  const Tensor small = 0.044715 * x;
  const Tensor square = small * x;
  const Tensor inner = 1.0 + square;
  const Tensor product = scaled * inner;
  const Tensor saturated = unary(Op::kTanh, product);
  const Tensor shifted = 1.0 + saturated;
  return half * shifted;
}

Tensor quick_gelu(const Tensor& x) {
  const Tensor scaled = 1.702 * x;
  const Tensor gate = unary(Op::kSigmoid, scaled);
  return x * gate;
}

Tensor clipped_gelu(const Tensor& x) { return unary(Op::kClamp, unary(Op::kGelu, x), {-10, 10}); }

Tensor python_gelu(const Tensor& x) {
  const Tensor half = x * 0.5;
  const Tensor scaled = x / 1.4142135623730951;
  const Tensor error = unary(Op::kErf, scaled);
  const Tensor shifted = 1.0 + error;
  return half * shifted;
}

Tensor squared_relu(const Tensor& x) { return unary(Op::kPow, unary(Op::kRelu, x), {2}); }

Tensor laplace(const Tensor& x) {
  const Tensor shifted = (x - 0.707107) / 0.398942;
  const Tensor error = unary(Op::kErf, shifted);
  return 0.5 * (1.0 + error);
}

Tensor root_softplus(const Tensor& x) { return unary(Op::kSqrt, unary(Op::kSoftplus, x)); }
Tensor identity(const Tensor& x) { return x; }
Tensor tanh_gelu(const Tensor& x) { return unary(Op::kGelu, x, {1}); }  // 1: by its tanh.

// Transformers' ACT2CLS, less those with parameters of their own.
constexpr Activation kActivations[] = {
    {"gelu", "GELUActivation", single<Op::kGelu>},
    {"gelu_10", "ClippedGELUActivation", clipped_gelu},
    {"gelu_fast", "FastGELUActivation", fast_gelu},
    {"gelu_new", "NewGELUActivation", new_gelu},
    {"gelu_python", "GELUActivation", python_gelu},
    {"gelu_pytorch_tanh", "GELUTanh", tanh_gelu},
    {"gelu_python_tanh", "GELUTanh", new_gelu},
    {"gelu_accurate", "AccurateGELUActivation", new_gelu},
    {"hardswish", "Hardswish", single<Op::kHardswish>},
    {"laplace", "LaplaceActivation", laplace},
    {"leaky_relu", "LeakyReLU", single<Op::kLeakyRelu>},
    {"linear", "LinearActivation", identity},
    {"mish", "MishActivation", single<Op::kMish>},
    {"quick_gelu", "QuickGELUActivation", quick_gelu},
    {"relu", "ReLU", single<Op::kRelu>},
    {"relu2", "ReLUSquaredActivation", squared_relu},
    {"relu6", "ReLU6", single<Op::kRelu6>},
    {"sigmoid", "Sigmoid", single<Op::kSigmoid>},
    {"silu", "SiLUActivation", single<Op::kSilu>},
    {"sqrtsoftplus", "SqrtSoftplusActivation", root_softplus},
    {"swish", "SiLU", single<Op::kSilu>},
    {"tanh", "Tanh", single<Op::kTanh>},
};

const Activation* find_activation(std::string_view function) {
  for (const Activation& activation : kActivations) {
    if (activation.function == function) return &activation;
  }
  return nullptr;
}

}  // namespace

bool is_activation(std::string_view function) { return find_activation(function) != nullptr; }

Tensor activation(const Tensor& x, std::string_view module_name, std::string_view function) {
  const Activation* found = find_activation(function);
  if (found == nullptr) {
    x.trace->fail("unknown activation \"" + std::string(function) + "\"");
    return x;
  }
  Module self(*x.trace, module_name, found->type, Kind::kMl);
  return self.returns(found->kernels(x));
}

Tensor activation_kernels(const Tensor& x, std::string_view function) {
  const Activation* found = find_activation(function);
  if (found == nullptr) x.trace->fail("unknown activation \"" + std::string(function) + "\"");
  return found == nullptr ? x : found->kernels(x);
}

namespace {
Tensor convolution(const Tensor& x, Module& self, const Dims& weight_size, const Dims& stride,
                   std::int64_t padding, std::int64_t groups, Bias bias) {
  Trace& trace = *x.trace;
  const Tensor weight = trace.parameter(weight_size);
  Dims size = x.size;
  if (x.rank() != weight_size.rank() || x.rank() != stride.rank() + 2) {
    trace.fail_shapes("convolution", x.size, weight_size);
    return x;
  }
  size[1] = weight_size[0];
  for (int i = 2; i < x.rank(); ++i) {
    const std::int64_t room = x.size[i] + 2 * padding - weight_size[i];
    if (room < 0 || stride[i - 2] < 1) {
      trace.fail_shapes("convolution", x.size, weight_size);
      return x;
    }
    size[i] = room / stride[i - 2] + 1;
  }
  const Tensor out(&trace, x.dtype, size);
  const Numbers numbers{static_cast<double>(padding), static_cast<double>(groups),
                        static_cast<double>(stride[0]),
                        static_cast<double>(stride[stride.rank() - 1])};
  if (bias == Bias::kNo)
    return self.returns(trace.emit(Op::kConvolution, {&x, &weight}, out, numbers));
  const Tensor offset = trace.parameter({weight_size[0]});
  return self.returns(trace.emit(Op::kConvolution, {&x, &weight, &offset}, out, numbers));
}
}  // namespace

Tensor conv1d(const Tensor& x, std::string_view name, std::int64_t out_channels,
              std::int64_t kernel, std::int64_t stride, std::int64_t padding, Bias bias,
              std::int64_t groups) {
  Module self(*x.trace, name, "Conv1d", Kind::kPrimitive);
  return convolution(x, self, {out_channels, x.dim(1) / groups, kernel}, {stride}, padding, groups,
                     bias);
}

Tensor conv2d(const Tensor& x, std::string_view name, std::int64_t out_channels, const Dims& kernel,
              const Dims& stride, Bias bias) {
  Module self(*x.trace, name, "Conv2d", Kind::kPrimitive);
  return convolution(x, self, {out_channels, x.dim(1), kernel[0], kernel[1]}, stride, 0, 1, bias);
}

namespace {
Tensor pool(const Tensor& x, std::string_view name, std::string_view type, Op op,
            std::int64_t kernel, std::int64_t stride) {
  Module self(*x.trace, name, type, Kind::kPrimitive);
  if (x.rank() != 3 || stride < 1 || kernel > x.dim(2)) {
    x.trace->fail_shapes(type, x.size, {kernel});
    return x;
  }
  Dims size = x.size;
  size[2] = (x.size[2] - kernel) / stride + 1;
  return self.returns(x.trace->emit(op, {&x}, Tensor(x.trace, x.dtype, size),
                                    {static_cast<double>(kernel), static_cast<double>(stride)}));
}
}  // namespace

Tensor max_pool1d(const Tensor& x, std::string_view name, std::int64_t kernel,
                  std::int64_t stride) {
  return pool(x, name, "MaxPool1d", Op::kMaxPool1d, kernel, stride);
}

Tensor avg_pool1d(const Tensor& x, std::string_view name, std::int64_t kernel,
                  std::int64_t stride) {
  return pool(x, name, "AvgPool1d", Op::kAvgPool1d, kernel, stride);
}

Tensor batch_norm1d(const Tensor& x, std::string_view name) {
  Trace& trace = *x.trace;
  Module self(trace, name, "BatchNorm1d", Kind::kPrimitive);
  const Tensor weight = trace.parameter({x.dim(1)});
  const Tensor offset = trace.parameter({x.dim(1)});
  const Tensor mean = trace.buffer(x.dtype, {x.dim(1)});
  const Tensor variance = trace.buffer(x.dtype, {x.dim(1)});
  return self.returns(trace.emit(Op::kBatchNorm, {&x, &weight, &offset, &mean, &variance},
                                 Tensor(&trace, x.dtype, x.size)));
}

Tensor lstm(const Tensor& x, std::string_view name, std::int64_t hidden, std::int64_t layers) {
  Trace& trace = *x.trace;
  Module self(trace, name, "LSTM", Kind::kPrimitive);
  std::vector<Tensor> weights;
  for (std::int64_t i = 0; i < layers; ++i) {
    weights.push_back(trace.parameter({4 * hidden, i == 0 ? x.dim(2) : hidden}));
    weights.push_back(trace.parameter({4 * hidden, hidden}));
    weights.push_back(trace.parameter({4 * hidden}));
    weights.push_back(trace.parameter({4 * hidden}));
  }
  std::vector<const Tensor*> inputs{&x};
  for (const Tensor& weight : weights) inputs.push_back(&weight);
  const Tensor out(&trace, x.dtype, {x.dim(0), x.dim(1), hidden});
  return self.returns(trace.emit(Op::kLstm, inputs, std::span(&out, 1)));
}

}  // namespace wattree
