#!/usr/bin/env python3
"""`advise --why-not` on every cell of dispatcher × GPU × release against the launch oracle (tests/README.md).

    EPWISE_ORACLE=… why_not.py EPWISE CORPUS [WORD]

Of each release (with WORD: those that contain it) one recipe of CORPUS, on every GPU that the oracle knows. A cell is right if the answer is "legal" exactly
where the real validators start the recipe with that dispatcher. Cells whose recipe does not start as it is are left out. What is known beyond
the validators is listed in BEYOND. Prints the cells that differ; fails if one does, or if none was compared.
"""
import collections, json, pathlib, subprocess, sys, tempfile

ORACLE = str(pathlib.Path(__file__).resolve().parent / 'launch/oracle.py')
MEGATRON_LM = 'megatron-lm/tests__functional_tests__test_cases__moe__gpt3_mcore_te_tp2_pp1_te_8experts_etp1_ep4__model_config'
RECIPES = {  # release: recipe, GPUs
    'bridge 0.4.0': ('bridge/0.4.0/perf.qwen3_30b_a3b_pretrain.8gpu-b200-fp8mx', 16),
    'bridge 0.5.0': ('bridge/0.5.0/perf.qwen3_30b_a3b_pretrain.16gpu-h100-bf16', 16),
    'bridge 0.6.2': ('bridge/0.6.2/perf.qwen3_30b_a3b_pretrain.8gpu-gb200-fp8cs', 16),
    'bridge head': ('bridge/head/perf.qwen3_235b_a22b_pretrain.64gpu-b200-fp8cs', 64),
    **{f'mlm {release}': (MEGATRON_LM, 8) for release in ('0.16.1', '0.17.1', '0.18.2', '0.19.0', 'head')},
}
GPUS = ['a100', 'h100', 'h200', 'b200', 'b300', 'gb200', 'gb300']
FLEX = {'model.moe_token_dispatcher_type': 'flex'}
QUESTIONS = {'alltoall': ('model.moe_token_dispatcher_type', {}), 'allgather': ('model.moe_token_dispatcher_type', {}),
             'deepep': ('model.moe_flex_dispatcher_backend', FLEX), 'hybridep': ('model.moe_flex_dispatcher_backend', FLEX),
             'ncclep': ('model.moe_flex_dispatcher_backend', FLEX)}
# The kernels do not exist on Ampere, and Bridge below 0.6 leaves an unknown name to the first MoE layer: no validator of these asks.
# Megatron-LM does not look at the GPU of DeepEP, nor of NCCL-EP, which Transformer Engine starts from Hopper on.
BEYOND = {'dispatch/ncclep-before-hopper', 'dispatch/hybridep-on-ampere', 'dispatch/unknown-backend', 'dispatch/deepep-four-gpu-trays'}


def stack(release):
    return f"{release.replace(' ', '=')},te=2.14.0,torch=2.9.1"


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
    framework, version = release.split()
    env = {key.split('.')[1]: value for key, value in sets.items() if key.startswith('env.')}
    sets = {key: typed(value) for key, value in sets.items() if not key.startswith('env.')}
    if framework == 'mlm':
        flag = lambda key: '--' + key.split('.')[1].replace('_', '-')
        sets, unset = {flag(key): value for key, value in sets.items()}, [flag(key) for key in unset]
    return {'id': f'{release} {gpu} {name}', 'framework': framework, 'version': version, 'stack': {'te': '2.14.0', 'torch': '2.9.1'}, 'hw': gpu,
            'world_size': gpus, 'env': env, 'base': f'{recipe}.yaml', 'set': sets, 'unset': unset}


def typed(text):
    return json.loads(text) if isinstance(text, str) and (text in ('true', 'false') or text.replace('.', '', 1).isdigit()) else text


def main():
    binary, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
    word = sys.argv[3] if len(sys.argv) > 3 else ''
    compared = collections.Counter()
    for release, (recipe, gpus) in RECIPES.items():
        if word not in release: continue
        path = corpus / f'{recipe}.yaml'
        cases, told = [], {}
        for gpu in GPUS:
            cases.append(case(release, recipe, gpu, gpus, 'as it is', {}, []))
            for name, (field, partners) in QUESTIONS.items():
                found = answer(binary, path, release, gpu, gpus, field, name)
                sets, unset = settings(found, field, name, partners)
                cases.append(case(release, recipe, gpu, gpus, name, sets, unset))
                told[cases[-1]['id']] = found
        with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as file:
            file.write('\n'.join(map(json.dumps, cases)))
            file.flush()
            run = subprocess.run([sys.executable, ORACLE, *release.split(), '--batch', file.name, '--bases', str(corpus)], capture_output=True, text=True)
        real = {row['id']: row.get('expect', {}) for row in map(json.loads, filter(None, run.stdout.splitlines())) if 'id' in row}
        for key, found in told.items():
            gpu = key.split()[2]
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
