"""Parameters that every call has, as the C++ library takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict, Union

from . import _core
from ._errors import UsageError

Path = Union[str, "os.PathLike[str]"]
Words = Union[str, Iterable[str]]
FailOn = Literal["error", "warning", "note", "never", "hang", "wrong", "memory", "slow"]


class Options(TypedDict, total=False):
    """Settings of a call; each is an option of the command line. Values that are not given stay unknown, unless the recipe's
    header or the configuration gives them."""

    hw: str | None  # "h100"; "auto" for this machine
    gpus: int | None  # of the whole job
    stack: str | Mapping[str, str] | None  # "te=2.14.0,torch=2.9.1", {"te": "2.14.0"}, "nemo-26.06", "auto"
    framework: Literal["bridge", "mlm"] | None
    env: Mapping[str, str | None] | None  # of the job; None for a variable that is known to be unset
    purpose: Literal["training", "benchmark", "bring-up", "comparison", "tuning", "production"] | None
    harness: Mapping[str, str] | None
    base: Path | None  # base recipe for override files
    select: Words  # rules, by id, code, a prefix of either or a confidence
    ignore: Words
    extend_select: Words  # in addition to what the configuration selects
    extend_ignore: Words
    rules: Path | None  # a folder of additional rules
    fail_on: FailOn | None  # the severity from which `exit_code` is 1
    strict: bool  # an undecided rule fails too
    configuration: Path | None  # instead of the nearest .epwise.yaml; "none" for none
    target_entry: str | None  # an entry of its `targets`, instead of the one whose paths match
    baseline: Path | None  # "none": not the configuration's either
    comments: bool  # False: `# epwise: ignore[...]` is disregarded
    today: str | None  # "2026-11-22", for comments that expire
    inputs: Mapping[str, str] | None  # of predictions: {"host": "40us"}
    calibration: Path | None  # a file that `epwise calibrate` wrote
    document: int | Literal["merge", "all"] | None  # of a YAML stream


NAMES = frozenset(Options.__annotations__)
RULE_LISTS = ("select", "ignore", "extend_select", "extend_ignore")


def listed(value: Words) -> list[str]:
    return [value] if isinstance(value, str) else [str(each) for each in value]


def pairs(value: Mapping[str, str] | None) -> list[str]:
    return [f"{name}={each}" for name, each in (value or {}).items()]


def stack_list(stack: str | Mapping[str, str] | None) -> list[str]:
    if stack is None:
        return []
    return [stack] if isinstance(stack, str) else pairs(stack)


def mlm_version(stack: str | Mapping[str, str] | None) -> str:
    words = ",".join(stack_list(stack)).split(",")
    return dict(word.split("=", 1) for word in words if "=" in word).get("mlm", "")


def checked(call: str, options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in NAMES:
            raise TypeError(f"epwise.{call}() got an unexpected keyword argument {name!r}")


def _count(name: str, value: Any) -> int | None:
    try:
        return int(value) if value is not None else None
    except ValueError:
        raise UsageError(f"{name} takes a number, not `{value}`") from None


def core_options(options: Mapping[str, Any]) -> _core.Options:
    result = _core.Options()
    for name in ("hw", "framework", "purpose", "fail_on", "target_entry", "today"):
        setattr(result, name, str(options.get(name) or ""))
    for name in ("base", "rules", "configuration", "baseline", "calibration"):
        path = options.get(name)
        setattr(result, name, os.fspath(path) if path is not None else "")
    result.gpus = _count("gpus", options.get("gpus"))
    result.stack = stack_list(options.get("stack"))
    result.env = dict(options.get("env") or {})
    result.harness = pairs(options.get("harness"))
    for name in RULE_LISTS:
        setattr(result, name, listed(options.get(name) or ()))
    result.strict = bool(options.get("strict", False))
    result.comments = bool(options.get("comments", True))
    result.inputs = pairs(options.get("inputs"))
    document = options.get("document")
    result.document = str(document) if document is not None else ""
    return result
