#!/usr/bin/env python3
"""Answers of `epwise cost` against published measurements of kernels and collectives.

    tests/agreement/costs.py BIN

Runs ../shared/tools/micro.py, which compares 3,106 rows, and holds it to the median and the 90th percentile of the relative error
that README.md states. Exit status: 0 within, 1 not, 77 there is no ../shared.
"""
import pathlib, subprocess, sys

SCORE = pathlib.Path(__file__).resolve().parents[2].parent / 'shared/tools/micro.py'
LIMITS = ('median=0.03', 'p90=0.11')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not SCORE.is_file():
        print('skipped: no ../shared/tools/micro.py beside this checkout')
        return 77
    limits = [word for limit in LIMITS for word in ('--limit', limit)]
    return subprocess.run([sys.executable, SCORE, '--bin', sys.argv[1], *limits]).returncode


if __name__ == '__main__':
    sys.exit(main())
