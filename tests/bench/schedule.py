#!/usr/bin/env python3
"""What the tiers of `schedule` cost, in instructions (callgrind): the same on a busy machine as on a quiet one.

    ninja -C BUILD bench_schedule; tests/bench/schedule.py BUILD/tests/bench_schedule [--limits]

The closed forms must fit 5 us a candidate, the event tier 10 ms for 16 stages x 64 micro-batches; a core of 3 GHz retires about
two instructions a cycle here, so 30,000 and 60,000,000 are the limits. Needs a Release build and valgrind.
"""
import argparse, re, subprocess, sys, tempfile

# tier: what one round is, rounds, instructions allowed
TIERS = {
    'pair': ('period of a layer pair with host', 200, 30_000),
    'slot': ('a slot of 94 layers', 200, 30_000),
    'uniform': ('closed form, equal chunks', 1000, 1_000),
    'unequal': ('closed form, 32 unequal chunks', 200, 30_000),
    'replay': ('replay, 16 x 64, two chunks', 5, 1_000_000),
    'slots': ('task graph of chunks, 16 x 64', 2, 60_000_000),
    'nodes': ('task graph of nodes, 16 x 64 x 6 layers', 1, 60_000_000),
    'contended': ('the same with contention', 1, 60_000_000),
    'host': ('the same with the host', 1, 60_000_000),
}


def instructions(binary, tier, rounds):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out', binary, tier, str(rounds)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r'Collected : (\d+)', run.stderr)
    if not found:
        sys.exit(f'valgrind gave no count: {run.stderr[-400:]}')
    return int(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('--limits', action='store_true')
    args = parser.parse_args()
    missed = []
    for tier, (what, rounds, limit) in TIERS.items():
        each = (instructions(args.binary, tier, rounds) - instructions(args.binary, tier, 0)) / rounds
        met = limit is None or each <= limit
        print(f'{what:<42}{each:>14,.0f} instructions{"" if limit is None else f", at most {limit:,}"}{"" if met else "   NOT MET"}', flush=True)
        if not met:
            missed.append(tier)
    if missed and args.limits:
        print('not met: ' + ', '.join(missed))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
