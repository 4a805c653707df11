"""The C++ library, by way of two C functions of _library.so (python/library.cc): a request and its answer are JSON documents.
ctypes lets other threads of Python run during a call."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import json
import pathlib
from collections.abc import Sequence
from typing import Any

from . import _errors

_library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("_library.so")))
_library.epwise_call.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t))
_library.epwise_call.restype = ctypes.c_void_p
_library.epwise_free.argtypes = (ctypes.c_void_p,)
_library.epwise_free.restype = None


@dataclasses.dataclass(slots=True)
class Options:
    hw: str = ""
    gpus: int | None = None
    stack: list[str] = dataclasses.field(default_factory=list)
    framework: str = ""
    env: dict[str, str | None] = dataclasses.field(default_factory=dict)
    purpose: str = ""
    harness: list[str] = dataclasses.field(default_factory=list)
    base: str = ""
    select: list[str] = dataclasses.field(default_factory=list)
    ignore: list[str] = dataclasses.field(default_factory=list)
    extend_select: list[str] = dataclasses.field(default_factory=list)
    extend_ignore: list[str] = dataclasses.field(default_factory=list)
    rules: str = ""
    fail_on: str = ""
    strict: bool = False
    configuration: str = ""
    target_entry: str = ""
    baseline: str = ""
    comments: bool = True
    today: str = ""
    inputs: list[str] = dataclasses.field(default_factory=list)
    calibration: str = ""
    document: str = ""


@dataclasses.dataclass(slots=True)
class AdviceOptions:
    goal: str = ""
    keep: list[str] = dataclasses.field(default_factory=list)
    may_change: list[str] = dataclasses.field(default_factory=list)
    top: int | None = None
    profile: str = ""
    among: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class GateOptions:
    max_exposed_comm: str = ""
    min_headroom: str = ""
    max_regression: str = ""
    against: str = ""
    since: str = ""
    staged: bool = False
    skip_others: bool = False
    receipt: str = ""


@dataclasses.dataclass(slots=True)
class Recipe:
    name: str
    text: bytes | None
    words: Sequence[str]


def _sent(value: Any) -> Any:
    """A value with a character for each byte of its texts."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape" if _escaped(value) else "surrogatepass").decode("latin-1")
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if dataclasses.is_dataclass(value):
        return {field.name: _sent(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {_sent(name): _sent(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_sent(each) for each in value]
    return value


def _escaped(text: str) -> bool:
    """Whether its surrogates are bytes of a file name, as os.fsdecode writes them."""
    return all(not "\ud800" <= each <= "\udfff" or "\udc80" <= each <= "\udcff" for each in text)


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _text(text: str) -> str:
    """What people read may quote bytes of a file that are no UTF-8."""
    return _bytes(text).decode("utf-8", "replace")


def _call(name: str, /, **request: Any) -> Any:
    document = json.dumps({"call": name, **_sent(request)}, ensure_ascii=False).encode()
    size = ctypes.c_size_t()
    answer = _library.epwise_call(document, len(document), ctypes.byref(size))
    if not answer:
        raise MemoryError
    try:
        said = json.loads(ctypes.string_at(answer, size.value))
    finally:
        _library.epwise_free(answer)
    if "error" in said:
        raise getattr(_errors, said["error"])(_text(said["message"]))
    return said["value"]


version: str = _call("version")


@functools.lru_cache(maxsize=8)
def flags(version: str) -> list[dict[str, Any]]:
    return list(_call("flags", version=version))


def lint(recipe: Recipe, options: Options) -> tuple[str, bytes]:
    document, source = _call("lint", recipe=recipe, options=options)
    return _text(document), _bytes(source)


def lint_text(recipe: Recipe, options: Options) -> str:
    return _text(_call("lint_text", recipe=recipe, options=options))


def fix(recipe: Recipe, options: Options, tier: int) -> tuple[str, bytes, list[str], str, bool]:
    document, text, words, difference, changed = _call("fix", recipe=recipe, options=options, tier=tier)
    return _text(document), _bytes(text), [_text(each) for each in words], _text(difference), bool(changed)


def _answer(said: list[Any]) -> tuple[str, str, int]:
    return _text(said[0]), _text(said[1]), int(said[2])


def simulate(recipe: Recipe, options: Options, force: bool) -> tuple[str, str, int]:
    return _answer(_call("simulate", recipe=recipe, options=options, force=force))


def compare(a: Recipe, b: Recipe, options: Options, force: bool) -> tuple[str, str, int]:
    return _answer(_call("compare", a=a, b=b, options=options, force=force))


def advise(recipe: Recipe, options: Options, how: AdviceOptions) -> tuple[str, str, int, list[bytes]]:
    said = _call("advise", recipe=recipe, options=options, how=how)
    return *_answer(said), [_bytes(each) for each in said[3]]


def explain(log: bytes, name: str, recipe: Recipe | None, options: Options) -> tuple[str, str, int]:
    return _answer(_call("explain", log=log, name=name, recipe=recipe, options=options))


def diff(before: Recipe, after: Recipe, options: Options) -> tuple[str, str, int]:
    return _answer(_call("diff", before=before, after=after, options=options))


def gate(recipes: Sequence[Recipe], options: Options, how: GateOptions) -> tuple[str, int, list[str]]:
    document, exit_code, problems = _call("gate", recipes=list(recipes), options=options, how=how)
    return _text(document), int(exit_code), [_text(each) for each in problems]


def gate_text(recipes: Sequence[Recipe], options: Options, how: GateOptions) -> str:
    return _text(_call("gate_text", recipes=list(recipes), options=options, how=how))
