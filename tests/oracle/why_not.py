#!/usr/bin/env python3
"""`advise --why-not` on every cell of dispatcher × GPU × release against the launch oracle (tests/README.md).

    EPWISE_ORACLE=… why_not.py EPWISE ORACLE_PY CORPUS

Of each release one recipe of CORPUS (its folder bridge/), on every GPU that the oracle knows. A cell is right if the answer is "legal" exactly
where the real validators start the recipe with that dispatcher. Cells whose recipe does not start as it is are left out. What is known beyond
the validators is listed in BEYOND. Prints the cells that differ; fails if one does, or if none was compared.
"""
import collections, json, pathlib, subprocess, sys, tempfile

RECIPES = {  # release: recipe, GPUs
    '0.4.0': ('perf.qwen3_30b_a3b_pretrain.8gpu-b200-fp8mx', 16),
    '0.5.0': ('perf.qwen3_30b_a3b_pretrain.16gpu-h100-bf16', 16),
    '0.6.2': ('perf.qwen3_30b_a3b_pretrain.8gpu-gb200-fp8cs', 16),
    'head': ('perf.qwen3_235b_a22b_pretrain.64gpu-b200-fp8cs', 64),
}
GPUS = ['a100', 'h100', 'h200', 'b200', 'b300', 'gb200', 'gb300']
FLEX = {'model.moe_token_dispatcher_type': 'flex'}
QUESTIONS = {'alltoall': ('model.moe_token_dispatcher_type', {}), 'allgather': ('model.moe_token_dispatcher_type', {}),
             'deepep': ('model.moe_flex_dispatcher_backend', FLEX), 'hybridep': ('model.moe_flex_dispatcher_backend', FLEX),
             'ncclep': ('model.moe_flex_dispatcher_backend', FLEX)}
# The kernels do not exist on Ampere, and Bridge below 0.6 leaves an unknown name to the first MoE layer: no validator of these asks.
BEYOND = {'dispatch/hybridep-on-ampere', 'dispatch/unknown-backend'}


def stack(release):
    return f'bridge={release},te=2.14.0,torch=2.9.1'


def answer(binary, path, release, gpu, gpus, field, name):
    call = [binary, 'advise', str(path), '--config', 'none', '--hw', gpu, '--gpus', str(gpus), '--stack', stack(release), '--may-change', 'dispatcher',
            '--why-not', f'{field}={name}', '-f', 'json']
    return json.loads(subprocess.run(call, capture_output=True, text=True, timeout=600).stdout)


def settings(found, field, name, partners):
    """What the answer's recipe has: the value, its partners and what had to change with it."""
    changes = {change['field']: change.get('to') for companion in found.get('with', []) for change in companion['changes']}
    wanted = {**partners, field: name}
    return {**{key: value for key, value in changes.items() if value is not None}, **wanted}, [key for key, value in changes.items() if value is None]


def case(release, recipe, gpu, gpus, name, sets, unset):
    return {'id': f'{release} {gpu} {name}', 'framework': 'bridge', 'version': release, 'stack': {'te': '2.14.0', 'torch': '2.9.1'}, 'hw': gpu,
            'world_size': gpus, 'env': {}, 'base': f'{recipe}.yaml', 'set': sets, 'unset': unset}


def typed(text):
    return json.loads(text) if isinstance(text, str) and (text in ('true', 'false') or text.replace('.', '', 1).isdigit()) else text


def main():
    binary, oracle, corpus = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    compared = collections.Counter()
    for release, (recipe, gpus) in RECIPES.items():
        path = corpus / release / f'{recipe}.yaml'
        cases, told = [], {}
        for gpu in GPUS:
            cases.append(case(release, recipe, gpu, gpus, 'as it is', {}, []))
            for name, (field, partners) in QUESTIONS.items():
                found = answer(binary, path, release, gpu, gpus, field, name)
                sets, unset = settings(found, field, name, partners)
                cases.append(case(release, recipe, gpu, gpus, name, {key: typed(value) for key, value in sets.items()}, unset))
                told[cases[-1]['id']] = found
        with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as file:
            file.write('\n'.join(map(json.dumps, cases)))
            file.flush()
            run = subprocess.run([sys.executable, oracle, 'bridge', release, '--batch', file.name, '--bases', str(path.parent)], capture_output=True, text=True)
        real = {row['id']: row.get('expect', {}) for row in map(json.loads, filter(None, run.stdout.splitlines())) if 'id' in row}
        for key, found in told.items():
            gpu = key.split()[1]
            if real.get(f'{release} {gpu} as it is', {}).get('verdict') != 'starts':
                compared['left out'] += 1
            elif found.get('rule') in BEYOND:
                compared['beyond'] += 1
            elif found['legal'] == (real[key].get('verdict') == 'starts'):
                compared['right'] += 1
            else:
                compared['wrong'] += 1
                print(f"{key}: legal {found['legal']} {found.get('rule', '')}; upstream {real[key].get('verdict')}: {real[key].get('message', '')[:160]}")
    print(', '.join(f'{count} {what}' for what, count in sorted(compared.items())))
    return compared['wrong'] > 0 or compared['right'] == 0


if __name__ == '__main__':
    sys.exit(main())
