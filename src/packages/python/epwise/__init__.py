"""What will go wrong with a Megatron MoE recipe, before it reaches the cluster.

    >>> import epwise
    >>> report = epwise.lint(recipe(), hw="h100", gpus=64, stack={"bridge": "0.6.2"})
    >>> report.verdict
    'rejects'
    >>> [finding.code for finding in report.errors]
    ['PAR019']
    >>> print(report)                    # as the command `epwise lint` prints it

The command `epwise` stands beside this module and says the same.
"""

from ._errors import Error, InternalError, UsageError
from ._linting import lint
from ._report import Finding, Report

__all__ = ["Error", "Finding", "InternalError", "Report", "UsageError", "lint"]
