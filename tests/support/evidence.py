"""Data that some tests compare with and that the repository does not contain: tests/README.md says what and where from.

EVIDENCE is the directory that the variable EPWISE_EVIDENCE names, by default `shared` next to the checkout. Tests that need it exit
with SKIPPED, which ctest reports as skipped.
"""
import os, pathlib, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EVIDENCE = pathlib.Path(os.environ.get('EPWISE_EVIDENCE') or ROOT.parent / 'shared')
SKIPPED = 77


def skip(*names):
    """Ends the program as skipped, naming what is missing below EVIDENCE."""
    print('skipped: no data at', ', '.join(str(EVIDENCE / name) for name in names))
    sys.exit(SKIPPED)
