#!/usr/bin/env python3
"""Answers of `epwise cost` against published measurements of kernels and collectives.

    tests/agreement/costs.py BIN

Runs tools/micro.py of the evidence, which compares 3,106 rows, and holds it to the median and the 90th percentile of the relative error
that docs/accuracy.md states. Exit status: 0 within, 1 not, 77 no evidence (tests/README.md).
"""
import pathlib, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402

SCORE = EVIDENCE / 'tools/micro.py'
LIMITS = ('median=0.03', 'p90=0.11')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not SCORE.is_file():
        skip('tools/micro.py')
    limits = [word for limit in LIMITS for word in ('--limit', limit)]
    return subprocess.run([sys.executable, SCORE, '--bin', sys.argv[1], *limits]).returncode


if __name__ == '__main__':
    sys.exit(main())
