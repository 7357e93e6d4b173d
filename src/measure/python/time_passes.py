"""Times passes of models as a plain Python program launches them, kernel by kernel.

Run by `wattree calibrate --quick` with what it wants as JSON: {"device": "cuda", "rounds": 10, "round_s": 0.25, "passes": [{"config": {…},
"batch": 1, "length": 32}, …]}. Prints one line a round: the seconds that a pass of each model took.
"""

import json
import logging
import sys
import time
import warnings


def fail(why):
    print(why, file=sys.stderr)
    raise SystemExit(1)


def build(torch, transformers, wanted, device):
    config = transformers.AutoConfig.for_model(**wanted["config"])
    with torch.device(device):
        model = transformers.AutoModel.from_config(config).to(torch.bfloat16).eval()
        return model, torch.randint(0, min(1000, config.vocab_size), (wanted["batch"], wanted["length"]))


def seconds_of(torch, run, tokens, limit_s):
    """Of a pass, by as many as go into the time."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    passes = 0
    while time.perf_counter() < begin + limit_s:
        run(tokens)
        passes += 1
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / passes


def main():
    wanted = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    try:
        import torch
        import transformers
    except ImportError as error:
        fail(f"it has no {error.name}")
    if not torch.cuda.is_available():
        fail("its PyTorch sees no GPU")
    passes = [build(torch, transformers, each, wanted["device"]) for each in wanted["passes"]]
    with torch.no_grad():
        for model, tokens in passes:  # The first passes load kernels.
            seconds_of(torch, model, tokens, wanted["round_s"])
        for _ in range(wanted["rounds"]):
            print(json.dumps([seconds_of(torch, model, tokens, wanted["round_s"]) for model, tokens in passes]))


if __name__ == "__main__":
    main()
