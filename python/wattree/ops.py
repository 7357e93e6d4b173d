"""What is known of PyTorch's ops. src/models/tree/op_list.inc is the table; a test holds this one against it."""

from __future__ import annotations

# Functional ops that are machine-learning building blocks; all others are mathematics.
ML_OPS = {
    "addmm": "Linear", "mm": "MatMul", "bmm": "MatMul", "baddbmm": "MatMul", "_grouped_mm": "GroupedMatMul",
    "convolution": "Conv", "_softmax": "Softmax", "_safe_softmax": "Softmax", "_log_softmax": "LogSoftmax",
    "native_layer_norm": "LayerNorm", "native_group_norm": "GroupNorm", "native_batch_norm": "BatchNorm1d",
    "_fused_rms_norm": "RMSNorm", "embedding": "Embedding", "lstm": "LSTM", "max_pool1d": "MaxPool1d",
    "avg_pool1d": "AvgPool1d",
}

# Mathematics that goes by another name than PyTorch's; of the others' names only the underscores are dropped.
MATH_TYPES = {
    "constant_pad_nd": "pad", "log_sigmoid_forward": "logsigmoid", "hardtanh": "relu6", "linalg_vector_norm": "vector_norm",
}

# How ops are called at the end of a scope ("encoder.layer.0:add"), where that is not their type.
OP_WORDS = {
    "addmm": "addmm", "_grouped_mm": "grouped_mm", "convolution": "conv", "_log_softmax": "log_softmax",
    "native_layer_norm": "layer_norm", "native_group_norm": "group_norm", "native_batch_norm": "batch_norm",
    "_fused_rms_norm": "rms_norm", "max_pool1d": "max_pool1d", "avg_pool1d": "avg_pool1d",
}

# Ops that read only some rows of their first tensor, in another place for every set of indices.
LOOK_UPS = {"embedding", "index_select", "gather", "index"}

# Which arguments of an op are a model's weights; of any other op none is.
WEIGHTS = {"addmm": (0, 2), "mm": (1,), "native_layer_norm": (2, 3), "embedding": (0,), "_grouped_mm": (1,),
           "convolution": (1, 2)}


def is_attention(name: str) -> bool:
    """Fused attention has many names, by the kernel that was chosen."""
    return name.lstrip("_").startswith("scaled_dot_product")


def op_type(name: str) -> str:
    if is_attention(name):
        return "ScaledDotProductAttention"
    return ML_OPS.get(name) or MATH_TYPES.get(name, name.strip("_"))


def op_word(name: str) -> str:
    if is_attention(name):
        return "sdpa"
    return OP_WORDS.get(name) or op_type(name).lower()


def op_level(name: str) -> str:
    return "ml" if name in ML_OPS or is_attention(name) else "math"
