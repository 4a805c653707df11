"""What a caller calls a recipe -> a path or a text."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core, _flags
from ._options import mlm_version
from ._tree import PLAIN, is_namespace, own_form, tree_of
from ._yaml import yaml_of


@dataclasses.dataclass(frozen=True)
class Source:
    """A recipe as the library takes it."""

    name: str  # or path; empty: the words alone
    text: bytes | None  # instead of the file's
    words: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # of a namespace: attributes that no flag gives

    def core(self) -> _core.Recipe:
        return _core.Recipe(self.name, self.text, list(self.words))


def _yaml_text(config: Any, framework: str | None, version: str) -> tuple[str, tuple[str, ...]]:
    """The recipe as YAML, and what of a namespace has no flag."""
    attributes: Mapping[str, Any] | None = vars(config) if is_namespace(config) else None
    if attributes is None and isinstance(config, Mapping) and framework != "bridge" and "MODEL_ARGS" not in config:
        if config and all(str(key).startswith("-") for key in config):
            config = {"MODEL_ARGS": dict(config)}
        elif framework == "mlm" or config and _flags.knows(set(map(str, config)), version):
            attributes = config
    if attributes is not None:
        arguments, left_out = _flags.model_args(attributes, version)
        return yaml_of({"MODEL_ARGS": arguments}), left_out
    if not isinstance(config, Mapping) and own_form(config) is None:
        raise TypeError(f"a {type(config).__qualname__} has no fields to lint")
    return yaml_of(tree_of(config)), ()


def source_of(call: str, config: Any, name: str, options: Mapping[str, Any], words: Iterable[str] = ()) -> Source:
    """Raises TypeError for an object that is not a recipe."""
    behind = tuple(str(word) for word in words)
    if config is None and behind:
        return Source("", None, behind)
    if isinstance(config, str) or hasattr(config, "__fspath__"):
        path = os.fspath(config)
        if not isinstance(path, str):
            path = os.fsdecode(path)
        return Source(path, None, behind)
    if isinstance(config, PLAIN) or isinstance(config, (bytes, list, tuple, set, type)):
        raise TypeError(
            f"epwise.{call} takes the path of a file, a ConfigContainer, an argparse namespace or a dict, not "
            f"{type(config).__qualname__}"
        )
    text, left_out = _yaml_text(config, options.get("framework"), mlm_version(options.get("stack")))
    return Source(name, text.encode("utf-8", "surrogatepass"), behind, left_out)
