#!/usr/bin/env python3
"""Verdicts of Megatron-LM's own argument checks against those of `epwise lint`, from a clone of Megatron-LM alone.

    tests/oracle/megatron_lm.py BIN [--git DIR] [--ref COMMIT] [--version V] [--cases N] [--seed N] [--out FILE]

Needs a Python with PyTorch (CPU), numpy and PyYAML: --python, by default $EPWISE_ORACLE/venv/bin/python or this one. Without --git the public
repository is cloned into build/oracle. Random launches of two small models run through Megatron-LM's parse_args, validate_args and
core_transformer_config_from_args, each in a process of its own, on a CPU that claims to be the number of H100 GPUs of the case; then
epwise lints the same words. --out writes the launches with both verdicts, one JSON object a line.

Only these three stages are compared: a launch that epwise rejects at a later one counts as started here, and answers that depend on this
machine (a missing package or device) are not scored. Exit status: 0 agreement at or above --floor, 1 below, 77 no PyTorch or no clone.
"""
import argparse, collections, io, json, os, pathlib, random, subprocess, sys, tarfile, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLONE = 'https://github.com/NVIDIA/Megatron-LM'
HEAD = 'd98e8a64'  # the commit that epwise calls head
STAGES = ('argparse', 'validate-args', 'transformer-config')
DENSE = ['--num-layers', '8', '--hidden-size', '128', '--num-attention-heads', '8', '--seq-length', '256', '--max-position-embeddings', '256',
         '--micro-batch-size', '1', '--global-batch-size', '64', '--train-iters', '10', '--lr', '1e-4', '--bf16', '--transformer-impl', 'local',
         '--no-persist-layer-norm', '--no-gradient-accumulation-fusion', '--vocab-size', '1024']
EXPERTS = [*DENSE, '--num-experts', '16', '--moe-router-topk', '2', '--moe-token-dispatcher-type', 'alltoall', '--disable-bias-linear']
# What a case may add: a flag and its possible values ('' for a switch).
CHANGES = {
    '--tensor-model-parallel-size': [2, 3, 4, 8], '--pipeline-model-parallel-size': [2, 3, 4, 8], '--context-parallel-size': [2, 3, 4],
    '--expert-model-parallel-size': [2, 3, 4, 8, 16, 32], '--expert-tensor-parallel-size': [1, 2, 4],
    '--num-layers-per-virtual-pipeline-stage': [1, 2, 3], '--num-virtual-stages-per-pipeline-rank': [1, 2, 3], '--sequence-parallel': [''],
    '--global-batch-size': [1, 8, 30, 64, 100], '--micro-batch-size': [0, 2, 3, 4], '--num-layers': [0, 6, 7, 9, 16],
    '--num-attention-heads': [6, 7, 12, 16], '--hidden-size': [96, 100, 130], '--group-query-attention': [''], '--num-query-groups': [1, 2, 3, 8],
    '--kv-channels': [16, 32], '--ffn-hidden-size': [96, 512], '--seq-length': [128, 250, 512], '--max-position-embeddings': [128, 512],
    '--num-experts': [0, 1, 6, 15, 64], '--moe-router-topk': [0, 1, 17, 64], '--moe-token-dispatcher-type': ['allgather', 'alltoall', 'flex', 'alltoal'],
    '--moe-router-load-balancing-type': ['aux_loss', 'sinkhorn', 'none', 'wrong'], '--moe-aux-loss-coeff': [0, 0.01], '--moe-grouped-gemm': [''],
    '--moe-expert-capacity-factor': [-1, 0.5, 1.5], '--moe-pad-expert-input-to-capacity': [''], '--moe-router-num-groups': [2, 3, 4],
    '--moe-router-group-topk': [1, 2, 5], '--moe-router-score-function': ['sigmoid', 'softmax'], '--moe-router-enable-expert-bias': [''],
    '--moe-shared-expert-intermediate-size': [0, 128], '--moe-shared-expert-overlap': [''], '--moe-layer-freq': ['1', '2', '[0,1,1,1,1,1,1,1]', '[0,1]'],
    '--overlap-moe-expert-parallel-comm': [''], '--delay-wgrad-compute': [''], '--use-distributed-optimizer': [''], '--overlap-grad-reduce': [''],
    '--overlap-param-gather': [''], '--recompute-granularity': ['full', 'selective', 'some'], '--recompute-method': ['uniform', 'block'],
    '--recompute-num-layers': [1, 4, 9], '--recompute-modules': ['core_attn', 'moe', 'moe_act', 'layernorm', 'nothing'],
    '--distribute-saved-activations': [''], '--fp16': [''], '--fp32-residual-connection': [''], '--accumulate-allreduce-grads-in-fp32': [''],
    '--attention-dropout': [0, 0.1], '--untie-embeddings-and-output-weights': [''], '--position-embedding-type': ['rope', 'none', 'learned_absolute', 'mrope'],
    '--rotary-percent': [0.5], '--rotary-interleaved': [''], '--swiglu': [''], '--squared-relu': [''], '--add-qkv-bias': [''], '--qk-layernorm': [''],
    '--normalization': ['RMSNorm', 'BatchNorm'], '--lr-warmup-fraction': [0.1], '--lr-warmup-iters': [2, 20], '--train-samples': [100],
    '--weight-decay-incr-style': ['constant', 'linear'], '--start-weight-decay': [0.1], '--decoder-first-pipeline-num-layers': [1, 2],
    '--decoder-last-pipeline-num-layers': [1, 3], '--mtp-num-layers': [1, 2], '--cross-entropy-loss-fusion': [''], '--rampup-batch-size': ['8 8 100'],
    '--check-for-nan-in-loss-and-grad': [''], '--use-torch-fsdp2': [''], '--ckpt-format': ['torch', 'torch_dist', 'zarr'], '--no-such-flag': [''],
}

# Runs under the Python with PyTorch: answers each case of standard input in a forked process.
WORKER = r'''
import json, os, sys, traceback, types, typing
typing.override = getattr(typing, 'override', lambda method: method)  # Python 3.11
sources = sys.argv[1]
sys.path.insert(0, sources)
os.environ.update(RANK='0', LOCAL_RANK='0', MASTER_ADDR='localhost', MASTER_PORT='1', WORLD_SIZE='8', CUDA_DEVICE_MAX_CONNECTIONS='1')
import torch
torch.cuda.get_device_capability = lambda *_: (9, 0)
torch.cuda.device_count = lambda: 8
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0, multi_processor_count=132, total_memory=80 << 30, name='NVIDIA H100 80GB HBM3')
quiet = open(os.devnull, 'w')
sys.stdout, out = quiet, sys.stdout
from megatron.training import arguments

def judge(case):
    sys.argv = ['pretrain_gpt.py', *case['words']]
    os.environ['WORLD_SIZE'] = str(case['gpus'])
    stage = 'argparse'
    try:
        args = arguments.parse_args()
        stage = 'validate-args'
        args = arguments.validate_args(args) or args
        stage = 'transformer-config'
        arguments.core_transformer_config_from_args(args)
        return {'verdict': 'starts'}
    except SystemExit as error:
        return {'verdict': 'rejects' if error.code else 'starts', 'at': stage, 'message': 'SystemExit'}
    except (ImportError, OSError, torch.cuda.CudaError) as error:
        return {'verdict': 'unknown', 'at': stage, 'message': repr(error)}
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return {'verdict': 'rejects', 'at': stage, 'message': f'{type(error).__name__}: {error}'[:300], 'line': f'{os.path.relpath(last.filename, sources)}:{last.lineno}'}

for line in sys.stdin:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(quiet.fileno(), 1), os.dup2(quiet.fileno(), 2)
        os.write(writing, json.dumps(judge(json.loads(line))).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    print(text or json.dumps({'verdict': 'unknown', 'message': 'the process ended'}), file=out, flush=True)
'''


def skip(reason):
    print(f'skipped: {reason}')
    sys.exit(77)


def sources(git, ref, folder):
    """The package `megatron` of a commit, laid out in a folder."""
    if git is None:
        git = ROOT / 'build/oracle/Megatron-LM'
        if not git.exists() and subprocess.run(['git', 'clone', '--quiet', '--bare', CLONE, git]).returncode:
            skip(f'no --git DIR, and {CLONE} cannot be cloned')
    run = subprocess.run(['git', '-C', git, 'archive', ref, 'megatron'], stdout=subprocess.PIPE)
    if run.returncode:
        skip(f'{git} has no commit {ref}')
    with tarfile.open(fileobj=io.BytesIO(run.stdout)) as tar:
        tar.extractall(folder)


def cases(number, seed):
    """Launches of a small model with up to four changes each."""
    draw = random.Random(seed)
    for index in range(number):
        words, changes = list(draw.choice((DENSE, EXPERTS, EXPERTS))), []
        for flag in draw.sample(sorted(CHANGES), draw.randint(0, 4)):
            value = str(draw.choice(CHANGES[flag]))
            changes.append(f'{flag} {value}'.rstrip())
            if flag in words:
                at = words.index(flag)
                words[at + 1:at + 2] = value.split()
            else:
                words += [flag, *value.split()]
        yield {'id': index, 'gpus': draw.choice((1, 8, 16, 64)), 'changes': changes, 'words': words}


def upstream(python, folder, launches):
    with tempfile.TemporaryFile('w+') as errors:
        text = ''.join(json.dumps(case) + '\n' for case in launches)
        run = subprocess.run([python, '-c', WORKER, folder], input=text, stdout=subprocess.PIPE, stderr=errors, text=True)
        answers = [json.loads(line) for line in run.stdout.split('\n') if line.startswith('{')]
        if len(answers) != len(launches):
            errors.seek(0)
            skip(f'Megatron-LM cannot be imported by {python}: {errors.read()[-500:]}')
        return answers


def ours(binary, version, case):
    run = subprocess.run([binary, 'lint', '--framework', 'mlm', '--hw', 'h100', '--gpus', str(case['gpus']), '--stack', f'mlm={version},te=none', '--env', 'CUDA_DEVICE_MAX_CONNECTIONS=1',
                          '--config', 'none', '--format', 'json', '--', *case['words']], capture_output=True, text=True)
    launch = json.loads(run.stdout)['files'][0]['launch']
    if launch['verdict'] == 'rejects' and launch['at'] not in STAGES:
        return {'verdict': 'starts', 'later': launch}
    return launch


def main():
    home = pathlib.Path(os.environ.get('EPWISE_ORACLE', pathlib.Path.home() / '.cache/epwise-oracle')) / 'venv/bin/python'
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument('--git', type=pathlib.Path)
    parser.add_argument('--ref', default=HEAD)
    parser.add_argument('--version', default='head', help='what epwise calls that commit')
    parser.add_argument('--python', default=str(home if home.exists() else sys.executable))
    parser.add_argument('--cases', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--floor', type=float, default=0.98)
    parser.add_argument('--out', type=pathlib.Path)
    args = parser.parse_args()
    if subprocess.run([args.python, '-c', 'import torch, numpy'], capture_output=True).returncode:
        skip(f'{args.python} has no PyTorch and numpy')
    with tempfile.TemporaryDirectory() as folder:
        sources(args.git, args.ref, folder)
        launches = list(cases(args.cases, args.seed))
        answers = upstream(args.python, folder, launches)
    verdicts, missed, lines = collections.Counter(), [], []
    for case, truth in zip(launches, answers):
        mine = ours(args.binary, args.version, case)
        lines.append(json.dumps({**case, 'expect': truth, 'epwise': mine}))
        verdicts[truth['verdict']] += 1
        if truth['verdict'] != 'unknown' and truth['verdict'] != mine['verdict']:
            missed.append((case, truth, mine))
    if args.out:
        args.out.write_text('\n'.join(lines) + '\n')
    for case, truth, mine in missed:
        model = 'experts' if '--disable-bias-linear' in case['words'] else 'dense'
        print(f'{case["id"]}: {model}, {case["gpus"]} GPUs, {" ".join(case["changes"])}\n  Megatron-LM {truth}\n  epwise      {mine}')
    scored = verdicts['starts'] + verdicts['rejects']
    agreement = 1 - len(missed) / scored if scored else 0
    print(f'{scored} launches scored ({verdicts["rejects"]} rejected), {verdicts["unknown"]} not; agreement {agreement:.4f}')
    return 0 if agreement >= args.floor else 1


if __name__ == '__main__':
    sys.exit(main())
