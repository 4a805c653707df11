#!/usr/bin/env python3
"""Guards the agreement with the real validators: the verdict vectors (tests/README.md, "Data that is not in the repository"),
scored by support/scoring.py.

    tests/agreement/vectors.py BIN [--all]      the first 20 vectors of every version, 150 in a complete run; --all takes them all

Exit status: 0 every floor is met, 1 one is not, 77 no verdict vectors.
"""
import pathlib, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402
from sampling import complete  # noqa: E402
SCORING = pathlib.Path(__file__).resolve().parents[1] / 'support/scoring.py'
FLOORS = ['agreement=0.99', 'false_rejects=0.002', 'undecided=0.002', 'rule=0.97', 'rewrite=0.98', 'invented=0.01']


def main():
    files = sorted((EVIDENCE / 'vectors').glob('bridge-[0-9h]*.jsonl')) + sorted((EVIDENCE / 'vectors').glob('mlm-[0-9h]*.jsonl'))
    if not files:
        skip('vectors')
    floors = [word for floor in FLOORS for word in ('--floor', floor)]
    some = [] if '--all' in sys.argv else ['--limit', '150' if complete() else '20']
    worst = 0
    for path in files:  # one at a time: --limit counts over all files of a call
        worst = max(worst, subprocess.run([sys.executable, str(SCORING), sys.argv[1], str(path), *some, *floors]).returncode)
    return worst


if __name__ == '__main__':
    sys.exit(main())
