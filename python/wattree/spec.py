"""What a call was made with, as plain data: enough to know equal calls, to write them down and to make them again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

SHORT_NAMES = {
    "float32": "f32", "bfloat16": "bf16", "float16": "f16", "float64": "f64", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "uint64": "u64", "bool": "b8", "complex64": "c64",
}
LONG_NAMES = {short: long for long, short in SHORT_NAMES.items()}


def element_bytes(dtype_name: str) -> int:
    """Of one element, by PyTorch's name of its type."""
    import torch

    return torch.empty((), dtype=getattr(torch, dtype_name)).element_size()


def is_strided(tensor: Any) -> bool:
    """Whether it is numbers at even steps: neither sparse nor nested."""
    import torch

    return tensor.layout == torch.strided and not tensor.is_nested


def tensor_text(tensor: Any) -> str:
    """A tensor's type, shape and, where it is not contiguous, strides: "bf16[16,128,768]", "f32[8,4]{1,8}"."""
    name = str(tensor.dtype).removeprefix("torch.")
    shape = [tensor.numel()] if tensor.is_nested else tensor.shape
    text = f"{SHORT_NAMES.get(name, name)}[{','.join(str(int(d)) for d in shape)}]"
    if is_strided(tensor) and not tensor.is_contiguous():
        text += f"{{{','.join(str(int(s)) for s in tensor.stride())}}}"
    return text


def parse_tensor(text: str) -> tuple[str, list[int], list[int]]:
    """The type's name in PyTorch, the shape and the strides."""
    short, _, rest = text.partition("[")
    sizes, _, strides = rest.partition("]")
    shape = [int(d) for d in sizes.split(",") if d]
    if strides:
        return LONG_NAMES.get(short, short), shape, [int(s) for s in strides.strip("{}").split(",") if s]
    stride: list[int] = []
    running = 1
    for size in reversed(shape):
        stride.insert(0, running)
        running *= max(size, 1)
    return LONG_NAMES.get(short, short), shape, stride


def describe(value: Any) -> Any:
    """Any argument as JSON. Tensors are {"tensor": text}; what is neither tensor nor plain is named by its type."""
    import torch

    if isinstance(value, torch.Tensor):
        if not is_strided(value):
            kind = "nested" if value.is_nested else str(value.layout).removeprefix("torch.")
            return {"object": f"{kind} {tensor_text(value)}"}
        return {"tensor": tensor_text(value)}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else {"float": repr(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, dict):
        return {"dict": {str(key): describe(item) for key, item in value.items()}}
    if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        return {type(value).__name__: str(value).removeprefix("torch.").split(":")[0]}
    tensors = held_tensors(value)
    if tensors:
        return {"object": type(value).__name__, "tensors": [tensor_text(tensor) for tensor in tensors]}
    return {"object": type(value).__name__}


def held_tensors(value: Any) -> list:
    """The tensors of a key-value cache, layer by layer; of any other object none."""
    import torch

    found = []
    for layer in getattr(value, "layers", None) or []:
        for name in ("keys", "values"):
            tensor = getattr(layer, name, None)
            if isinstance(tensor, torch.Tensor):
                found.append(tensor)
    for part in ("self_attention_cache", "cross_attention_cache"):
        if hasattr(value, part):
            found += held_tensors(getattr(value, part))
    return found


def tensors_of(value: Any) -> list:
    """Every tensor in an argument, in order."""
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_of(item)]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in tensors_of(item)]
    if hasattr(value, "layers") or hasattr(value, "self_attention_cache"):
        return held_tensors(value)
    return []


def key_of(*parts: Any) -> str:
    """A short name for equal data: 16 hexadecimal digits, the same on every machine."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
