"""Writes small models as TorchScript files into FOLDER: the BERT, GPT2 and Llama of python/tests/small_models.py, traced,
and some that are not of this world. Usage: make_scripts.py FOLDER"""

import pathlib
import sys
import warnings
from typing import List  # noqa: UP035 (TorchScript of PyTorch 1.13 reads this form)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"))

import small_models
import torch
from torch import nn

BATCH, LENGTH = 2, 8


class Branching(nn.Module):
    """Scripted: a loop over layers, a branch, a helper method, an op that no config's tree has."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6)])
        self.norm = nn.LayerNorm(6)

    def mix(self, x):
        return torch.logaddexp(x, x * 2.0)

    def forward(self, x: torch.Tensor, times: int = 2):
        for layer in self.layers:
            x = torch.relu(layer(x))
        for _ in range(times):
            x = self.mix(x)
        if x.size(0) > 1:
            x = self.norm(x)
        return {"out": x, "parts": torch.cat([x, x], dim=-1)}["parts"]


class Counting(nn.Module):
    """Scripted: numbers among the inputs, an error of its own, and a module with several forwards."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)

    def forward(self, x, times: int, scale: float, flips: bool):
        if times > 3:
            raise ValueError("more than three times")
        for _ in range(times):
            x = self.rnn(x)[0] * scale
        return (-x, x.sum()) if flips else (x, x.sum())


class OfLists(nn.Module):
    def forward(self, tensors: List[torch.Tensor]):  # noqa: UP006
        return tensors[0]


class TwoInputs(nn.Module):
    def forward(self, image, mask):
        return image * mask


class FromAnotherMachine(nn.Module):
    """Its code names a GPU, as that of a model does that was traced on one."""

    def forward(self, x):
        return x + halves(x.size(0)).to(torch.device("cuda:0"))


@torch.jit.script
def halves(size: int) -> torch.Tensor:
    return torch.full([size], 0.5, device=torch.device("cuda:0"))


def main(folder):
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    ids = torch.randint(0, 100, (BATCH, LENGTH))
    for name, (model_class, config) in small_models.MODELS.items():
        model = model_class(config).eval()
        with torch.no_grad():
            torch.jit.trace(model, ids).save(str(folder / f"{name}.pt"))
    torch.jit.script(Branching().eval()).save(str(folder / "branching.pt"))
    torch.jit.script(Counting().eval()).save(str(folder / "counting.pt"))
    torch.jit.script(OfLists()).save(str(folder / "lists.pt"))
    torch.jit.trace(TwoInputs(), (torch.ones(3), torch.ones(3))).save(str(folder / "two.pt"))
    torch.jit.script(FromAnotherMachine()).save(str(folder / "elsewhere.pt"))
    torch.save({"weight": torch.ones(3)}, str(folder / "weights.pt"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
