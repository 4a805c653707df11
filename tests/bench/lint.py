#!/usr/bin/env python3
"""What `epwise lint` costs, as ratios within one run and instruction counts.

    tests/bench/lint.py BIN [--corpus DIR] [--limits]

Needs valgrind, and yamllint for the ratio. Prints one line a figure; with --limits, exit 1 where one is not met.

cold           instructions (callgrind) of one recipe from start to exit, the share of the lint beside `--version`, and peak memory
growth         instructions for a recipe of 1, 10 and 100 times the size, relative to linear growth from the first to the last
corpus         every YAML file of a folder in one call, beside yamllint on the same files: the median of alternating pairs
"""
import argparse, pathlib, re, resource, shutil, statistics, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/support'))
from evidence import EVIDENCE  # noqa: E402
RECIPE = ROOT / 'examples/qwen3_moe_h100.yaml'
TARGET = ['--framework', 'bridge', '--hw', 'h100', '--gpus', '64', '--stack', 'bridge=0.6.2,te=2.14.0,torch=2.9.1', '--format', 'json']
# Instructions that a quiet core of 3 GHz retires in 10 ms at the two per cycle that this program reaches.
COLD_LIMIT = 60_000_000
MEMORY_LIMIT_MIB = 20
GROWTH_LIMIT = 1.2
RATIO_LIMIT = 10


def instructions(command, cwd=None, stdin=None):
    """Instructions that a command retires, counted by callgrind; any exit status counts as done."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out', *command],
                             cwd=cwd, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r'Collected : (\d+)', run.stderr)
    if not found:
        sys.exit(f'valgrind gave no count: {run.stderr[-400:]}')
    return int(found[1])


def peak_mib(command):
    """Peak resident memory [MiB] of a command, as its own parent sees it."""
    probe = 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); ' \
            'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
    said = subprocess.run([sys.executable, '-c', probe, *command], capture_output=True, text=True).stdout
    return int(said) / 1024


def larger(times):
    """The example with `times` as many keys, in sections of free keys that every version takes."""
    text = RECIPE.read_text()
    extra = ''.join(f'  EPWISE_BENCH_{n}: "value {n}"   # a comment as recipes have them\n' for n in range(60 * times))
    head, _, tail = text.partition('env_vars:\n')
    return f'{head}env_vars:\n{extra}{tail}' if tail else f'{text}env_vars:\n{extra}'


def wall(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument('--corpus', type=pathlib.Path, default=EVIDENCE / 'corpus')
    parser.add_argument('--limits', action='store_true')
    args = parser.parse_args()
    if not shutil.which('valgrind'):
        sys.exit('valgrind is missing: apt-get install valgrind')
    missed = []

    def figure(name, value, unit, limit, upper=True):
        met = value <= limit if upper else value >= limit
        print(f'{name:<34}{value:>14,.2f} {unit:<14}{"at most" if upper else "at least"} {limit:,}{"" if met else "   NOT MET"}', flush=True)
        if not met:
            missed.append(name)

    lint = [args.binary, 'lint', str(RECIPE), *TARGET]
    cold = instructions(lint)
    figure('cold: one recipe', cold, 'instructions', COLD_LIMIT)
    print(f'{"cold: starting and stopping":<34}{instructions([args.binary, "--version"]) / cold:>14.1%} of that')
    figure('cold: peak memory', peak_mib(lint), 'MiB', MEMORY_LIMIT_MIB)

    with tempfile.TemporaryDirectory() as folder:
        counts = {}
        for times in (1, 10, 100):
            path = pathlib.Path(folder, f'{times}.yaml')
            path.write_text(larger(times))
            counts[times] = (path.stat().st_size, instructions([args.binary, 'lint', str(path), *TARGET]))
            print(f'{f"growth: {times} x":<34}{counts[times][1]:>14,} instructions for {counts[times][0]:,} bytes')
    slope = lambda a, b: (counts[b][1] - counts[a][1]) / (counts[b][0] - counts[a][0])
    figure('growth: 10-100 x over 1-10 x', slope(10, 100) / slope(1, 10), 'per byte', GROWTH_LIMIT)

    files = sorted(str(path) for path in args.corpus.rglob('*.yaml')) if args.corpus.is_dir() else []
    if not files or not shutil.which('yamllint'):
        print(f'corpus: left out, {"no recipes under the corpus folder" if not files else "yamllint is missing"}')
    else:
        ours = [args.binary, 'lint', *files, '--hw', 'h100', '--gpus', '64', '--format', 'concise']
        theirs = ['yamllint', '-d', 'default', *files]
        wall(ours)  # the files are read once before anything is timed
        ratios = [wall(theirs) / wall(ours) for _ in range(3)]
        figure(f'corpus: yamllint over epwise, {len(files)} files', statistics.median(ratios), 'times', RATIO_LIMIT, upper=False)
    if missed and args.limits:
        print('not met: ' + ', '.join(missed))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
