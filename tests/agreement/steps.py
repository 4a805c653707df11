#!/usr/bin/env python3
"""Predicted steps against published ones: accuracy of `epwise simulate`, and verdicts of `epwise compare` on measured pairs.

    tests/agreement/steps.py BIN [--table]     --table prints every row, the worst first

Runs tools/rows.py of the evidence (its docstring explains the figures) with the limits that are met today, and asks `compare` about
every pair of runs that differ in one choice. Exit status: 0 limits met, 1 not, 77 no evidence (tests/README.md).
"""
import collections, json, math, pathlib, statistics, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402
LIMITS = ('median_ape=0.05', 'p90_ape=0.16', 'coverage=0.78', 'half_width=0.12', 'sign=0.92', 'tie=0.8', 'speedup_mae_points=7',
          'dispatcher_tau=1', 'memory_median_ape=0.05', 'oom_called=0.03')


def pairs(tool, rows, models):
    """Runs of one group on one machine whose recipes differ."""
    recipes = {row['id']: json.dumps(tool.recipe(row, models)) for row in rows if tool.scorable(row, models)}
    with tempfile.TemporaryDirectory() as folder:
        groups = collections.defaultdict(list)
        for item in tool.write(folder, rows, models):
            groups[item['ab_group']].append(item)
        groups.pop(None, None)
        for items in groups.values():
            for i, a in enumerate(items):
                for b in items[:i]:
                    if recipes[a['id']] != recipes[b['id']] and (a['hw'], a['gpus']) == (b['hw'], b['gpus']):
                        yield folder, a, b


def rate(row, item):
    """Tokens per second of the whole job."""
    return row['gbs'] * row['seq'] / item['step_time_s']


def main():
    sys.dont_write_bytecode = True
    if not (EVIDENCE / 'tools/rows.py').exists():
        skip('tools/rows.py')
    binary = sys.argv[1]
    score = [sys.executable, EVIDENCE / 'tools/rows.py', 'score', binary, *sys.argv[2:]]
    bad = subprocess.run([*score, *(word for limit in LIMITS for word in ('--limit', limit))]).returncode
    sys.path.insert(0, str(EVIDENCE / 'tools'))
    import rows as tool
    models = {model['model']: model for model in tool.load(tool.FACTS / 'models.jsonl')}
    inside, widths, right, close, wrong = 0, [], 0, 0, []
    published = tool.load(tool.FACTS / 'perf_rows.jsonl')
    by_id = {row['id']: row for row in published}
    for folder, a, b in pairs(tool, published, models):
        said = subprocess.run([binary, 'compare', f"{folder}/{a['file']}", f"{folder}/{b['file']}", '--hw', a['hw'], '--gpus', str(a['gpus']),
                               '--format', 'json'], capture_output=True, text=True).stdout
        found = json.loads(said)
        measured, speedup = rate(by_id[b['id']], b) / rate(by_id[a['id']], a), found['speedup']
        inside += speedup['low'] <= measured <= speedup['high']
        widths.append(math.log(speedup['high'] / speedup['low']) / 2)
        if abs(math.log(measured)) > math.log(1.03):
            right += found['verdict'] == ('b' if measured > 1 else 'a')
            close += found['verdict'] == 'too_close'
            if found['verdict'] == ('a' if measured > 1 else 'b'):
                wrong.append(f"{a['id']} / {b['id']}: {measured:.3f}, predicted {speedup['value']:.3f}")
    print(f'compare: {len(widths)} pairs, 80 % interval holds {inside / len(widths):.2f}, half width {statistics.median(widths):.3f}; '
          f'of those that differ by more than 3 %: {right} named right, {close} too close, {len(wrong)} wrong')
    for line in wrong:
        print('wrong:', line)
    return 1 if bad or len(wrong) > 2 or inside < 0.70 * len(widths) else 0


if __name__ == '__main__':
    sys.exit(main())
