#!/usr/bin/env python3
"""What epwise says about problems in public threads, reconstructed in tests/agreement/threads/*.txt.

    tests/agreement/threads.py EPWISE [-v] [ID…]

An entry is

    == ID KIND URL
    a line or two about the cause
    wants CODES SEVERITY      codes of which one has to be found, at this severity or above; `none` if no configuration decides
    log NAMES                 rules or troubles of which one has to be the first cause that a log is traced to; `none` if it names none
    -- FILE lint|explain OPTIONS
    the file's text

Prints a line an entry, and every error and warning with -v. Fails if fewer are hit than the floors below.
"""
import json, os, pathlib, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
WEIGHTS = {'note': 0, 'warning': 1, 'error': 2}
LEAST_HITS, LEAST_LOGS = 0.8, 0.9


def entries():
    for path in sorted((HERE / 'threads').glob('*.txt')):
        entry = None
        for line in path.read_text().splitlines(keepends=True):
            if line.startswith('== '):
                if entry:
                    yield entry
                name, kind, url = line.split()[1:]
                entry = {'id': name, 'kind': kind, 'url': url, 'files': [], 'codes': set(), 'severity': 'note', 'log': set()}
            elif line.startswith('-- '):
                entry['files'].append([line.split()[1:], ''])
            elif entry['files']:
                entry['files'][-1][1] += line
            elif line.startswith('wants '):
                entry['codes'], entry['severity'] = set(line.split()[1].split(',')), line.split()[2]
            elif line.startswith('log '):
                entry['log'] = set(line.split()[1].split(','))
        yield entry


def answer(binary, words, text):
    name, command, *options = words
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, name).write_text(text)
        call = ['explain', '--from-log', name] if command == 'explain' else ['lint', name]
        result = subprocess.run([binary, *call, *options, '--format', 'json'], capture_output=True, text=True, cwd=folder,
                                env={**os.environ, 'NO_COLOR': '1'})
    try:
        return json.loads(result.stdout)
    except ValueError:
        return {'failed': (result.stdout + result.stderr).strip()[:200]}


def causes_of(report):
    for crash in report.get('crashes', [])[:1]:
        yield from (suspect['rule'] for suspect in crash['suspects'])
        if crash['trouble']:
            yield crash['trouble']['name']


def main():
    arguments = [word for word in sys.argv[1:] if word != '-v']
    binary = os.path.abspath(arguments[0])
    hits = asked = logs = asked_logs = 0
    for entry in entries():
        if arguments[1:] and entry['id'] not in arguments[1:]:
            continue
        found, causes, failed = [], set(), ''
        for words, text in entry['files']:
            report = answer(binary, words, text)
            failed = report.get('failed', failed)
            found += [f for file in report.get('files', []) for f in file['findings']]
            causes |= set(causes_of(report))
        if entry['codes'] and 'none' not in entry['codes']:
            hit = any(f['code'] in entry['codes'] and WEIGHTS[f['severity']] >= WEIGHTS[entry['severity']] for f in found)
            asked, hits = asked + 1, hits + hit
            print(f'{"HIT " if hit else "MISS"} {entry["id"]}: wants {" or ".join(sorted(entry["codes"]))} {failed}')
        elif entry['codes']:
            print(f'---- {entry["id"]}: nothing decides {failed}')
        if entry['log'] and 'none' not in entry['log']:
            hit = bool(entry['log'] & causes)
            asked_logs, logs = asked_logs + 1, logs + hit
            print(f'{"HIT " if hit else "MISS"} {entry["id"]}: log {" or ".join(sorted(entry["log"]))}, traced to {sorted(causes)}{failed}')
        elif entry['log']:
            print(f'---- {entry["id"]}: log names nothing, traced to {sorted(causes)}')
        if '-v' in sys.argv:
            for line in sorted({f'       {f["severity"]} {f["code"]} {f["message"][:150]}' for f in found if f['severity'] != 'note'}):
                print(line)
    print(f'{hits} of {asked} configurations hit, {logs} of {asked_logs} logs traced')
    return 0 if arguments[1:] or hits >= LEAST_HITS * asked and logs >= LEAST_LOGS * asked_logs else 1


if __name__ == '__main__':
    sys.exit(main())
