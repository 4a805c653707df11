"""Recipes in memory -> plain trees, as Megatron-Bridge's own YAML dumps have them.

Nothing of Megatron is imported: a container, a provider or a section is known by what it can do.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import functools
import types
from collections.abc import Mapping
from typing import Any

PLAIN = (bool, int, float, str, type(None))


def name_of(thing: Any) -> str:
    """"megatron.bridge.training.config.ConfigContainer" of a class or function."""
    return f"{thing.__module__}.{thing.__qualname__}"


def is_namespace(thing: Any) -> bool:
    return isinstance(thing, (argparse.Namespace, types.SimpleNamespace))


def is_recipe(thing: Any) -> bool:
    """Whether an object looks like a ConfigContainer: sections `model` and `train`, or the like of it as a dict."""
    if isinstance(thing, Mapping):
        return "model" in thing or "MODEL_ARGS" in thing
    return not isinstance(thing, type) and hasattr(thing, "model") and hasattr(thing, "train")


def _is_dtype(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "dtype" and kind.__module__.split(".")[0] == "torch"


def own_form(value: Any) -> Any:
    """The content that an object defines for its dump; None if it defines none."""
    if isinstance(value, type):
        return None
    for method in ("to_cfg_dict", "as_dict"):
        if callable(getattr(value, method, None)):
            return getattr(value, method)()
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
        return {"_target_": name_of(type(value)), **{name: getattr(value, name) for name in fields}}
    if is_recipe(value):
        return {name: item for name, item in vars(value).items() if not name.startswith("_")}
    if callable(getattr(value, "to_dict", None)):  # transformers' configurations
        return {"_target_": f"{name_of(type(value))}.from_dict", "_call_": True, "config_dict": value.to_dict()}
    return None


def _object(value: Any) -> Any:
    """The reference to a value that is not a tree, as a dump writes it."""
    if isinstance(value, enum.Enum):
        return {"_target_": name_of(type(value)), "_call_": True, "_args_": [value.value], "_name_": value.name}
    if isinstance(value, functools.partial):
        return {"_target_": name_of(value.func), "_partial_": True, "_args_": list(value.args), **value.keywords}
    if _is_dtype(value):
        return {"_target_": str(value), "_call_": False}
    own = own_form(value)
    if own is not None:
        return own
    if hasattr(value, "__qualname__") and getattr(value, "__module__", None):
        return {"_target_": name_of(value), "_call_": False}
    return {"_target_": name_of(type(value)), "_call_": True}


def tree_of(value: Any, above: tuple[int, ...] = ()) -> Any:
    """A tree of dicts, lists and plain values. Raises ValueError for one that contains itself."""
    if isinstance(value, PLAIN) and not isinstance(value, enum.Enum):
        return value
    if id(value) in above:
        raise ValueError(f"a {type(value).__qualname__} contains itself")
    above = (*above, id(value))
    if isinstance(value, Mapping):
        return {tree_of(key, above): tree_of(item, above) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [tree_of(item, above) for item in value]
    if isinstance(value, (set, frozenset)):
        return [tree_of(item, above) for item in sorted(value, key=repr)]
    return tree_of(_object(value), above)
