"""The calls of this package. A recipe is the path of a file (str or PathLike), a ConfigContainer of Megatron-Bridge (any
tree of dataclasses), parsed arguments of Megatron-LM (argparse.Namespace), or a dict: sections as in a recipe's YAML,
MODEL_ARGS, flags, or arguments by name.

Each call gives the result of the command with the same name. Its further parameters are those of `epwise.Options`; EPWISE_*
variables are ignored, the nearest `.epwise.yaml` applies. Messages call a recipe in memory `name`; if that is a path, the
configuration is searched from there. `words` are overrides, as after `--` on a command line.

Problems of a recipe are findings. UsageError: a parameter or a configuration is invalid. TypeError: the argument is not a
recipe at all. Error: a file cannot be read. InternalError: a bug in epwise. Other threads run meanwhile.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _core
from ._errors import Error
from ._options import RULE_LISTS, Options, Path, Words, checked, core_options, listed
from ._recipes import Source, source_of
from ._report import (
    Advice,
    Comparison,
    Difference,
    Explanation,
    FixReport,
    GateReport,
    Prediction,
    Report,
    Tier,
    advice_of,
    comparison_of,
    difference_of,
    explanation_of,
    fix_report_of,
    gate_options,
    gate_report_of,
    prediction_of,
    report_of,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

TIERS: tuple[Tier, ...] = ("neutral", "performance", "training")


def _kept(options: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that outlive the call, so that a result can be printed and pickled later."""
    kept = {name: listed(value) if name in RULE_LISTS else value for name, value in options.items()}
    return copy.deepcopy({name: dict(value) if isinstance(value, Mapping) else value for name, value in kept.items()})


def _asked(call: str, options: Options, configs: Iterable[tuple[Any, str]], words: Iterable[str] = ()) -> tuple[Source, ...]:
    checked(call, options)
    behind = listed(words)
    return tuple(source_of(call, config, name, options, behind) for config, name in configs)


def lint(config: Any, *, name: str = "recipe", words: Words = (), **options: Unpack[Options]) -> Report:
    """What goes wrong when the recipe is launched.

    >>> epwise.lint("recipe.yaml", hw="h100", gpus=64).verdict
    'rejects'
    """
    kept = _kept(options)
    (source,) = _asked("lint", cast(Options, kept), [(config, name)], words)
    document, text = _core.lint(source.core(), core_options(kept))
    return report_of(source, kept, document, text)


def fix(config: Any, *, tier: Tier = "neutral", name: str = "recipe", words: Words = (), **options: Unpack[Options]) -> FixReport:
    """The smallest set of changes that leaves no errors, then what can be done about warnings; each set was linted.
    Nothing is written: `text` is the recipe with the changes.

    tier: the highest that a change may have. "neutral" leaves the run as it is, "performance" may touch speed and memory,
        "training" the mathematics too.
    """
    if tier not in TIERS:
        raise ValueError(f"tier is one of {', '.join(TIERS)}, not {tier!r}")
    (source,) = _asked("fix", options, [(config, name)], words)
    return fix_report_of(*_core.fix(source.core(), core_options(options), TIERS.index(tier)))


def simulate(config: Any, *, force: bool = False, name: str = "recipe", words: Words = (), **options: Unpack[Options]) -> Prediction:
    """The time of a step, with its 80 % interval, and where it goes.

    force: predict a recipe even if lint finds errors in it.
    """
    (source,) = _asked("simulate", options, [(config, name)], words)
    return prediction_of(*_core.simulate(source.core(), core_options(options), force))


def compare(a: Any, b: Any, *, force: bool = False, names: tuple[str, str] = ("a", "b"), **options: Unpack[Options]) -> Comparison:
    """Which of two recipes is faster, by how much and why. Recipes with errors are compared too.

    force: errors of lint do not make `exit_code` 1.
    """
    first, second = _asked("compare", options, zip((a, b), names))
    return comparison_of(*_core.compare(first.core(), second.core(), core_options(options), force))


def advise(
    config: Any,
    *,
    goal: Literal["speed", "memory", "safe"] = "speed",
    keep: Words = (),
    may_change: Words = (),
    top: int | None = None,
    profile: Path | None = None,
    among: Iterable[Path] = (),
    name: str = "recipe",
    words: Words = (),
    **options: Unpack[Options],
) -> Advice:
    """Faster or smaller variants of the recipe that lint clean and fit in memory. Takes seconds; `hw` and `gpus` must be
    known.

    keep, may_change: groups (mapping, batch, recompute, dispatcher, overlap, graphs, precision), axes and fields.
    top: how many plans.
    profile: a file of figures measured with this recipe.
    among: files of recipes to rank next to the plans.
    """
    (source,) = _asked("advise", options, [(config, name)], words)
    how = _core.AdviceOptions()
    how.goal = goal
    how.keep = listed(keep)
    how.may_change = listed(may_change)
    how.top = top
    how.profile = os.fspath(profile) if profile is not None else ""
    how.among = [os.fspath(path) for path in among]
    return advice_of(*_core.advise(source.core(), core_options(options), how))


def explain(
    log: Path | None = None,
    config: Any = None,
    *,
    text: str | bytes | None = None,
    name: str = "recipe",
    words: Words = (),
    **options: Unpack[Options],
) -> Explanation:
    """The rules that explain the errors of a job's log and, with the recipe of the run, the values that violate them.

    log: the path of the log. text: its contents, instead.
    """
    if (log is None) == (text is None):
        raise TypeError("epwise.explain takes the path of a log or, as `text`, what it holds")
    sources = _asked("explain", options, [(config, name)] if config is not None or words else [], words)
    content = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    if content is None:
        try:
            with open(cast(Path, log), "rb") as file:
                content = file.read()
        except OSError as error:
            raise Error(f"cannot read {os.fspath(cast(Path, log))}: {error.strerror}") from error
    recipe = sources[0].core() if sources else None
    return explanation_of(*_core.explain(content, os.fspath(log) if log is not None else "log", recipe, core_options(options)))


def diff(before: Any, after: Any, *, names: tuple[str, str] = ("before", "after"), **options: Unpack[Options]) -> Difference:
    """The effects of a change to a recipe, as executed: findings introduced and removed, step time and memory."""
    first, second = _asked("diff", options, zip((before, after), names))
    return difference_of(*_core.diff(first.core(), second.core(), core_options(options)))


def gate(
    configs: Any,
    *,
    max_exposed_comm: str | None = None,
    min_headroom: str | None = None,
    max_regression: str | None = None,
    against: str | None = None,
    since: str | None = None,
    staged: bool = False,
    skip_others: bool = False,
    receipt: Path | None = None,
    name: str = "recipe",
    words: Words = (),
    **options: Unpack[Options],
) -> GateReport:
    """Lint and budgets in one answer, of one recipe or folder or of a list of them.

    max_exposed_comm, min_headroom, max_regression: "8%", "6GiB", "2%" (with `against`, a revision).
    since, staged, skip_others: which files are checked.
    receipt: a file to which a receipt of the check is written.
    """
    many = configs if isinstance(configs, (list, tuple)) else [configs]
    named = [(config, name if len(many) == 1 else f"{name}-{i}") for i, config in enumerate(many, 1)]
    kept = _kept(options)
    sources = _asked("gate", cast(Options, kept), named, words)
    limits: dict[str, Any] = {
        "max_exposed_comm": max_exposed_comm,
        "min_headroom": min_headroom,
        "max_regression": max_regression,
        "against": against,
        "since": since,
        "staged": staged,
        "skip_others": skip_others,
    }
    with_receipt = {**limits, "receipt": os.fspath(receipt) if receipt is not None else None}
    answer = _core.gate([source.core() for source in sources], core_options(kept), gate_options(with_receipt))
    return gate_report_of(sources, kept, limits, *answer)
