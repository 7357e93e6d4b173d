"""What measurements were made on: written at the head of every file."""

from __future__ import annotations

import os
import pathlib
import platform
import sys
from typing import Any

from wattree.measure import PROTOCOL
from wattree.spec import key_of


def describe_machine(device: Any, meter: Any) -> dict[str, Any]:
    import torch

    try:
        from transformers import __version__ as transformers_version
    except ImportError:
        transformers_version = None
    return {
        "protocol": PROTOCOL,
        "boundary": getattr(meter, "boundary", "gpu"),
        "gpu": getattr(meter, "name", None),
        # Cards of one kind differ by some percent: this tells them apart without naming them.
        "card": key_of(meter.uuid)[:6] if getattr(meter, "uuid", None) else None,
        "driver": getattr(meter, "driver", None),
        "gpu_memory_bytes": getattr(meter, "memory_bytes", None),
        "power_limit_w": getattr(meter, "power_limit_w", None),
        "cache_bytes": device.cache_bytes,
        "device": device.name,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version() if device.name == "cuda" else None,
        "allow_tf32": torch.backends.cuda.matmul.allow_tf32,
        "torch": torch.__version__,
        "transformers": transformers_version,
        "python": platform.python_version(),
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "cpu": cpu_name(),
        "cpu_count": os.cpu_count(),
        "switch_interval_s": sys.getswitchinterval(),
    }


def cpu_name(cpuinfo: pathlib.Path = pathlib.Path("/proc/cpuinfo")) -> str | None:
    for line in cpuinfo.read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return None
