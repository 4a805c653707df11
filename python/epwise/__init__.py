"""Checks Megatron MoE recipes and predicts their step time before they reach the cluster.

    >>> import epwise
    >>> report = epwise.lint(recipe(), hw="h100", gpus=64, stack={"bridge": "0.6.2"})
    >>> report.verdict
    'rejects'
    >>> [finding.code for finding in report.errors]
    ['PAR019']
    >>> print(report)                    # as the command `epwise lint` prints it
    >>> epwise.simulate("recipe.yaml", hw="h100", gpus=64).step_time_s
    Interval(value=10.2, low=8.9, high=11.7)

A recipe is the path of a file, a ConfigContainer, an argparse namespace or a dict. The command `epwise` is installed
with this module and gives the same answers.
"""

from ._calls import advise, compare, diff, explain, fix, gate, lint, simulate
from ._core import version as __version__
from ._errors import Error, InternalError, UsageError
from ._options import Options
from ._report import (
    Accepted,
    Advice,
    Budget,
    Cause,
    ChangedField,
    ComparedRecipe,
    Comparison,
    Crash,
    Difference,
    Dispatcher,
    Edit,
    Explanation,
    Finding,
    Fix,
    FixedField,
    FixReport,
    GateReport,
    Input,
    Interval,
    Memory,
    Plan,
    PlanChange,
    Prediction,
    Report,
    Suspect,
    Term,
    Told,
    UnsettledError,
    Wall,
)

__all__ = [
    "Accepted",
    "Advice",
    "Budget",
    "Cause",
    "ChangedField",
    "ComparedRecipe",
    "Comparison",
    "Crash",
    "Difference",
    "Dispatcher",
    "Edit",
    "Error",
    "Explanation",
    "Finding",
    "Fix",
    "FixReport",
    "FixedField",
    "GateReport",
    "Input",
    "InternalError",
    "Interval",
    "Memory",
    "Options",
    "Plan",
    "PlanChange",
    "Prediction",
    "Report",
    "Suspect",
    "Term",
    "Told",
    "UnsettledError",
    "UsageError",
    "Wall",
    "__version__",
    "advise",
    "compare",
    "diff",
    "explain",
    "fix",
    "gate",
    "lint",
    "simulate",
]
