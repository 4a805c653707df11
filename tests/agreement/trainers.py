#!/usr/bin/env python3
"""What people have is a whole recipe: a launch of Megatron-Bridge's harness, and one of each trainer.

    tests/agreement/trainers.py BIN

The harness' command must get the findings that the recipe it selects gets, given as a whole file (`epwise recipes show`). Each trainer's
launch contains the same four mistakes: layers that do not divide among the stages, a split that does not divide the GPUs, and two
misspelt settings. All of them must be reported, at the severity that the trainer's reaction gives them, and none of them without the
mistakes. No check may be open because the model is unknown.
"""
import json, os, pathlib, subprocess, sys, tempfile

STACK = 'mcore=0.18.0,te=2.14.0,torch=2.10.0'
# In place of {pp} and {slip}: 5 stages and misspelt names, or 4 and none.
LAUNCHES = {
    'verl.sh': r'''
python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer actor_rollout_ref.model.path=$MODELS/Qwen3-30B-A3B \
    actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2 actor_rollout_ref.actor.megatron.pipeline_model_parallel_size={pp} \
    actor_rollout_ref.actor.megatron.expert_model_parallel_size{s}=2 \
    +actor_rollout_ref.actor.megatron.override_transformer_config.moe_router_{dtype}=fp32 trainer.n_gpus_per_node=8 trainer.nnodes=2
''',
    'swift.sh': r'''
NPROC_PER_NODE=8 NNODES=2 megatron sft --model Qwen/Qwen3-30B-A3B --tensor_model_parallel_size 2 --sequence_parallel true \
    --pipeline_model_parallel_size {pp} --expert_model_parallel_size{s} 2 --moe_router_{dtype} fp32 --micro_batch_size 1
''',
    'nemo_rl.yaml': '''
policy:
  model_name: Qwen/Qwen3-30B-A3B
  train_micro_batch_size: 1
  train_global_batch_size: 64
  max_total_sequence_length: 4096
  megatron_cfg:
    enabled: true
    activation_checkpointing: false
    tensor_model_parallel_size: 2
    sequence_parallel: true
    pipeline_model_parallel_size: {pp}
    context_parallel_size: 1
    expert_tensor_parallel_size: 1
    expert_model_parallel_size{s}: 2
    moe_router_{dtype}: fp32
cluster: {{gpus_per_node: 8, num_nodes: 2}}
''',
    'roll.yaml': '''
pretrain: Qwen/Qwen3-30B-A3B
num_gpus_per_node: 8
actor_train:
  model_args: {{dtype: bf16}}
  training_args: {{per_device_train_batch_size: 1, gradient_accumulation_steps: 8}}
  strategy_args:
    strategy_name: megatron_train
    strategy_config:
      tensor_model_parallel_size: 2
      sequence_parallel: true
      pipeline_model_parallel_size: {pp}
      expert_model_parallel_size{s}: 2
      moe_router_{dtype}: fp32
  device_mapping: list(range(0,16))
''',
    'slime.sh': r'''
export CUDA_DEVICE_MAX_CONNECTIONS=1
python3 train.py --actor-num-nodes 2 --actor-num-gpus-per-node 8 --hf-checkpoint /m/Qwen3-30B-A3B --rollout-batch-size 32 \
    --num-layers 48 --hidden-size 2048 --num-attention-heads 32 --num-experts 128 --moe-router-topk 8 --moe-ffn-hidden-size 768 \
    --disable-bias-linear --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size {pp} \
    --expert-model-parallel-size{s} 2 --moe-router-{dtype} fp32 --micro-batch-size 1
''',
}
SHAPE = {('PAR012', 'error'), ('PAR001', 'error')}
# A trainer that stops at a name it does not know, or one that ignores it.
SLIPS = {'verl.sh': ('REC300', 'error'), 'swift.sh': ('REC300', 'error'), 'roll.yaml': ('REC300', 'error'),
         'nemo_rl.yaml': ('HYG032', 'warning'), 'slime.sh': ('HYG032', 'warning')}
HARNESS = 'python scripts/performance/run_script.py -m qwen -mr qwen3_30b_a3b -g h100 -ng 16 {words}\n'
RECIPE = 'qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config@0.6.2'
FAILED = []


def check(holds, what):
    if not holds:
        FAILED.append(what)


def lint(binary, path, *words):
    run = subprocess.run([binary, 'lint', path.name, '--config', 'none', '--hw', 'h100', '--format', 'json', *words], cwd=path.parent,
                         capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    return json.loads(run.stdout)['files'][0]


def told(file):
    return {(finding['code'], finding['severity']) for finding in file['findings']}


def wants_the_model(needs):
    return any(word in need for need in needs for word in ('config.json', "the model's", 'model._target_'))


def check_open(name, file):
    waiting = sorted(row['code'] for row in file['open'] if wants_the_model(row['needs']))
    check(not waiting, f'{name}: checks skipped because the model is unknown: {" ".join(waiting)}')
    check(not wants_the_model(file['launch']['needs']), f'{name}: the launch waits for the model')


def check_trainer(binary, folder, name, text):
    path = folder / name
    path.write_text(text.format(pp=5, s='s', dtype='dtpye'))
    wrong = lint(binary, path, '--stack', STACK)
    slip = SLIPS[name]
    check(SHAPE <= told(wrong), f'{name}: missed {sorted(SHAPE - told(wrong))}')
    check(sum((row['code'], row['severity']) == slip for row in wrong['findings']) == 2, f'{name}: misspelt settings are not both {slip}')
    check_open(name, wrong)
    path.write_text(text.format(pp=4, s='', dtype='dtype'))
    right = lint(binary, path, '--stack', STACK)
    check_open(name, right)
    errors = sorted(code for code, severity in told(right) if severity == 'error')
    check(not errors and slip not in told(right), f'{name}: without the mistakes still {errors}')


def check_harness(binary, folder):
    stack = ('--stack', 'bridge=0.6.2,te=2.14.0,torch=2.9.1', '--gpus', '16')
    whole, command = folder / 'whole.yaml', folder / 'harness.sh'
    whole.write_text(subprocess.run([binary, 'recipes', 'show', RECIPE, '--full'], capture_output=True, text=True, check=True).stdout)
    for words, change in (('', None), ('--expert_model_parallel_size 12', 'model.expert_model_parallel_size=12')):
        command.write_text(HARNESS.format(words=words))
        launched = lint(binary, command, *stack)
        dumped = lint(binary, whole, *stack, *(['--', change] if change else []))
        check(told(launched) == told(dumped), f'harness {words}: {sorted(told(launched) ^ told(dumped))}')
        check(launched['launch']['code'] == dumped['launch']['code'], f'harness {words}: another verdict')
        check_open('harness', launched)
    check(any(severity == 'error' for _, severity in told(launched)), 'harness: EP 12 on 16 GPUs is no error')


def main():
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, text in LAUNCHES.items():
            check_trainer(binary, pathlib.Path(folder), name, text)
        check_harness(binary, pathlib.Path(folder))
    print('\n'.join(FAILED) or f'{len(LAUNCHES)} trainers and the harness: nothing missed')
    return 1 if FAILED else 0


if __name__ == '__main__':
    sys.exit(main())
