#!/usr/bin/env python3
"""Relations that hold between predictions whatever the constants are, on the MoE recipes of Megatron-Bridge's library.

    tests/metamorphic/library.py BIN [NAME…]      only recipes with one of the words in their name

Each recipe is simulated as it is and with one change. Direction: a change that adds work never shortens the step, one that speeds up a part
never lengthens it. Bounds: no step grows or shrinks by more than its change can explain. Continuity: a change of 1 % moves the step by at
most 3 %. Terms: the breakdown sums to the step, and no term is negative by more than rounding. Runs a share of the recipes, all of them
with EPWISE_COMPLETE=1.
"""
import json, pathlib, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from sampling import share  # noqa: E402
RELEASE = '0.6.2'
MACHINES = ('h100', 'b200', 'b300', 'gb200', 'gb300')
ROUNDING = 1e-6
SMALL = 0.005   # of the step: a schedule may gain a little from another division

HOST = ['--input', 'host=100us']
CAPACITY = ['model.moe_pad_expert_input_to_capacity=true', 'model.moe_router_force_load_balancing=false', 'model.moe_expert_rank_capacity_factor=null']


def change(words, least, most, start=(), gpus=1):
    """`words` of the command line, or of the recipe behind `--`, as a function of its facts; the same for what it is compared with; least and
    most of T(changed) / T(start); how many times as many GPUs."""
    constant = lambda given: given if callable(given) else lambda facts: list(given)
    return constant(words), constant(start), least, most, gpus


RELATIONS = {
    'twice the sequences': change(lambda r: ['--', f'train.global_batch_size={2 * r["batch"]}'], 1.2, 2 + SMALL),
    'twice the sequences on twice the GPUs': change(lambda r: ['--', f'train.global_batch_size={2 * r["batch"]}'], 0.9, 1.6, gpus=2),
    'twice the sequence length': change(lambda r: ['--', f'model.seq_length={2 * r["length"]}', f'dataset.seq_length={2 * r["length"]}'], 1, 4.5),
    'a slower NIC': change(['--input', 'nic_rate=100Gbit/s'], 1 - SMALL, 20),
    'a faster NIC': change(['--input', 'nic_rate=1600Gbit/s'], 0.2, 1 + SMALL),
    'a smaller NVLink domain': change(['--input', 'nvlink_domain=2'], 0.97, 30),
    'a slower host': change(['--input', 'host=400us'], 1 - ROUNDING, 8),
    'a faster host': change(['--input', 'host=1us'], 0.1, 1 + ROUNDING),
    'a host that is 1 % slower': change(['--input', 'host=101us'], 1 - ROUNDING, 1.03, HOST),
    'a NIC that is 1 % slower': change(['--input', 'nic_rate=396Gbit/s'], 1 - ROUNDING, 1.03, ['--input', 'nic_rate=400Gbit/s']),
    'a hot rank': change(['--input', 'imbalance=2'], 1, 2.2),
    'twice the capacity': change(['--', 'model.moe_expert_capacity_factor=2', *CAPACITY], 1, 2.2,
                                 ['--', 'model.moe_expert_capacity_factor=1', *CAPACITY]),
    'full recomputation': change(['--', 'model.recompute_granularity=full', 'model.recompute_method=uniform', 'model.recompute_num_layers=1',
                                  'model.recompute_modules=null'], 0.97, 1.9),
    'unfused rotary positions': change(['--', 'model.apply_rope_fusion=false'], 1 - ROUNDING, 1.5),
    'unfused accumulation': change(['--', 'model.gradient_accumulation_fusion=false'], 1 - ROUNDING, 1.6),
    'an unfused loss': change(['--', 'model.cross_entropy_loss_fusion=false'], 1 - ROUNDING, 1.8),
    'experts one after the other': change(['--', 'model.moe_grouped_gemm=false'], 1 - SMALL, 8),
    'data parallelism without overlap': change(['--', 'ddp.overlap_grad_reduce=false', 'ddp.overlap_param_gather=false'], 1 - ROUNDING, 6),
    'a replicated optimizer': change(['--', 'ddp.use_distributed_optimizer=false', 'optimizer.use_distributed_optimizer=false',
                                      'ddp.overlap_param_gather=false'], 1 - ROUNDING, 8),
    'one more expert for a token': change(lambda r: ['--', f'model.moe_router_topk={r["topk"] + 1}'], 1 - SMALL, 1.7),
    'a larger vocabulary': change(['--', 'model.vocab_size=400000', 'model.should_pad_vocab=true'], 0.95, 3),
}


def recipes(binary, words):
    listed = json.loads(subprocess.run([binary, 'recipes', 'list', '--stack', f'bridge={RELEASE}', '--format', 'json'], capture_output=True, text=True).stdout)
    for recipe in listed['recipes']:
        found = re.search(rf"_(\d+)gpu_({'|'.join(MACHINES)})_", recipe['name'])
        if found and '_pretrain_' in recipe['name'] and (not words or any(word in recipe['name'] for word in words)):
            yield recipe['name'], int(found[1]), found[2]


def value_of(text, field):
    return max((int(found) for found in re.findall(rf'^\s+{field}: (\d+)$', text, re.M)), default=0)


def simulate(binary, path, gpus, hw, words=()):
    at = words.index('--') if '--' in words else len(words)
    run = subprocess.run([binary, 'simulate', path, '--hw', hw, '--gpus', str(gpus), *words[:at], '--force', '--format', 'json', *words[at:]],
                         capture_output=True, text=True)
    try:
        return json.loads(run.stdout)['files'][0]
    except ValueError:
        return {}


def terms(answer):
    step = answer['step_time_s']['value']
    seconds = [term['seconds'] for term in answer['breakdown']]
    if abs(sum(seconds) / step - 1) > 1e-4:
        yield f'its terms sum to {sum(seconds):.6g} s of {step:.6g} s'
    for term in answer['breakdown']:
        if term['seconds'] < -SMALL * step:
            yield f"{term['name']} is {term['seconds']:.4g} s of {step:.4g} s"


def check(binary, folder, recipe):
    name, gpus, hw = recipe
    text = subprocess.run([binary, 'recipes', 'show', f'{name}@{RELEASE}'], capture_output=True, text=True).stdout
    path = pathlib.Path(folder) / f'{name}.yaml'
    path.write_text(text)
    facts = {'batch': value_of(text, 'global_batch_size'), 'topk': value_of(text, 'moe_router_topk'), 'length': value_of(text, 'seq_length')}
    if not all(facts.values()):
        return None
    base = simulate(binary, path, gpus, hw)
    if any('cannot be predicted' in fact['message'] for fact in base.get('missing', [])):
        print(f"{name}: left out, {base['missing'][0]['message']}")
        return None
    if 'step_time_s' not in base:
        return [f'{name}: no prediction']
    wrong = [f'{name}: {line}' for line in terms(base)]
    for name_of, (words, start, least, most, times) in RELATIONS.items():
        before = simulate(binary, path, gpus, hw, start(facts)) if start(facts) else base
        after = simulate(binary, path, times * gpus, hw, words(facts))
        if 'step_time_s' not in before or 'step_time_s' not in after:
            wrong.append(f'{name}: no prediction with {name_of}')
            continue
        ratio = after['step_time_s']['value'] / before['step_time_s']['value']
        if not least <= ratio <= most:
            wrong.append(f'{name}: {name_of} takes {ratio:.4f} times as long, {least:.4g} to {most:.4g} expected')
        wrong += [f'{name}, {name_of}: {line}' for line in terms(after)]
    return wrong


def main():
    binary, words = sys.argv[1], sys.argv[2:]
    chosen = list(recipes(binary, words))[::share(36)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        results = [result for result in pool.map(lambda recipe: check(binary, folder, recipe), chosen) if result is not None]
    wrong = [line for result in results for line in result]
    for line in wrong:
        print(line)
    print(f'{len(results)} recipes, {len(RELATIONS)} relations each: {len(wrong)} do not hold')
    return 1 if wrong or not results else 0


if __name__ == '__main__':
    sys.exit(main())
