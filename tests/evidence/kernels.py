#!/usr/bin/env python3
"""Answers of `epwise cost` against published measurements of kernels and collectives, which stand in kernels.jsonl.

    tests/evidence/kernels.py BIN [-v]

kernels.jsonl: a line with the source of those that follow; then a line for each measurement: the question to the cost laws, in the form
that `epwise cost --batch` reads, and the microseconds that were measured. Figures: the relative error of the time, over all and (-v) by
law and GPU. Exit status: 0 if the median and the 90th percentile are within what docs/accuracy.md states, 1 if not.
"""
import collections, json, pathlib, subprocess, sys, tempfile

ROWS = pathlib.Path(__file__).with_name('kernels.jsonl')
MOST_MEDIAN, MOST_P90 = 0.03, 0.11


def quantile(values, share):
    values = sorted(values)
    place = (len(values) - 1) * share
    low = int(place)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (place - low)


def answers(binary, queries):
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as file:
        file.write(''.join(json.dumps(query) + '\n' for query in queries))
        file.flush()
        run = subprocess.run([binary, 'cost', '--batch', file.name], capture_output=True, text=True, timeout=120)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(lines) == len(queries), f'{len(lines)} answers to {len(queries)} questions: {run.stderr[-300:]}'
    return lines


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rows = [row for row in map(json.loads, ROWS.read_text().splitlines()) if 'query' in row]
    errors, groups, refused, inside = [], collections.defaultdict(list), 0, 0
    for row, answer in zip(rows, answers(sys.argv[1], [row['query'] for row in rows])):
        if 'seconds' not in answer:
            print(f"{row['id']}: {answer.get('error', 'no answer')}")
            refused += 1
            errors.append(1.0)
            continue
        error = abs(answer['seconds'] * 1e6 / row['us'] - 1)
        inside += error < 2 * answer['relative_sd']
        errors.append(error)
        groups[row['query']['law'], row['query']['hw']].append(error)
    if '-v' in sys.argv:
        for (law, gpu), values in sorted(groups.items()):
            print(f'{law:14} {gpu:6} {len(values):5} rows: median {quantile(values, 0.5):.3f}, nine of ten {quantile(values, 0.9):.3f}')
    median, most = quantile(errors, 0.5), quantile(errors, 0.9)
    print(f'{len(rows)} measurements: median error {median:.1%}, nine of ten {most:.1%}, within two standard deviations {inside / len(rows):.0%}, '
          f'without an answer {refused}')
    return 0 if median <= MOST_MEDIAN and most <= MOST_P90 else 1


if __name__ == '__main__':
    sys.exit(main())
