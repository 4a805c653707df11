"""epwise.lint: a recipe in memory -> the command's own run over its text."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core, _flags
from ._errors import Error, InternalError, UsageError
from ._report import Report, report_of
from ._tree import PLAIN, is_namespace, own_form, tree_of
from ._yaml import yaml_of


def _listed(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _stack_text(stack: str | Mapping[str, str]) -> str:
    if isinstance(stack, str):
        return stack
    return ",".join(f"{name}={version}" for name, version in stack.items())


def _mlm_version(stack: str) -> str:
    versions = dict(part.split("=", 1) for part in stack.split(",") if "=" in part)
    return versions.get("mlm", "")


def _text_of(config: Any, framework: str | None, version: str) -> tuple[str, tuple[str, ...]]:
    """The recipe as YAML, and what of a namespace has no flag."""
    if isinstance(config, PLAIN) or isinstance(config, (bytes, list, tuple, set, type)) or hasattr(config, "__fspath__"):
        raise TypeError(
            f"epwise.lint takes a ConfigContainer, an argparse namespace or a dict, not {type(config).__qualname__}"
            "; a file is for the command `epwise lint`"
        )
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


def _run(words: list[str], text: str) -> tuple[int, str]:
    code, out, err = _core.run(words, text)
    if code in (0, 1):
        return code, out
    said = [line.removeprefix("epwise: ") for line in err.splitlines() if line != "epwise: nothing was checked"]
    sentence = "\n".join(said) or f"`epwise {' '.join(words)}` ended with {code}"
    raise {2: UsageError, 70: InternalError}.get(code, Error)(sentence)


def lint(
    config: Any,
    *,
    hw: str | None = None,
    gpus: int | None = None,
    stack: str | Mapping[str, str] | None = None,
    framework: str | None = None,
    env: Mapping[str, str | None] | None = None,
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    fail_on: str = "error",
    configuration: str | None = None,
    name: str = "recipe",
) -> Report:
    """Lints a recipe that Python holds. The parameters are options of the command `epwise lint`, which says the same
    of the same recipe; EPWISE_* variables don't count here, the nearest `.epwise.yaml` does.

    config: a ConfigContainer of Megatron-Bridge (any tree of dataclasses), parsed arguments of Megatron-LM
        (argparse.Namespace), or a dict: sections as in a recipe's YAML, MODEL_ARGS, flags, or arguments by name.
    hw, gpus, stack: the target: "h100", 64, "te=2.14.0,torch=2.9.1" or {"te": "2.14.0"} or "nemo-25.09"; "auto" for
        this machine. What is not said stays unknown.
    env: the job's environment; None for a variable that is known to be unset.
    select, ignore: rules, by id, code or how either begins.
    fail_on: from which severity on Report.exit_code is 1.
    configuration: a file instead of the nearest .epwise.yaml; "none" for none.
    name: how messages call the recipe; where it looks like a path, configurations are looked for from there.

    Raises UsageError for wrong parameters, TypeError for what is no recipe at all. What is wrong with the recipe is a
    finding. Other threads run meanwhile.
    """
    target = _stack_text(stack) if stack is not None else ""
    text, left_out = _text_of(config, framework, _mlm_version(target))
    words = ["lint", "-", "--stdin-filename", name, "--fail-on", fail_on, "--color", "never"]
    for option, value in (("--hw", hw), ("--gpus", gpus), ("--framework", framework), ("--config", configuration)):
        if value is not None:
            words += [option, str(value)]
    if target:
        words += ["--stack", target]
    for variable, content in (env or {}).items():
        words += ["--env", variable if content is None else f"{variable}={content}"]
    for option, rules in (("--select", _listed(select)), ("--ignore", _listed(ignore))):
        for rule in rules:
            words += [option, rule]
    _, out = _run([*words, "--format", "json"], text)
    full = functools.cache(lambda: _run([*words, "--format", "full"], text)[1])
    return report_of(name, text, json.loads(out), left_out, full)
