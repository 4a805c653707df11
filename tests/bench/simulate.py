#!/usr/bin/env python3
"""What `epwise simulate` and the closed form cost, in instructions (callgrind): the same on a busy machine as on a quiet one.

    ninja -C BUILD epwise bench_simulate bench_schedule; tests/bench/simulate.py BUILD [--limits]

A candidate of the search may take 9,000 instructions, a cold `simulate` 36,000,000, the event tier 10 ms for a step of 16 stages and 64
micro-batches; a core of 3 GHz retires about two instructions a cycle here, so that is 60,000,000. Measured with the preset `release` on
2026-11-28: 8,804, 34,977,871 and 62,103,869 (with contention).
Each line ends with its share of the limit.
Allocations are counted too: a candidate whose layers and split are known makes none. Needs a Release build and valgrind.
"""
import argparse, pathlib, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / 'examples/seeds/q30-ep16-overlap.yaml'
# tier: what one round is, rounds, instructions allowed, allocations allowed
TIERS = {
    'candidate': ('a candidate, layers and split known', 2000, 9_000, 0),
    'lower': ('a recipe lowered, all laws asked', 100, None, None),
    'predict': ('a prediction with waterfall and interval', 50, None, None),
    'compare': ('a comparison, 256 paired draws', 5, None, None),
}
COLD_LIMIT = 36_000_000
EVENT_LIMIT = 60_000_000
# what of bench_schedule the event tier is
EVENTS = {'contended': 'event tier, 16 x 64 x 6 layers, contention', 'host': '  the same with the host, undisturbed'}


def instructions(command):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out', *command],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r'Collected : (\d+)', run.stderr)
    if not found:
        sys.exit(f'valgrind gave no count: {run.stderr[-400:]}')
    return int(found[1])


def allocations(command):
    run = subprocess.run(['valgrind', '--tool=memcheck', *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(re.search(r'total heap usage: ([\d,]+) allocs', run.stderr)[1].replace(',', ''))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--limits', action='store_true')
    args = parser.parse_args()
    missed = []

    def say(what, figure, unit, limit):
        met = limit is None or figure <= limit
        share = '' if not limit else f', at most {limit:,}: {figure / limit:.2f}'
        print(f'{what:<44}{figure:>14,.0f} {unit}{share}{"" if met else "   NOT MET"}', flush=True)
        if not met:
            missed.append(what)

    bench = str(args.build / 'tests/bench_simulate')
    for tier, (what, rounds, limit, most_allocations) in TIERS.items():
        command = [bench, tier, str(RECIPE)]
        say(what, (instructions([*command, str(rounds)]) - instructions([*command, '0'])) / rounds, 'instructions', limit)
        if most_allocations is not None:
            say('', allocations([*command, str(rounds)]) - allocations([*command, '0']), f'allocations in {rounds} rounds', most_allocations)
    epwise = str(args.build / 'epwise')
    cold = [epwise, 'simulate', str(RECIPE), '--hw', 'h100', '--gpus', '16']
    say('simulate, cold', instructions(cold), 'instructions', COLD_LIMIT)
    say('  lint of the same recipe, for comparison', instructions([epwise, 'lint', *cold[2:]]), 'instructions', None)
    schedule = str(args.build / 'tests/bench_schedule')
    for tier, what in EVENTS.items():
        say(what, instructions([schedule, tier, '1']) - instructions([schedule, tier, '0']), 'instructions', EVENT_LIMIT)
    if missed and args.limits:
        print('not met: ' + ', '.join(missed))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
