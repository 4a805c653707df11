"""Holds SARIF logs against the published schema.

    validate_sarif.py SCHEMA PROGRAM [ARGUMENT…]

PROGRAM prints a line for each log: a name, a tab, the log. Exit 0: all are valid; 1: one is not, or
the validator accepts anything; 77: Python's jsonschema is missing.
"""
import copy
import json
import subprocess
import sys

SKIPPED = 77


def logs(command):
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8").splitlines()
    for line in lines:
        name, _, text = line.partition("\t")
        yield name, json.loads(text)


def broken(log):
    """Copies of a valid log, each with one mistake that the schema forbids."""
    for name, change in (
        ("no version", lambda run, copied: copied.pop("version")),
        ("unknown key", lambda run, copied: run.update(colour="red")),
        ("tool without a driver", lambda run, copied: run.update(tool={})),
        ("column kind", lambda run, copied: run.update(columnKind="bytes")),
        ("result without a message", lambda run, copied: run.update(results=[{"ruleId": "a/b"}])),
        ("line 0", lambda run, copied: run.update(results=[{
            "message": {"text": "x"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a"}, "region": {"startLine": 0}}}]}])),
    ):
        copied = copy.deepcopy(log)
        change(copied["runs"][0], copied)
        yield name, copied


def main():
    try:
        import jsonschema
    except ImportError:
        print("skipped: Python's jsonschema is missing (Debian: python3-jsonschema)")
        return SKIPPED
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft4Validator.check_schema(schema)
    validator = jsonschema.Draft4Validator(schema)
    failures = 0
    checked = 0
    for name, log in logs(sys.argv[2:]):
        checked += 1
        for error in validator.iter_errors(log):
            failures += 1
            print(f"{name}: /{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        for mistake, wrong in broken(log):
            if validator.is_valid(wrong):
                failures += 1
                print(f"{name}: the validator accepts a log with a mistake ({mistake})")
    print(f"{checked} logs checked, {failures} failures")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
