"""How much of a long test runs under the sanitizers."""
import os


def sanitized_share(rounds: int) -> int:
    """Of how many rounds one runs: `rounds` in a build with the sanitizers (tests/CMakeLists.txt sets EPWISE_SANITIZED), 1 elsewhere.

    >>> [row for number, row in enumerate("abcdef") if number % sanitized_share(2) == 0]
    ['a', 'b', 'c', 'd', 'e', 'f']
    """
    return rounds if os.environ.get("EPWISE_SANITIZED") == "1" else 1
