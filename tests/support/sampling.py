"""How much of a long test runs: all of it with EPWISE_COMPLETE=1, which .ci/run sets after `tests/run.sh`."""
import os


def complete() -> bool:
    return os.environ.get("EPWISE_COMPLETE") == "1"


def share(rounds: int) -> int:
    """Of how many rounds one runs: all of them (1) in a complete run, one of `rounds` otherwise."""
    return 1 if complete() else rounds


def sanitized_share(rounds: int) -> int:
    """Of how many rounds one runs: `rounds` in a build with the sanitizers (tests/CMakeLists.txt sets EPWISE_SANITIZED), 1 elsewhere.

    >>> [row for number, row in enumerate("abcdef") if number % sanitized_share(2) == 0]
    ['a', 'b', 'c', 'd', 'e', 'f']
    """
    return rounds if os.environ.get("EPWISE_SANITIZED") == "1" else 1
