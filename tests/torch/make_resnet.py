"""Writes a ResNet-50 in bf16 as TorchScript, traced.pt and scripted.pt, into FOLDER. Usage: make_resnet.py FOLDER

After He et al. 2016 with the stride in the 3 x 3 convolutions, as torchvision and Transformers have it. Its weights are
random: what it takes does not depend on them."""

import pathlib
import sys

import torch
from torch import nn


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.Identity()
        if stride != 1 or channels != 4 * width:
            self.downsample = nn.Sequential(nn.Conv2d(channels, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + self.downsample(x))


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, 2, 1))
        stages, channels = [], 64
        for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for block in range(blocks):
                stages.append(Bottleneck(channels, width, stride if block == 0 else 1))
                channels = 4 * width
        self.stages = nn.Sequential(*stages)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        return self.fc(torch.flatten(self.pool(self.stages(self.stem(x))), 1))


def main(folder):
    torch.manual_seed(0)
    model = ResNet50().eval().to(torch.bfloat16)
    with torch.no_grad():
        torch.jit.trace(model, torch.randn(1, 3, 64, 64, dtype=torch.bfloat16)).save(str(folder / "traced.pt"))
    torch.jit.script(model).save(str(folder / "scripted.pt"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
