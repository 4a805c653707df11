"""Megatron-LM's parsed arguments -> the flags that give them."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Mapping
from typing import Any

from . import _core
from ._tree import _is_dtype

DTYPES = {"torch.float32": "fp32", "torch.float16": "fp16", "torch.bfloat16": "bf16", "torch.uint8": "fp8"}


def _word(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, enum.Enum):
        return value.name
    if _is_dtype(value):
        return DTYPES.get(str(value), str(value))
    if isinstance(value, (list, tuple)):  # ([0]*1+[1]*7): in brackets alone it would be several words
        runs = [(text, len(list(run))) for text, run in itertools.groupby(map(_word, value))]
        return f"({'+'.join(f'[{text}]*{count}' for text, count in runs) or '[]'})"
    return str(value)


def _typed(row: Mapping[str, Any], value: Any) -> Any:
    """The value of the flag in MODEL_ARGS; None if it is not given."""
    action = row["action"]
    if action in ("store_true", "store_false"):
        return True if value is (action == "store_true") else None
    if action == "store_const":
        return True if value == row["constant"] else None
    if value is None or action == "help":
        return None
    if isinstance(value, bool):
        return _word(value)  # a text: alone, `true` would make a bare flag of it
    if isinstance(value, (int, float)):
        return value
    if (row["several"] or action == "append") and isinstance(value, (list, tuple)):
        return f"[{' '.join(map(_word, value))}]"
    return _word(value)


def _is_default(row: Mapping[str, Any], value: Any) -> bool:
    if "default" not in row or row["required"]:
        return False
    default = row["default"]
    return bool(type(default) is type(value) and default == value) or _word(value) == default


def knows(names: set[str], version: str) -> bool:
    """Whether most of these are attributes of Megatron-LM's arguments."""
    attributes = {row["attribute"] for row in _core.flags(version)}
    return 2 * len(names & attributes) > len(names)


def model_args(attributes: Mapping[str, Any], version: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """MODEL_ARGS of a namespace, and the attributes that no flag gives. Defaults are not written down."""
    arguments: dict[str, Any] = {}
    known = set()
    for row in _core.flags(version):
        name = row["attribute"]
        if name not in attributes:
            continue
        known.add(name)
        typed = None if _is_default(row, attributes[name]) else _typed(row, attributes[name])
        if typed is not None:
            arguments[row["spelling"]] = typed
    left_out = sorted(name for name in attributes if name not in known)
    return arguments, tuple(left_out)
