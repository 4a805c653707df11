#!/usr/bin/env python3
"""Scores the measured steps that stand here, and draws predicted against measured ones by study.

    tests/evidence/score.py BIN [--svg FILE] [--table] [--pairs] [--intervals] [--overflows]

--table prints every run, the worst first; --pairs the pairs of runs that somebody compared, those that are predicted worst first, with what
is known of why (causes.json), and the figures without the pairs of each kind of cause; --intervals how many runs their intervals hold, by
how well their kind and model are known, and with other widths; --overflows what is said of the memory of runs that
ran out of it (overflows.jsonl). steps.jsonl holds a published run a line: what its source states as a recipe, stack, environment and inputs, and the measured seconds and
GiB; architectures.json the models that the recipes name. Exit status 1 where a limit is not met.
"""
import argparse, collections, concurrent.futures, html, json, math, pathlib, re, statistics, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLOSE = 0.03   # steps that differ by less are equal
ASKED = ('hw', 'gpus', 'architecture', 'recipe', 'env', 'input')   # with parts of the stack, all that a prediction depends on
LIMITS = {'median': 0.05, 'p90': 0.16, 'points': 7}   # at most
LEAST = {'coverage': 0.78, 'sign': 0.93, 'tie': 0.82}
MOST_INSIDE = 0.86   # wider intervals than the runs need say less than is known
COLOURS = {'h100': '#3b7dd8', 'h800': '#3b7dd8', 'b200': '#d9822b', 'b300': '#d9822b', 'gb200': '#2e9e6b', 'gb300': '#2e9e6b'}


def yaml_of(value, indent=0):
    """Nested mappings as YAML; leaves as JSON, which is YAML."""
    lines = ''
    for key, item in value.items():
        head = f"{'  ' * indent}{key}:"
        lines += head + '\n' + yaml_of(item, indent + 1) if isinstance(item, dict) else f'{head} {json.dumps(item)}\n'
    return lines


def steps():
    models = json.loads((HERE / 'architectures.json').read_text())
    for line in (HERE / 'steps.jsonl').read_text().splitlines():
        step = json.loads(line)
        step['recipe']['model'] = {**models[step['architecture']], **step['recipe']['model']}
        yield step


def simulated(binary, folder, step):
    path = pathlib.Path(folder) / f"{step['id'].replace('/', '_')}.yaml"
    path.write_text(yaml_of(step['recipe']))
    words = [word for option in ('stack', 'env', 'input') for value in step.get(option, []) for word in (f'--{option}', value)]
    run = subprocess.run([binary, 'simulate', path, '--hw', step['hw'], '--gpus', str(step['gpus']), *words, '--force', '--format', 'json'],
                         capture_output=True, text=True)
    try:
        return json.loads(run.stdout)['files'][0]
    except (ValueError, KeyError):
        raise SystemExit(f"no prediction of {step['id']}: {run.stderr.strip() or run.stdout[-300:]}")


def predict(binary, folder, step):
    return simulated(binary, folder, step)['step_time_s']


def print_overflows(binary):
    wanted = [json.loads(line) for line in (HERE / 'overflows.jsonl').read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        found = [simulated(binary, folder, run)['memory'] for run in wanted]
    for run, memory in zip(wanted, found):
        needed = memory['needed_gib']
        print(f"{run['id']:13} {run['hw']:5} {needed['value']:7.1f} GiB ({needed['low']:.1f} to {needed['high']:.1f}), P {memory['out_of_memory']:.2f}  {run['why']}")
    print(f"{sum(memory['out_of_memory'] > 0.5 for memory in found)} of {len(found)} overflows are called so")


def runs_of(binary):
    wanted = list(steps())
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda step: predict(binary, folder, step), wanted))
    return [run_of(step, answer) for step, answer in zip(wanted, answers)]


def run_of(step, answer):
    return {**answer, 'measured': step['step_time_s'], 'study': step['study'], 'hw': step['hw'], 'id': step['id'], 'group': step.get('group'),
            'ladder': step.get('ladder', False),
            'asked': json.dumps([step.get(key) for key in ASKED] + [part for part in step.get('stack', []) if '=' in part])}


def by_study(runs):
    studies = collections.defaultdict(list)
    for run in runs:
        studies[run['study']].append(run)
    return dict(sorted(studies.items()))


def figures(runs):
    errors = sorted(abs(run['value'] / run['measured'] - 1) for run in runs)
    return {'median': statistics.median(errors), 'p90': errors[int(0.9 * (len(errors) - 1))],
            'coverage': sum(run['low'] <= run['measured'] <= run['high'] for run in runs) / len(runs)}


def pairs_of(runs):
    """group → its pairs (measured and predicted log ratio, names). A step of a ladder follows from the one before; elsewhere all are
    neighbours. Runs that differ in their container alone are no pair: nothing that could be foreseen differs."""
    groups = collections.defaultdict(list)
    for run in runs:
        if run['group']:
            groups[run['group']].append(run)
    out = {}
    for name, some in groups.items():
        found = [(math.log(a['measured'] / b['measured']), math.log(a['value'] / b['value']), a['id'], b['id'])
                 for i, a in enumerate(some) for j, b in enumerate(some[:i])
                 if (i - j == 1 if a['ladder'] else a['asked'] != b['asked'])]
        if found:
            out[name] = found
    return out


def pair_figures(pairs):
    """Each group counts once."""
    def by_group(figure):
        shares = [statistics.mean(some) for some in ([figure(*pair[:2]) for pair in group if figure(*pair[:2]) is not None] for group in pairs.values()) if some]
        return statistics.mean(shares) if shares else float('nan')
    return {'sign': by_group(lambda real, got: got * real > 0 if abs(real) > CLOSE else None),
            'tie': by_group(lambda real, got: abs(got) <= CLOSE if abs(real) <= CLOSE else None),
            'points': by_group(lambda real, got: 100 * abs(math.exp(got) - math.exp(real)))}


def pair_words(figures):
    return f"direction {figures['sign']:.3f}, ties {figures['tie']:.3f}, speed-up {figures['points']:.2f} points"


def print_pairs(runs):
    pairs, causes = pairs_of(runs), json.loads((HERE / 'causes.json').read_text())
    points = lambda some: statistics.mean(100 * abs(math.exp(got) - math.exp(real)) for real, got, *_ in some)
    for name, some in sorted(pairs.items(), key=lambda item: -points(item[1])):
        kind, why = causes.get(name, ('', ''))
        print(f'{name}: {points(some):.1f} points, {points(some) / len(pairs):.2f} of the mean' + (f' | {kind}: {why}' if kind else ''))
        for real, got, a, b in some:
            wrong = ' <- direction' if abs(real) > CLOSE and got * real <= 0 else ' <- no tie' if abs(real) <= CLOSE < abs(got) else ''
            if wrong or kind:
                print(f'    {math.exp(real):.3f} measured, {math.exp(got):.3f} predicted{wrong}  {a} / {b}')
    print(f'{len(pairs)} groups: {pair_words(pair_figures(pairs))}')
    for kind in ('fault', 'incomplete', 'release', 'repeat', 'library', 'model'):
        left = {name: some for name, some in pairs.items() if causes.get(name, [None])[0] != kind}
        print(f'  without those of kind {kind} ({len(pairs) - len(left)}): {pair_words(pair_figures(left))}')
    stated = {name: some for name, some in pairs.items() if causes.get(name, [None])[0] in (None, 'model')}
    print(f'  only what recipes state ({len(stated)}): {pair_words(pair_figures(stated))}')


def print_intervals(runs):
    """By studies of one half width or another, and if all widths were scaled."""
    inside = lambda some, factor=1: statistics.mean(abs(math.log(run['measured'] / run['value'])) <= factor * math.log(run['high'] / run['low']) / 2 for run in some)
    half = lambda run: math.log(run['high'] / run['low']) / 2
    for low, high in ((0, 0.1), (0.1, 0.12), (0.12, 0.16), (0.16, 9)):
        some = [run for run in runs if low <= half(run) < high]
        if some:
            print(f'half width {low:g} to {high:g}: {len(some):3} runs, {100 * inside(some):.0f} % inside')
    for factor in (0.8, 0.9, 1, 1.1):
        print(f'all widths x {factor:g}: {100 * inside(runs, factor):.1f} % inside')
    out = collections.Counter(run['study'] for run in runs if not run['low'] <= run['measured'] <= run['high'])
    print('outside:', ', '.join(f'{study} {n} of {len(by_study(runs)[study])}' for study, n in out.most_common()))


def picture(studies):
    """A line for each study: a dot a run at predicted over measured, on a logarithmic axis."""
    left, right, row, top, reach = 230, 20, 12, 40, math.log(1.6)
    width, height = 860, top + row * len(studies) + 30
    place = lambda ratio: left + (width - left - right) * (max(-reach, min(reach, math.log(ratio))) + reach) / (2 * reach)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
           '<title>Predicted over measured step time, by study</title>', f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
           '<g font-family="sans-serif" font-size="9" fill="#24292f">']
    for ratio in (0.65, 0.8, 0.9, 1, 1.1, 1.25, 1.5):
        at = f'{place(ratio):.1f}'
        out += [f'<line x1="{at}" y1="{top - 8}" x2="{at}" y2="{height - 24}" stroke="{"#57606a" if ratio == 1 else "#d0d7de"}"/>',
                f'<text x="{at}" y="{height - 10}" text-anchor="middle">{ratio:g}</text>']
    out.append(f'<text x="{place(1):.1f}" y="14" text-anchor="middle" font-size="11">predicted / measured step time</text>')
    for number, (name, colour) in enumerate((('Hopper', '#3b7dd8'), ('Blackwell', '#d9822b'), ('Grace Blackwell', '#2e9e6b'))):
        out.append(f'<circle cx="{left + 120 * number}" cy="24" r="3" fill="{colour}"/><text x="{left + 8 + 120 * number}" y="27">{name}</text>')
    for number, (study, runs) in enumerate(studies.items()):
        y = top + row * number
        out.append(f'<text x="{left - 8}" y="{y + 3}" text-anchor="end">{html.escape(study)}</text>')
        out += [f'<circle cx="{place(run["value"] / run["measured"]):.0f}" cy="{y}" r="3" fill="{COLOURS[run["hw"]]}" fill-opacity="0.6"/>'
                for run in runs]
    return '\n'.join([*out, '</g>', '</svg>', ''])


def published():
    """What differs between the runs that src/advise/knowledge/published.yaml quotes and those that stand here."""
    text = (HERE.parents[1] / 'src/advise/knowledge/published.yaml').read_text()
    here, wrong = {step['id']: step for step in steps()}, []
    for part in text.split('\n  - model: ')[1:]:
        field = lambda name: re.search(rf'^    {name}: (.*)$', part, re.M)
        if not field('ids'): continue
        unit, figures = field('unit').group(1), [float(each.split(':')[1]) for each in field('runs').group(1).strip('{}').split(',')]
        for name, figure in zip(field('ids').group(1).strip('[]').split(', '), figures):
            run = here.get(name)
            real = run and (run['step_time_s'] if unit == 's' else next(iter(run['memory_gib'].values())))
            if not run or abs(real / figure - 1) > 1e-3 or str(run['gpus']) != field('gpus').group(1) or run['hw'] != field('hw').group(1):
                wrong.append(f'{name}: {figure} {unit}, here {real}')
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('--svg')
    parser.add_argument('--table', action='store_true')
    parser.add_argument('--pairs', action='store_true')
    parser.add_argument('--intervals', action='store_true')
    parser.add_argument('--overflows', action='store_true')
    args = parser.parse_args()
    runs = runs_of(args.binary)
    studies = by_study(runs)
    if args.table:
        for run in sorted(runs, key=lambda run: -abs(math.log(run['value'] / run['measured']))):
            print(f"{run['measured']:9.3f} s {run['value']:9.3f} s {100 * (run['value'] / run['measured'] - 1):+6.1f} %  {run['id']}")
    for study, some in studies.items():
        print(f"{study:28} {len(some):3} runs, median error {100 * figures(some)['median']:5.1f} %")
    if args.overflows:
        print_overflows(args.binary)
    if args.pairs:
        print_pairs(runs)
    if args.intervals:
        print_intervals(runs)
    if args.svg:
        pathlib.Path(args.svg).write_text(picture(studies))
    found = {**figures(runs), **pair_figures(pairs_of(runs))}
    bad = [name for name, most in LIMITS.items() if found[name] > most] + [name for name, least in LEAST.items() if found[name] < least]
    bad += ['coverage'] * (found['coverage'] > MOST_INSIDE)
    print(f"{len(runs)} runs of {len(studies)} studies: median error {100 * found['median']:.1f} %, nine of ten {100 * found['p90']:.1f} %, "
          f"inside the 80 % interval {100 * found['coverage']:.0f} %; {pair_words(found)}" + (f" | falls short: {', '.join(bad)}" if bad else ''))
    quoted = published()
    print(*(f'published.yaml: {each}' for each in quoted), sep='\n', end='\n' if quoted else '')
    return 1 if bad or quoted else 0


if __name__ == '__main__':
    sys.exit(main())
