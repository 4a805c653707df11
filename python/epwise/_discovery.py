"""Which functions of a package make recipes."""

from __future__ import annotations

import fnmatch
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any


NAMES = ("*_config", "*_recipe")


def module_names(name: str) -> Iterator[str]:
    """A module, or a package and all below it, sorted."""
    yield name
    try:
        folders = getattr(importlib.import_module(name), "__path__", None)
    except Exception:
        return  # its import is reported on its own
    found = pkgutil.walk_packages(folders, name + ".", onerror=lambda _: None) if folders else ()
    yield from sorted(module.name for module in found if not module.name.endswith(".__main__"))


def recipe_functions(module: Any, patterns: Iterable[str] = ()) -> Iterator[Callable[..., Any]]:
    for name, function in vars(module).items():
        defined_here = inspect.isfunction(function) and function.__module__ == module.__name__
        if not defined_here or name.startswith("_"):
            continue
        said = function.__annotations__.get("return")
        if said is not None:
            text = said if isinstance(said, str) else getattr(said, "__name__", str(said))
            if text.strip("\"'").endswith("ConfigContainer"):
                yield function
        elif any(fnmatch.fnmatch(name, pattern) for pattern in patterns or NAMES):
            yield function
