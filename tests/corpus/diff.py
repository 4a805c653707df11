#!/usr/bin/env python3
"""What a change does to real recipes: the corpus is linted by an old and a new binary, and the difference is printed for review.

    tests/corpus/diff.py OLD NEW [--corpus DIR] [--most 20]

Per rule, the findings that appeared (+) and vanished (-), then the launch verdicts that changed, then one line of counts. DIR is
by default the corpus of tests/README.md. Each recipe is linted on its own target: that of the folder's .epwise.yaml, else the one that an
index.jsonl beside the recipe or its own name tells (dgx_h100_1N8G). --most: lines of a rule and sign that are printed, 0 for all.

Exit status: 0 compared, whatever differs; 1 a binary failed; 77 the corpus is absent.
"""
import argparse, collections, json, os, pathlib, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402
CHECKED = (0, 1, 3)          # clean, findings, an input that cannot be read (named in the answer)


def targets(corpus, names):
    """Entries of `targets` for .epwise.yaml: recipes by what they were launched on."""
    indices = {}
    for index in sorted(corpus.rglob('index.jsonl')):
        for entry in map(json.loads, filter(str.strip, index.open())):
            indices[str((index.parent / entry['file']).relative_to(corpus))] = (index.parent.name, entry)
    groups = collections.defaultdict(list)
    for name in names:
        groups[told_by_index(*indices[name]) if name in indices else told_by_name(name)].append('/' + name)
    return [{'paths': paths, **dict(target)} for target, paths in groups.items() if target]


def told_by_index(version, entry):
    oracle = entry.get('oracle') or {}
    stack = {'bridge': version, 'te': oracle.get('te'), 'torch': oracle.get('torch')}
    gpus = oracle.get('world_size') or entry.get('world_size') or entry.get('natural_world_size')
    known = {'hw': entry.get('hw'), 'gpus': gpus, 'stack': ','.join(f'{key}={value}' for key, value in stack.items() if value)}
    return tuple((key, value) for key, value in known.items() if value)


def told_by_name(name):
    device, size = re.search(r'dgx_([a-z]+\d+)', name), re.search(r'(\d+)N(\d+)G', name)
    known = {'hw': device and device[1], 'gpus': size and int(size[1]) * int(size[2])}
    return tuple((key, value) for key, value in known.items() if value)


def lint(binary, folder, names):
    """The answer to all recipes at once; None, with the reason printed, where there is none."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith('EPWISE_')}
    try:
        run = subprocess.run([binary, 'lint', *names, '--format', 'json'], cwd=folder, env=variables, capture_output=True, text=True)
        if run.returncode in CHECKED:
            return json.loads(run.stdout.replace(str(folder), '.'))
        reason = f'exit status {run.returncode}: {run.stderr[-500:]}'
    except json.JSONDecodeError as error:
        reason = f'no JSON: {error}'
    except OSError as error:
        reason = error.strerror
    print(f'{binary}: {reason}', file=sys.stderr)
    return None


def findings(answer):
    """Counted, by rule: {("EPO001", "overlap/expert-ranks"): {("a.yaml", 3, "error: …"): 1}}."""
    found = collections.defaultdict(collections.Counter)
    for file in answer['files']:
        for finding in file['findings']:
            place = (finding.get('path') or file['path'], finding.get('line') or 0, f"{finding['severity']}: {finding['message']}")
            found[finding['code'], finding['rule']][place] += 1
    return found


def verdicts(answer):
    told = {}
    for file in answer['files']:
        launch = file.get('launch') or {}
        told[file['path']] = f"{launch.get('verdict')} {launch.get('code') or ''}".strip()
    return told


def print_lines(sign, places, most):
    lines = sorted(places.elements())
    shown = lines if most == 0 else lines[:most]
    for path, line, words in shown:
        print(f'  {sign} {path}:{line} {words}')
    if len(shown) < len(lines):
        print(f'  {sign} … and {len(lines) - len(shown)} more')


def compare(old, new, recipes, most):
    before, after = findings(old), findings(new)
    appeared = vanished = changed_rules = 0
    for rule in sorted({*before, *after}):
        more, fewer = after[rule] - before[rule], before[rule] - after[rule]
        if more or fewer:
            changed_rules, appeared, vanished = changed_rules + 1, appeared + more.total(), vanished + fewer.total()
            print(f'{rule[0]} {rule[1]}: {more.total()} appeared, {fewer.total()} vanished')
            print_lines('+', more, most)
            print_lines('-', fewer, most)
    was, now = verdicts(old), verdicts(new)
    changed = [path for path in sorted({*was, *now}) if was.get(path) != now.get(path)]
    if changed:
        print(f'launch: {len(changed)} verdicts changed')
    for path in changed:
        print(f'  {path}: {was.get(path, "is not checked")} → {now.get(path, "is not checked")}')
    total = [sum(places.total() for places in found.values()) for found in (before, after)]
    print(f'{recipes} recipes, {total[0]} findings → {total[1]}: {appeared} appeared, {vanished} vanished, of {changed_rules} rules; '
          f'{len(changed)} launch verdicts changed')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('old')
    parser.add_argument('new')
    parser.add_argument('--corpus', type=pathlib.Path, default=EVIDENCE / 'corpus')
    parser.add_argument('--most', type=int, default=20)
    args = parser.parse_args()
    if not args.corpus.is_dir():
        skip('corpus')
    names = sorted(str(path.relative_to(args.corpus)) for path in args.corpus.rglob('*.y*ml') if path.name != '.epwise.yaml')
    if not names:
        print(f'skipped: no recipes in {args.corpus.name}')
        return 77
    # A copy, with a configuration that gives each recipe its target: one call of each binary does.
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        for name in [*names, *(str(path.relative_to(args.corpus)) for path in args.corpus.rglob('.epwise.yaml'))]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(args.corpus / name, folder / name)
        if not (folder / '.epwise.yaml').exists():
            (folder / '.epwise.yaml').write_text(json.dumps({'targets': targets(args.corpus, names)}))
        answers = [lint(str(pathlib.Path(binary).resolve()), folder, names) for binary in (args.old, args.new)]
    if None in answers:
        return 1
    compare(*answers, len(names), args.most)
    return 0


if __name__ == '__main__':
    sys.exit(main())
