#!/usr/bin/env python3
"""Let PyTorch and Transformers say what they run: the reference records of tests/data/records.

For every case in tests/data/records/cases.json, attention implementation and dtype, a randomly initialised model is
built from the case's (sparse) config and run once. A record holds
  modules  every named module with its class and its number of distinct parameters,
  flops    PyTorch's own FlopCounterMode, per module,
  ops      every ATen op that runs a kernel, in order, with the module that called it, and the dtype and shape of its
           tensor inputs and outputs (a dispatch-mode record; views, allocations and empty tensors run no kernel).

With --bundled, every model of data/models instead, at full size on the meta device (no weights, no kernels): its modules
and FLOPs, without ops.

Usage: record_reference.py [--device cuda] [--only NAME,NAME] [--out DIR]
       record_reference.py --bundled
       record_reference.py --vary 1 --device cuda --out DIR   every case at other sizes, to try a change on what it was
                                                              not written for
The records in the repository were written on a CUDA device, because some ops differ there (softmax with a wider
output type, the fused attention kernels).
"""

import argparse
import contextlib
import gzip
import json
import pathlib
import random
import sys

import torch
import transformers
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten
from torch.utils.flop_counter import FlopCounterMode

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
SHORT = {
    torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.int64: "i64", torch.int32: "i32",
    torch.bool: "b8", torch.float64: "f64", torch.int16: "i16", torch.uint8: "u8", torch.int8: "i8", torch.uint64: "u64",
}
# Ops that launch no kernel although their schema does not say "view".
NO_KERNEL = {
    "_unsafe_view", "lift_fresh", "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided",
    "_local_scalar_dense", "resize_", "_assert_async", "detach", "alias", "is_same_size", "record_stream",
    "_reshape_alias", "_has_compatible_shallow_copy_type", "sym_size", "set_", "_assert_tensor_metadata",
}


def describe(tensor):
    return f"{SHORT[tensor.dtype]}[{','.join(str(d) for d in tensor.shape)}]"


def attention_flops(query, key, value, *args, out_shape=None, **kwargs):
    """PyTorch's own formula, which it refuses to apply to grouped heads: two products for every query head."""
    batch, heads, length, width = query
    return 2 * batch * heads * length * key[2] * (width + value[3])


ATTENTION_OPS = [
    torch.ops.aten._scaled_dot_product_cudnn_attention, torch.ops.aten._scaled_dot_product_flash_attention,
    torch.ops.aten._scaled_dot_product_efficient_attention,
]


class Recorder(TorchDispatchMode):
    """Writes down every op that runs a kernel, with the innermost module that called it."""

    def __init__(self, model):
        super().__init__()
        self.ops = []
        self.stack = [""]
        self.paths = {}
        for name, module in model.named_modules():
            self.paths[module] = name
            module.register_forward_pre_hook(self.enter)
            module.register_forward_hook(self.leave, always_call=True)

    def enter(self, module, args):
        self.stack.append(self.paths[module])

    def leave(self, module, args, output):
        self.stack.pop()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func._schema.name.split("::")[1]
        if func.is_view or name in NO_KERNEL:
            return out
        inputs = [x for x in tree_flatten((args, kwargs))[0] if isinstance(x, torch.Tensor) and x.numel() > 0]
        outputs = [x for x in tree_flatten(out)[0] if isinstance(x, torch.Tensor) and x.numel() > 0]
        if not outputs:
            return out
        self.ops.append([
            self.stack[-1], name, " ".join(describe(x) for x in inputs), " ".join(describe(x) for x in outputs),
        ])
        return out


def model_inputs(model, config, batch, seq, target, device, dtype):
    """What the model needs for one pass, and nothing more: no masks, no position ids."""
    name = type(model).__name__
    text = getattr(config, "text_config", config)
    vocab = getattr(text, "vocab_size", 100)

    def ids(length):
        # Below the special tokens' usual values no padding or end-of-text token is met.
        out = torch.randint(5, min(vocab, 60), (batch, length), device=device)
        return out

    def images(vision):
        size = vision.image_size
        height, width = (size, size) if isinstance(size, int) else size
        return torch.randn(batch, vision.num_channels, height, width, device=device, dtype=dtype)

    if config.model_type in ("vit",) or "Vision" in name or name.endswith("ForImageClassification"):
        vision = getattr(config, "vision_config", config)
        return {"pixel_values": images(vision)}
    if config.model_type == "clip":
        tokens = ids(seq)
        tokens[:, -1] = text.eos_token_id
        return {"input_ids": tokens, "pixel_values": images(config.vision_config)}
    if config.model_type == "clip_text_model":
        tokens = ids(seq)
        tokens[:, -1] = text.eos_token_id
        return {"input_ids": tokens}
    if config.model_type == "whisper":
        frames = 2 * config.max_source_positions
        features = torch.randn(batch, config.num_mel_bins, frames, device=device, dtype=dtype)
        return {"input_features": features, "decoder_input_ids": ids(target)}
    if config.is_encoder_decoder:
        tokens = ids(seq)
        if "SequenceClassification" in name:
            tokens[:, -1] = config.eos_token_id
            return {"input_ids": tokens}
        return {"input_ids": tokens, "decoder_input_ids": ids(target)}
    return {"input_ids": ids(seq)}


def decode_inputs(model, config, batch, past, source, device, dtype):
    """One new token over a cache of `past`: first a full pass that fills the cache, then the step's own inputs."""
    first = model_inputs(model, config, batch, source if config.is_encoder_decoder else past, past, device, dtype)
    out = model(**first, use_cache=True)
    step = {"past_key_values": out.past_key_values, "use_cache": True}
    token = torch.randint(5, 60, (batch, 1), device=device)
    if config.is_encoder_decoder:
        hidden = out.encoder_last_hidden_state
        step["encoder_outputs"] = transformers.modeling_outputs.BaseModelOutput(last_hidden_state=hidden)
        step["decoder_input_ids"] = token
    else:
        step["input_ids"] = token
    return step


def record(case, attention, dtype_name, device):
    torch.manual_seed(0)
    dtype = DTYPES[dtype_name]
    config_class = transformers.CONFIG_MAPPING[case["config"]["model_type"]]
    config = config_class.from_dict({k: v for k, v in case["config"].items() if k != "model_type"})
    config.dtype = dtype
    model = getattr(transformers, case["class"])._from_config(config, attn_implementation=attention, dtype=dtype)
    model = model.to(device).eval().requires_grad_(False)
    batch, seq, past = case.get("batch", 2), case.get("seq", 8), case.get("past", 0)
    target = case.get("target", seq)
    result = {
        "name": case["name"], "class": case["class"], "batch": batch, "seq": 1 if past else seq, "past": past,
        "attention": attention, "dtype": dtype_name, "device": device, "torch": torch.__version__.split("+")[0],
        "transformers": transformers.__version__, "config": case["config"],
    }
    if "target" in case:
        result["target"] = case["target"]
    with torch.no_grad():
        if past:
            inputs = decode_inputs(model, config, batch, past, seq, device, dtype)
            if config.is_encoder_decoder:
                result["source"] = seq
        else:
            inputs = model_inputs(model, config, batch, seq, target, device, dtype)
        result["params"] = sum(p.numel() for p in model.parameters())
        result["modules"] = named_modules(model)
        recorder = Recorder(model)
        result["flops"] = count_flops(model, inputs, recorder)
        result["ops"] = recorder.ops
    return result


def named_modules(model):
    return [
        [name, type(module).__name__, sum(p.numel() for p in module.parameters())]
        for name, module in model.named_modules()
    ]


def count_flops(model, inputs, *modes):
    """PyTorch's own count per module, with any further dispatch modes around the same pass."""
    counter = FlopCounterMode(display=False, custom_mapping=dict.fromkeys(ATTENTION_OPS, attention_flops))
    # DeBERTa's scripted functions would be optimised after some calls, and the record would then depend on what ran
    # before it.
    with torch.jit.optimized_execution(False), counter, contextlib.ExitStack() as stack:
        for mode in modes:
            stack.enter_context(mode)
        model(**inputs)
    root = type(model).__name__
    flops = {}
    for key, by_op in counter.get_flop_counts().items():
        if key != "Global" and sum(by_op.values()):
            flops[key.removeprefix(root).removeprefix(".")] = sum(by_op.values())
    return flops


def record_bundled(path):
    config_json = json.loads(path.read_text())
    config_class = transformers.CONFIG_MAPPING[config_json["model_type"]]
    config = config_class.from_dict({k: v for k, v in config_json.items() if k != "model_type"})
    batch, seq = 2, 64
    with torch.device("meta"), torch.no_grad():
        model = transformers.AutoModel.from_config(config, attn_implementation="eager", dtype=torch.bfloat16)
        model = model.eval().requires_grad_(False)
        result = {
            "name": path.stem, "class": type(model).__name__, "batch": batch, "seq": seq, "past": 0,
            "attention": "eager", "dtype": "bf16", "device": "meta", "torch": torch.__version__.split("+")[0],
            "transformers": transformers.__version__, "config": config_json,
            "params": sum(p.numel() for p in model.parameters()), "modules": named_modules(model),
        }
        try:
            result["flops"] = count_flops(model, model_inputs(model, config, batch, seq, seq, "meta", torch.bfloat16))
        except RuntimeError as error:  # Some models look at values, and a meta tensor has none.
            print(f"{path.stem}: no FLOPs: {error}", file=sys.stderr)
    return result


def vary(case, generator):
    """The case at another batch size, length, past and depth."""
    case = {**case, "config": dict(case["config"]), "name": "varied-" + case["name"]}
    case["batch"] = generator.choice([1, 2, 3, 4])
    case["seq"] = generator.choice([1, 2, 3, 5, 9, 13])
    if "past" in case:
        case["past"] = generator.choice([1, 2, 3, 5, 7, 11])
    if "target" in case:
        case["target"] = generator.choice([1, 2, 7])
    lists = {"attention_types", "layer_types"} & set(case["config"])
    for field in ("num_hidden_layers", "n_layer", "num_layers", "encoder_layers", "decoder_layers", "n_layers"):
        if field in case["config"] and not lists:
            case["config"][field] = generator.choice([1, 2, 3])
    return case


def write_gzip(path, records):
    # mtime=0: the same records are the same file.
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(json.dumps(records, separators=(",", ":")).encode())


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "tests/data/records"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="", help="names of cases, comma-separated; all otherwise")
    parser.add_argument("--cases", default=str(root / "cases.json"))
    parser.add_argument("--out", default=str(root))
    parser.add_argument("--vary", type=int, metavar="SEED", help="vary the sizes of every case")
    parser.add_argument("--bundled", action="store_true", help="record the bundled models instead")
    args = parser.parse_args()
    if args.bundled:
        paths = sorted((root.parent.parent.parent / "data/models").glob("*.json"))
        (root.parent / "bundled").mkdir(exist_ok=True)
        write_gzip(root.parent / "bundled/models.json.gz", [record_bundled(path) for path in paths])
        return 0
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    wanted = set(filter(None, args.only.split(",")))
    families = {}
    failed = 0
    cases = json.loads(pathlib.Path(args.cases).read_text())
    if args.vary is not None:
        generator = random.Random(args.vary)
        cases = [vary(case, generator) for case in cases]
    for case in cases:
        if wanted and case["name"] not in wanted:
            continue
        records = families.setdefault(case["config"]["model_type"], {})
        for attention in case.get("attention", ["eager", "sdpa"]):
            for dtype in case.get("dtype", ["fp32", "bf16"]):
                name = f"{case['name']}.{attention}.{dtype}"
                try:
                    records[name] = record(case, attention, dtype, args.device)
                    print(name, len(records[name]["ops"]))
                except Exception as error:  # One broken case must not cost the others.
                    print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                    failed += 1
    for family, records in families.items():
        path = out / f"{family}.json.gz"
        if wanted and path.exists():  # Keep what was not asked for.
            old = {f"{r['name']}.{r['attention']}.{r['dtype']}": r for r in json.loads(gzip.open(path).read())}
            records = {**old, **records}
        write_gzip(path, list(records.values()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
