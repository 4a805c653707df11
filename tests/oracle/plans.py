#!/usr/bin/env python3
"""Sampled plans of `epwise advise` against lint, the memory model and the launch oracle (tests/README.md).

    EPWISE_ORACLE=… plans.py EPWISE CORPUS [--plans N] [--seed N]

Draws recipes of CORPUS (the library's in bridge/, one in four of Megatron-LM's in megatron-lm/ and modelzoo/) with a GPU, a number of GPUs and
one to all groups that may change, applies a plan's diff and asks: does it lint as clean as the recipe, does it fit in memory, does the
release's own validation start it? Recipes that the oracle does not start as they are, and questions without a plan, are left out and drawn
again. Prints each plan that fails; fails if one does.
"""
import argparse, collections, concurrent.futures, json, os, pathlib, random, subprocess, sys, tempfile

ORACLE = str(pathlib.Path(__file__).resolve().parent / 'launch/oracle.py')
RELEASES = {'bridge': ['0.4.0', '0.5.0', '0.6.2', 'head'], 'mlm': ['0.15.3', '0.16.1', '0.17.1', '0.18.2', '0.19.0', 'head']}
# Sizes that the launcher of ModelZoo's configurations sets: GPUs, TP, PP, EP, layers of a virtual stage, micro-batch, global batch.
SIZES = {'DeepSeek-V3-Proxy': (64, 1, 4, 16, '', 1, 512), 'DeepSeek-V3': (1024, 1, 16, 64, '', 1, 8192), 'Mixtral-8x22B': (128, 2, 8, 8, '', 1, 256),
         'Mixtral-8x2B': (64, 1, 1, 8, '', 2, 256), 'Qwen2-57B-A14B': (64, 1, 1, 8, '', 1, 256), 'Qwen3-235B-A22B': (256, 2, 8, 32, '3', 1, 256)}
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


def stack(question):
    return f"{question['framework']}={question['release']},te=2.14.0,torch=2.9.1"


def run_json(*words):
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900)
    try: return json.loads(run.stdout)
    except json.JSONDecodeError: return {}


def findings(binary, path, question, environment):
    words = [word for name, value in environment.items() for word in ('--env', f'{name}={value}')]
    out = run_json(binary, 'lint', path, '--config', 'none', '--hw', question['hw'], '--gpus', question['gpus'], '--stack', stack(question), *words, '-f', 'json')
    found = [finding for file in out.get('files', [out]) for finding in file.get('findings', [])]
    return collections.Counter(each['rule'] for each in found if each['severity'] in ('error', 'warning'))


def written_out(path):
    """The text with the sizes that a launcher of ModelZoo would set."""
    text, model = path.read_text(), path.stem.split('__')[-1]
    if model not in SIZES: return text
    _, tensor, stages, experts, layers, micro, batch = SIZES[model]
    values = {'TP': tensor, 'PP': stages, 'EP': experts, 'CP': 1, 'VPP': 1, 'MBS': micro, 'GBS': batch, 'SEQ_LEN': 4096,
              'MOE_GROUPED_GEMM': 'true', 'MOE_TOKEN_DISPATCHER': 'alltoall', 'LAYERS_PER_VP': layers}
    if not layers: text = ''.join(line for line in text.splitlines(keepends=True) if '${LAYERS_PER_VP}' not in line)
    for name, value in values.items(): text = text.replace('${%s}' % name, str(value))
    return text


def draw_megatron_lm(number, chance, corpus):
    texts = [path for folder in ('megatron-lm', 'modelzoo', 'modelzoo') for path in sorted((corpus / folder).glob('*.yaml'))]  # few, but of real models
    recipe = chance.choice([path for path in texts if '--num-experts' in path.read_text() and not any(word in path.name for word in ('inference', 'grpo'))])
    model = recipe.stem.split('__')[-1]
    return {'number': number, 'framework': 'mlm', 'release': chance.choice(RELEASES['mlm']), 'recipe': recipe, 'hw': chance.choice(['h100', 'h200', 'b200', 'gb200']),
            'gpus': SIZES[model][0] if model in SIZES else chance.choice([8, 16, 64])}


def draw(number, seed, corpus):
    chance = random.Random(f'{seed} {number}')
    if number % 4 == 3:
        groups = chance.sample(GROUPS, chance.randint(1, 4))
        return {**draw_megatron_lm(number, chance, corpus), 'groups': groups}
    release = chance.choice(RELEASES['bridge'])
    recipe = chance.choice(sorted((corpus / 'bridge' / release).glob('*.yaml')))
    named = [hw for hw in GPUS if f'gpu-{hw}-' in recipe.name]
    hw = named[0] if named and chance.random() < 0.7 else chance.choice(sorted(GPUS))
    groups = chance.sample(GROUPS, min(chance.randint(1, len(GROUPS)), chance.randint(1, len(GROUPS))))  # small spaces more often: they are quick
    return {'number': number, 'framework': 'bridge', 'release': release, 'recipe': recipe, 'hw': hw, 'gpus': chance.choice(GPUS[hw]), 'groups': groups}


def judged_plan(binary, question, plan, needed, name, folder):
    """A plan, applied, with what lint and the memory model say."""
    path = folder / f'{name}.yaml'
    path.write_text(patched(question['path'].read_text(), plan['diff']))
    before = findings(binary, question['path'], question, {})
    new = [rule for rule in findings(binary, path, question, plan['environment']) if rule not in before]
    fits = plan['memory'].get('out_of_memory', 0) <= MOST_RISK or plan['memory']['needed_gib'] <= needed
    return {**question, 'name': name, 'plan': plan, 'after': path, 'new': new, 'fits': fits}


def answers_of(binary, question, folder):
    """Up to two of the plans, those that are too close to call included."""
    text = written_out(question['recipe'])
    if 'num_moe_experts: null' in text: return []
    # the oracle takes a folder of this name for a launcher of ModelZoo's
    place = folder / ('modelzoo' if question['recipe'].parent.name == 'modelzoo' else 'others')
    place.mkdir(exist_ok=True)
    question = {**question, 'path': place / f"base-{question['number']}.yaml"}
    question['path'].write_text(text)
    out = run_json(binary, 'advise', question['path'], '--config', 'none', '--hw', question['hw'], '--gpus', question['gpus'], '--stack', stack(question),
                   '--may-change', ','.join(question['groups']), '-f', 'json')
    plans = [plan for plan in out.get('plans', []) + out.get('too_close', []) if plan['diff'] and 'obstacle' not in plan]
    if out.get('repairs') or out.get('errors_left'): return []
    random.Random(question['number']).shuffle(plans)
    return [judged_plan(binary, question, plan, out['memory']['needed_gib'], f"{question['number']}-{i}", place) for i, plan in enumerate(plans[:2])]


def verdicts(framework, release, cases, folder):
    rows = [{'id': key, 'framework': framework, 'version': release, 'stack': {'te': '2.14.0', 'torch': '2.9.1'}, 'hw': hw, 'world_size': gpus, 'env': env,
             'base': str(base.relative_to(folder)), 'set': {}, 'unset': []} for key, hw, gpus, env, base in cases]
    path = folder / f'cases-{framework}-{release}.jsonl'
    path.write_text('\n'.join(map(json.dumps, rows)) + '\n')
    run = subprocess.run([sys.executable, ORACLE, framework, release, '--batch', str(path), '--bases', str(folder)], capture_output=True, text=True)
    return {row['id']: row.get('expect', {'verdict': 'broken', 'message': str(row.get('error'))}) for row in map(json.loads, filter(None, run.stdout.splitlines())) if 'id' in row}


def faults_of(answers, folder):
    """Number of plans judged, by framework, and what is wrong with each that fails."""
    judged, faults = collections.Counter(), []
    for framework, release in sorted({(each['framework'], each['release']) for each in answers}):
        mine = [each for each in answers if (each['framework'], each['release']) == (framework, release)]
        cases = []
        for each in mine:
            environment = {k: str(v) for k, v in each['plan']['environment'].items()}
            cases.append((f"before {each['name']}", each['hw'], each['gpus'], {}, each['path']))
            cases.append((f"after {each['name']}", each['hw'], each['gpus'], environment, each['after']))
        real = verdicts(framework, release, cases, folder)
        for each in mine:
            if real.get(f"before {each['name']}", {}).get('verdict') != 'starts': continue
            judged[framework] += 1
            after = real.get(f"after {each['name']}", {})
            wrong = [f"new findings: {', '.join(each['new'])}"] if each['new'] else []
            if not each['fits']: wrong.append('does not fit')
            if after.get('verdict') != 'starts': wrong.append(f"upstream {after.get('verdict')}: {after.get('message', '')[:200]}")
            if wrong: faults.append((each, wrong))
    return judged, faults


def told(each, reasons):
    changes = ', '.join(f"{change['field']}={change['to']}" for change in each['plan']['changes'])
    return (f"{each['framework']} {each['release']} {each['recipe'].name} {each['hw']} x {each['gpus']} ({','.join(each['groups'])}): {'; '.join(reasons)}\n"
            f'    {changes}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary'); parser.add_argument('corpus', type=pathlib.Path)
    parser.add_argument('--plans', type=int, default=200); parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--round', type=int, default=60, help='questions between two calls of the oracle')
    given = parser.parse_args()
    judged, faults, first = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(name)
        while judged.total() < given.plans and first < 20 * given.plans:
            questions = [draw(number, given.seed, given.corpus) for number in range(first, first + given.round)]
            first += given.round
            answers = [each for some in pool.map(lambda question: answers_of(given.binary, question, folder), questions) for each in some]
            more, wrong = faults_of(answers, folder)
            judged += more; faults += wrong
            for each, reasons in wrong: print(told(each, reasons), flush=True)
            print(f'{first} questions, {judged.total()} plans, {len(faults)} wrong', file=sys.stderr)
    of = ', '.join(f'{count} of {framework}' for framework, count in sorted(judged.items()))
    print(f'{judged.total() - len(faults)} of {judged.total()} sampled plans lint as clean as the recipe, fit in memory and start ({of})')
    return bool(faults) or judged.total() < given.plans


if __name__ == '__main__': sys.exit(main())
