#!/usr/bin/env python3
"""Sampled plans of `epwise advise` against lint, the memory model and the launch oracle (tests/README.md).

    EPWISE_ORACLE=… plans.py EPWISE ORACLE_PY CORPUS [--plans N] [--seed N]

Draws library recipes of CORPUS (its folder bridge/) with a GPU, a number of GPUs and one to all groups that may change, applies a plan's diff
and asks: does it lint as clean as the recipe, does it fit in memory, does the release's own validation start it? Recipes that the oracle does
not start as they are, and questions without a plan, are left out and drawn again. Prints each plan that fails; fails if one does.
"""
import argparse, collections, concurrent.futures, json, os, pathlib, random, subprocess, sys, tempfile

RELEASES = ['0.4.0', '0.5.0', '0.6.2', 'head']
GPUS = {'h100': [16, 64, 256], 'h200': [16, 64], 'b200': [8, 64, 256], 'b300': [64, 256], 'gb200': [64, 256], 'gb300': [64, 256]}
GROUPS = ['mapping', 'batch', 'recompute', 'dispatcher', 'overlap', 'graphs', 'kernels', 'precision']
MOST_RISK = 0.1  # of running out of memory, unless the plan needs less than the recipe


def patched(text, diff):
    """The text with a unified diff of one file."""
    lines, out, at = text.splitlines(keepends=True), [], 0
    for row in diff.splitlines(keepends=True):
        if row.startswith(('---', '+++')): continue
        if row.startswith('@@'):
            start = int(row.split()[1].split(',')[0][1:])
            out += lines[at:start - 1]
            at = start - 1
        elif row.startswith('+'): out.append(row[1:])
        elif row.startswith('\\'): continue
        else:
            assert lines[at].rstrip('\n') == row[1:].rstrip('\n'), (lines[at], row)
            if row.startswith(' '): out.append(lines[at])
            at += 1
    return ''.join(out + lines[at:])


def stack(release):
    return f'bridge={release},te=2.14.0,torch=2.9.1'


def run_json(*words):
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900)
    try: return json.loads(run.stdout)
    except json.JSONDecodeError: return {}


def findings(binary, path, question, environment):
    words = [word for name, value in environment.items() for word in ('--env', f'{name}={value}')]
    out = run_json(binary, 'lint', path, '--config', 'none', '--hw', question['hw'], '--gpus', question['gpus'], '--stack', stack(question['release']), *words, '-f', 'json')
    found = [finding for file in out.get('files', [out]) for finding in file.get('findings', [])]
    return collections.Counter(each['rule'] for each in found if each['severity'] in ('error', 'warning'))


def draw(number, seed, corpus):
    chance = random.Random(f'{seed} {number}')
    release = chance.choice(RELEASES)
    recipe = chance.choice(sorted((corpus / release).glob('*.yaml')))
    named = [hw for hw in GPUS if f'gpu-{hw}-' in recipe.name]
    hw = named[0] if named and chance.random() < 0.7 else chance.choice(sorted(GPUS))
    groups = chance.sample(GROUPS, min(chance.randint(1, len(GROUPS)), chance.randint(1, len(GROUPS))))  # small spaces more often: they are quick
    return {'number': number, 'release': release, 'recipe': recipe, 'hw': hw, 'gpus': chance.choice(GPUS[hw]), 'groups': groups}


def judged_plan(binary, question, plan, needed, name, folder):
    """A plan, applied, with what lint and the memory model say."""
    path = folder / f'{name}.yaml'
    path.write_text(patched(question['recipe'].read_text(), plan['diff']))
    before = findings(binary, question['recipe'], question, {})
    new = [rule for rule in findings(binary, path, question, plan['environment']) if rule not in before]
    fits = plan['memory'].get('out_of_memory', 0) <= MOST_RISK or plan['memory']['needed_gib'] <= needed
    return {**question, 'name': name, 'plan': plan, 'path': path, 'new': new, 'fits': fits}


def answers_of(binary, question, folder):
    """Up to two of the plans, those that are too close to call included."""
    if 'num_moe_experts: null' in question['recipe'].read_text(): return []
    out = run_json(binary, 'advise', question['recipe'], '--config', 'none', '--hw', question['hw'], '--gpus', question['gpus'], '--stack', stack(question['release']),
                   '--may-change', ','.join(question['groups']), '-f', 'json')
    plans = [plan for plan in out.get('plans', []) + out.get('too_close', []) if plan['diff'] and 'obstacle' not in plan]
    if out.get('repairs') or out.get('errors_left'): return []
    random.Random(question['number']).shuffle(plans)
    return [judged_plan(binary, question, plan, out['memory']['needed_gib'], f"{question['number']}-{i}", folder) for i, plan in enumerate(plans[:2])]


def verdicts(oracle, release, cases, folder):
    rows = [{'id': key, 'framework': 'bridge', 'version': release, 'stack': {'te': '2.14.0', 'torch': '2.9.1'}, 'hw': hw, 'world_size': gpus, 'env': env,
             'base': base, 'set': {}, 'unset': []} for key, hw, gpus, env, base in cases]
    path = folder / f'cases-{release}.jsonl'
    path.write_text('\n'.join(map(json.dumps, rows)) + '\n')
    run = subprocess.run([sys.executable, oracle, 'bridge', release, '--batch', str(path), '--bases', str(folder)], capture_output=True, text=True)
    return {row['id']: row.get('expect', {'verdict': 'broken', 'message': str(row.get('error'))}) for row in map(json.loads, filter(None, run.stdout.splitlines())) if 'id' in row}


def faults_of(oracle, answers, folder):
    """Number of plans judged, and what is wrong with each that fails."""
    judged, faults = 0, []
    for release in RELEASES:
        mine = [each for each in answers if each['release'] == release]
        cases = []
        for each in mine:
            (folder / f"base-{each['name']}.yaml").write_text(each['recipe'].read_text())
            cases.append((f"before {each['name']}", each['hw'], each['gpus'], {}, f"base-{each['name']}.yaml"))
            cases.append((f"after {each['name']}", each['hw'], each['gpus'], {k: str(v) for k, v in each['plan']['environment'].items()}, each['path'].name))
        real = verdicts(oracle, release, cases, folder) if cases else {}
        for each in mine:
            if real.get(f"before {each['name']}", {}).get('verdict') != 'starts': continue
            judged += 1
            after = real.get(f"after {each['name']}", {})
            wrong = [f"new findings: {', '.join(each['new'])}"] if each['new'] else []
            if not each['fits']: wrong.append('does not fit')
            if after.get('verdict') != 'starts': wrong.append(f"upstream {after.get('verdict')}: {after.get('message', '')[:200]}")
            if wrong: faults.append((each, wrong))
    return judged, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary'); parser.add_argument('oracle'); parser.add_argument('corpus', type=pathlib.Path)
    parser.add_argument('--plans', type=int, default=200); parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--round', type=int, default=60, help='questions between two calls of the oracle')
    given = parser.parse_args()
    corpus = given.corpus / 'bridge' if (given.corpus / 'bridge').is_dir() else given.corpus
    judged, faults, first = 0, [], 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(name)
        while judged < given.plans and first < 20 * given.plans:
            questions = [draw(number, given.seed, corpus) for number in range(first, first + given.round)]
            first += given.round
            answers = [each for some in pool.map(lambda question: answers_of(given.binary, question, folder), questions) for each in some]
            more, wrong = faults_of(given.oracle, answers, folder)
            judged += more; faults += wrong
            print(f'{first} questions, {judged} plans, {len(faults)} wrong', file=sys.stderr)
    for each, wrong in faults:
        changes = ', '.join(f"{change['field']}={change['to']}" for change in each['plan']['changes'])
        print(f"{each['release']}/{each['recipe'].name} {each['hw']} x {each['gpus']} ({','.join(each['groups'])}): {'; '.join(wrong)}\n    {changes}")
    print(f'{judged - len(faults)} of {judged} sampled plans lint as clean as the recipe, fit in memory and start')
    return bool(faults) or judged < given.plans


if __name__ == '__main__': sys.exit(main())
