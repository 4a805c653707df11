"""Holds what CHANGELOG.md promises of codes against the program and against tests/rule_codes.txt, which only grows.

usage: promise.py EPWISE [--update]

A rule may get another id when it keeps the old one as an alias; its code never gets another meaning, and a code that went stays taken.
--update adds the rules that the list lacks: before a release.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LEDGER = ROOT / "tests/rule_codes.txt"
PROBLEMS: list[str] = []


def check_rules(update: bool) -> None:
    done = subprocess.run([sys.argv[1], "rules", "list", "--format", "json"], capture_output=True, text=True, check=True)
    rules = {rule["code"]: rule for rule in json.loads(done.stdout)["rules"]}
    kept = dict(line.split() for line in LEDGER.read_text().splitlines() if line and not line.startswith("#"))
    for code, name in kept.items():
        rule = rules.get(code)
        if rule is None:
            PROBLEMS.append(f"{code} ({name}) is gone: rules that are no longer checked keep their code and say so")
        elif name not in (rule["id"], *rule["aliases"]):
            PROBLEMS.append(f"{code} was {name} and is {rule['id']}, without an alias")
    new = {code: rule["id"] for code, rule in rules.items() if code not in kept}
    if update:
        head = [line for line in LEDGER.read_text().splitlines() if line.startswith("#")]
        LEDGER.write_text("\n".join([*head, *(f"{code} {name}" for code, name in sorted((kept | new).items()))]) + "\n")
    print(f"{len(kept)} codes kept, {len(new)} are new")


def check_exit_codes() -> None:
    """The words of the promise name each exit code of exit_code.h, with its number."""
    header = (ROOT / "src/ui/exit_code.h").read_text()
    codes = {int(number) for number in re.findall(r"^\s+\w+ = (\d+),", header, re.MULTILINE)}
    promise = (ROOT / "CHANGELOG.md").read_text().split("* **Exit codes**")[1].split("* **JSON**")[0]
    named = {int(number) for number in re.findall(r"\b(\d+) [a-z]", promise)}
    if named != codes:
        PROBLEMS.append(f"exit codes: the changelog promises {sorted(named)}, the program has {sorted(codes)}")


def main() -> int:
    check_rules("--update" in sys.argv)
    check_exit_codes()
    for problem in PROBLEMS:
        print(problem)
    return 1 if PROBLEMS else 0


if __name__ == "__main__":
    sys.exit(main())
