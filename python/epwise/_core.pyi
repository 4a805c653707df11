from collections.abc import Sequence
from typing import Any

version: str

class Options:
    hw: str
    gpus: int | None
    stack: list[str]
    framework: str
    env: dict[str, str | None]
    purpose: str
    harness: list[str]
    base: str
    select: list[str]
    ignore: list[str]
    rules: str
    fail_on: str
    strict: bool
    configuration: str
    target_entry: str
    baseline: str
    comments: bool
    today: str
    inputs: list[str]
    calibration: str
    document: str

class AdviceOptions:
    goal: str
    keep: list[str]
    may_change: list[str]
    top: int | None
    profile: str
    among: list[str]

class GateOptions:
    max_exposed_comm: str
    min_headroom: str
    max_regression: str
    against: str
    since: str
    staged: bool
    skip_others: bool
    receipt: str

class Recipe:
    def __init__(self, name: str, text: bytes | None, words: Sequence[str]) -> None: ...

def flags(version: str) -> list[dict[str, Any]]: ...
def lint(recipe: Recipe, options: Options) -> tuple[str, bytes]: ...
def lint_text(recipe: Recipe, options: Options) -> str: ...
def fix(recipe: Recipe, options: Options, tier: int) -> tuple[str, bytes, list[str], str, bool]: ...
def simulate(recipe: Recipe, options: Options, force: bool) -> tuple[str, str, int]: ...
def compare(a: Recipe, b: Recipe, options: Options, force: bool) -> tuple[str, str, int]: ...
def advise(recipe: Recipe, options: Options, how: AdviceOptions) -> tuple[str, str, int, list[bytes]]: ...
def explain(log: bytes, name: str, recipe: Recipe | None, options: Options) -> tuple[str, str, int]: ...
def diff(before: Recipe, after: Recipe, options: Options) -> tuple[str, str, int]: ...
def gate(recipes: Sequence[Recipe], options: Options, how: GateOptions) -> tuple[str, int, list[str]]: ...
def gate_text(recipes: Sequence[Recipe], options: Options, how: GateOptions) -> str: ...
