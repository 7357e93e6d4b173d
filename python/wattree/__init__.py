"""Wattree in Python: measures where a model's energy goes. Standard library only until a model is at hand."""

from __future__ import annotations

__all__: list[str] = []
