#!/usr/bin/env python3
"""The reading list of fixes (rules/history/*.yaml) against the rules.

    tests/history.py EPWISE

Each entry names a commit or an issue, its date, and either rules that exist, the reason why there is none, or that it is still open. No
commit is listed twice in a file. Prints how many entries of each file are rules, reasons and open.
"""
import collections, pathlib, re, subprocess, sys

HISTORY = pathlib.Path(__file__).resolve().parents[1] / 'rules' / 'history'
ENTRY = re.compile(
    r'  - \{(?:commit: (?P<commit>[0-9a-f]{7,12})|issue: (?P<issue>\d+)), date: \d{4}-\d{2}-\d{2}(?:, pull: \d+)?(?:, since: [0-9.]+)?, '
    r'(?:rules: \[(?P<rules>[a-z0-9/, -]+)\]|why: "(?P<why>[^"]+)"(?:, by: title)?|(?P<open>open: true))\}')


def problems(path, rules):
    lines = path.read_text().splitlines()
    entries = [line for line in lines if not line.startswith('#')]
    if entries[:1] != ['history:']:
        yield f'{path.name}: the first key must be `history`'
    counts, seen = collections.Counter(), set()
    for number, line in enumerate(lines, 1):
        if line.startswith('#') or line == 'history:':
            continue
        entry = ENTRY.fullmatch(line)
        if not entry:
            yield f'{path.name}:{number}: not an entry: {line.strip()[:80]}'
            continue
        counts['rules' if entry['rules'] else 'reasons' if entry['why'] else 'open'] += 1
        key = entry['commit'] or 'issue ' + entry['issue']
        if key in seen:
            yield f'{path.name}:{number}: {key} is listed twice'
        seen.add(key)
        for rule in (entry['rules'] or '').split(', '):
            if rule and rule not in rules:
                yield f'{path.name}:{number}: there is no rule {rule}'
    print(f'{path.name}: {counts["rules"]} with rules, {counts["reasons"]} with a reason, {counts["open"]} open')


def main():
    rules = set(subprocess.run([sys.argv[1], 'rules', 'list', '-f', 'ids'], capture_output=True, text=True, check=True).stdout.split())
    found = [problem for path in sorted(HISTORY.glob('*.yaml')) for problem in problems(path, rules)]
    print('\n'.join(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
