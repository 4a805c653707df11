#!/usr/bin/env python3
"""What epwise says about problems that users reported.

    tests/agreement/reports.py EPWISE [-v] [ID…]

Runs the commands of each report that lint a file or explain a log, and prints every finding at warning or above. tests/agreement/reports.yaml
says what has to be found. A command that predicts (simulate, compare, advise) is linted instead, since memory is part of lint. Ends in
failure if fewer reports or logs than the floors below are hit, or if a control finds the problem as well.
"""
import json, os, pathlib, re, shlex, subprocess, sys

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402

REPORTS = EVIDENCE / 'facts/reports'
ENTRY = re.compile(r'  (?P<id>[a-z]+-\d+): \{codes: \[(?P<codes>[A-Z0-9, ]+)\], severity: (?P<severity>\w+)(?:, log: \[(?P<log>[a-z0-9/, -]+)\])?\}')
WEIGHTS = {'note': 0, 'warning': 1, 'error': 2}
LEAST_HITS, LEAST_LOGS = 0.8, 0.8


def wanted():
    for line in (HERE.parent / 'reports.yaml').read_text().splitlines():
        if line.startswith('  '):
            entry = ENTRY.fullmatch(line)
            assert entry, f'reports.yaml: not an entry: {line}'
            yield entry['id'], set(entry['codes'].split(', ')), entry['severity'], set((entry['log'] or '').split(', ')) - {''}


def run(binary, folder, words):
    result = subprocess.run([binary, *words], capture_output=True, text=True, cwd=folder, env={**os.environ, 'NO_COLOR': '1'})
    try:
        return json.loads(result.stdout)
    except ValueError:
        sys.exit(f'{folder.name}: {" ".join(words)}: no JSON\n{result.stdout[:400]}{result.stderr[:400]}')


def commands(folder):
    """Commands that lint, as words without the program's name, and those that explain a log."""
    for line in (folder / 'cmd').read_text().splitlines():
        words = shlex.split(line)
        if len(words) < 2 or any(word.startswith('--fix') for word in words):
            continue
        if words[1] == 'explain':
            yield 'log', words[1:]
        elif words[1] in ('lint', 'simulate'):
            kept = [word for word in words[2:] if word != '--force']
            split = kept.index('--') if '--' in kept else len(kept)
            yield 'lint', ['lint', *kept[:split], '--format', 'json', *kept[split:]]


def findings_of(binary, folder):
    for kind, words in commands(folder):
        if kind == 'lint':
            for file in run(binary, folder, words)['files']:
                for finding in file['findings']:
                    yield ' '.join(words), finding


def causes_of(binary, folder):
    causes = set()
    for kind, words in commands(folder):
        if kind == 'log':
            for crash in run(binary, folder, [*words, '--format', 'json'])['crashes']:
                causes |= {suspect['rule'] for suspect in crash['suspects']}
                causes |= {crash['trouble']['name']} if crash['trouble'] else set()
    return causes


def main():
    arguments = [word for word in sys.argv[1:] if word != '-v']
    if not REPORTS.is_dir():
        skip('facts/reports')
    binary = os.path.abspath(arguments[0])
    hits = logs = asked = asked_logs = 0
    for name, codes, severity, causes in wanted():
        if arguments[1:] and name not in arguments[1:]:
            continue
        found = list(findings_of(binary, REPORTS / name))
        hit = any(f['code'] in codes and WEIGHTS[f['severity']] >= WEIGHTS[severity] for _, f in found)
        asked, hits = asked + 1, hits + hit
        print(f'{"HIT " if hit else "MISS"} {name}: wants {" or ".join(sorted(codes))}')
        shown = set()
        for _, finding in found:
            line = f'       {finding["severity"]} {finding["code"]} {finding["message"][:110]}'
            if finding['severity'] != 'note' and line not in shown:
                shown.add(line)
                print(line)
        if causes:
            right = bool(causes & causes_of(binary, REPORTS / name))
            asked_logs, logs = asked_logs + 1, logs + right
            print(f'       log: {"traced to" if right else "not traced to"} {", ".join(sorted(causes))}')
    print(f'{hits} of {asked} reports hit, {logs} of {asked_logs} logs traced')
    return 0 if arguments[1:] or hits >= LEAST_HITS * asked and logs >= LEAST_LOGS * asked_logs else 1


if __name__ == '__main__':
    sys.exit(main())
