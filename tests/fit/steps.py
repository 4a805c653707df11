#!/usr/bin/env python3
"""The constants of the step model against the published steps that they were fitted to.

    steps.py FIT_STEPS [--seeds N] [--limit FIGURE=VALUE …] [--constants FILE] [--set NAME=VALUE …] [--free NAME=DEVIATION …] [--worst N]

FIT_STEPS is the program that the build makes of steps_main.cc. Says the fitted constants beside the shipped ones and
the errors: of the shipped constants, of the fit, and of steps whose whole cluster, or whole study, was left out of it (twelve
groups of them, drawn N times: three in a complete run, once otherwise), and what they say of pairs. Fails where a shipped constant is more
than 2 % from its fit or a limit is not met. --set and --free are experiments: what if a constant were another, or were fitted too?
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests/support'), str(ROOT / 'tests/evidence')]
from sampling import complete  # noqa: E402
import score as published  # noqa: E402
FOLDS = 12
CLOSE = 0.02
LIMITS = {'median_ape': 0.075, 'p90_ape': 0.21}  # with clusters or studies left out; coverage is a range
COVERAGE = (0.76, 0.88)
# Scored but never trained on: two arms with the same recipe and other times, and rows whose page says less than the
# run needed.
UNTRAINED = {
    'cm-dsv3-gb300-regression-regressed': 'a bug of that commit; its recipe runs in 13.2 s',
    'rel26.06.01-gpt-oss-120b-gb300-mxfp8-g64': 'a regression of cuDNN; its recipe runs in 2.5 s',
    'rel26.02-qwen3-30b-a3b-h100-fp8-g16': 'a fault of that release; its recipe runs in 29 s',
    'cm-dsv3-gb200-fullcg-1': 'does not say whether the exchange was overlapped',
    'ci-dsv3proxy-h100': 'a test job whose number of GPUs is inferred',
    'dgxc-dsv3-gb200-bf16-128': 'takes 2.7 times as long as the same model elsewhere; its page does not say why',
    'dgxc-dsv3-gb200-bf16-256': 'the same',
    'dgxc-dsv3-gb200-bf16-512': 'the same',
    'mlmrec-q235-h100-bf16': 'a later run of this recipe on this machine took 41 % less',
}


def rows():
    for step in published.steps():
        stack = dict(part.split('=', 1) if '=' in part else ('container', part) for part in step.get('stack', []))
        yield {'id': step['id'], 'cluster': step['cluster'], 'study': step['study'], 'hw': step['hw'], 'gpus': step['gpus'],
               'stack': stack, 'inputs': step.get('input', []), 'environment': dict(part.split('=', 1) for part in step.get('env', [])),
               'recipe': published.yaml_of(step['recipe']), 'seconds': step['step_time_s'],
               'confidence': step.get('confidence', 'high'), 'trained': step['id'] not in UNTRAINED}


def changed(text, name, value=None, deviation=None):
    """constants.yaml with another value of a constant, or with that constant fitted too, held by its value within a deviation."""
    line = re.search(rf'^  {name}: .*$', text, re.M)
    if not line:
        sys.exit(f'no constant is named {name}')
    new = line.group()
    if value is not None:
        new = re.sub(r'value: [^,]+', f'value: {value}', new)
    if deviation is not None:
        held = re.search(r'value: ([^,]+)', new).group(1)
        new = re.sub(r'log_sd: [^,]+,( prior: [^,]+, prior_log_sd: [^,]+,)?', f'log_sd: {deviation}, prior: {held}, prior_log_sd: {deviation},', new)
        new = re.sub(r'status: \w+', 'status: fitted', new)
    return text.replace(line.group(), new)


def constants_of(args):
    text = pathlib.Path(args.constants or ROOT / 'hwprofiles/stepmodel/constants.yaml').read_text()
    for option, at in (('set', 'value'), ('free', 'deviation')):
        for change in getattr(args, option):
            name, number = change.split('=')
            text = changed(text, name, **{at: number})
    return text


def pairs(table, error):
    """What the predictions say of pairs of runs."""
    steps = {step['id']: step for step in published.steps()}
    runs = [published.run_of(steps[row['id']], {'value': steps[row['id']]['step_time_s'] * math.exp(row[error])}) for row in table]
    return published.pair_words(published.pair_figures(published.pairs_of(runs)))


def percent(figures):
    return (f"median {100 * figures['median_ape']:.1f} %, nine of ten {100 * figures['p90_ape']:.1f} %, "
            f"inside the interval {100 * figures['coverage']:.0f} %, half width {100 * figures['half_width']:.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--seeds', type=int, default=3 if complete() else 1)
    parser.add_argument('--limit', action='append', default=[])
    parser.add_argument('--constants', help='instead of those of the build')
    parser.add_argument('--set', action='append', default=[], help='another value of a constant; the fitted ones are fitted anew')
    parser.add_argument('--free', action='append', default=[], help='a further constant to fit, and how far its logarithm may move')
    parser.add_argument('--worst', type=int, default=0, help='rows to print, the worst first')
    args = parser.parse_args()
    limits = dict(LIMITS)
    for limit in args.limit:
        name, value = limit.split('=')
        limits[name] = float(value)
    with tempfile.TemporaryDirectory() as folder:
        lines, constants = (pathlib.Path(folder) / name for name in ('rows.jsonl', 'constants.yaml'))
        lines.write_text(''.join(json.dumps(row) + '\n' for row in rows()))
        constants.write_text(constants_of(args))
        run = subprocess.run([args.program, lines, str(FOLDS), str(args.seeds), constants], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr.strip())
        return 1
    out = json.loads(run.stdout)
    bad = []
    print(f"{out['rows']} steps of {out['recipes']} recipes")
    for name, value in out['constants'].items():
        print(f"  {name:22} shipped {value['shipped']:.5g}  fitted {value['fitted']:.5g}")
        if abs(value['fitted'] / value['shipped'] - 1) > CLOSE and not args.set and not args.free:
            bad.append(f'{name} is {value["shipped"]:.5g}, its fit {value["fitted"]:.5g}')
    print('shipped constants:    ', percent(out['shipped']))
    print('fitted anew:          ', percent(out['in_sample']))
    for kind in ('clusters', 'studies'):
        for figures in out[kind + '_left_out']:
            print(f'{kind} left out:'.ljust(22), percent(figures))
            bad += [f'{kind} left out: {name} {figures[name]:.3f}, at most {most}' for name, most in limits.items() if figures[name] > most]
            if not COVERAGE[0] <= figures['coverage'] <= COVERAGE[1]:
                bad.append(f"{kind} left out: coverage {figures['coverage']:.3f}, wanted {COVERAGE[0]} to {COVERAGE[1]}")
    print('pairs, fitted anew:    ', pairs(out['table'], 'error'))
    print('pairs, studies left out:', pairs(out['table'], 'left_out'))
    for row in sorted(out['table'], key=lambda row: -abs(row['error']))[:args.worst]:
        print(f"  {100 * row['error']:+6.1f} %  left out {100 * row['left_out']:+6.1f} %  half width {100 * row['half_width']:5.1f} %  {row['id']}")
    for line in bad:
        print('falls short:', line)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
