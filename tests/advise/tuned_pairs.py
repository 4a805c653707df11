#!/usr/bin/env python3
"""How many choices of a tuned recipe `epwise advise` finds from its conservative twin (the corpus): exit 77 without it.
    tuned_pairs.py BIN [-v]
A choice counts if plan 1 makes it, or leads to a value at least as far along (virtual stages). Precision is allowed where the pair changes it.
A choice that is missed cannot be made if the recipe with all choices of its twin (TWINS) is an error, crashes or computes something else by
lint, or does not fit in memory; it is bettered if plan 1 is predicted faster than that recipe.
"""
import functools, json, pathlib, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE  # noqa: E402
from sampling import complete, share  # noqa: E402

CORPUS = EVIDENCE / 'corpus' / 'bridge'
EVERYTHING = 'mapping,batch,recompute,dispatcher,overlap,graphs,kernels,precision'
LEAST, LEAST_POSSIBLE = 0.74, 0.85  # shares of all choices, and of those that can be made; only to be raised

OVERLAP = ('overlap_moe_expert_parallel_comm', {'true'})
WHOLE = ('cuda_graph_impl', {'full_iteration'})
GRAPHS = ('cuda_graph_impl', {'transformer_engine', 'full_iteration'})
MXFP8 = ('mixed_precision', {'bf16_with_mxfp8_mixed'})
DEEPEP = ('moe_flex_dispatcher_backend', {'deepep'})
HYBRIDEP = ('moe_flex_dispatcher_backend', {'hybridep'})
FLEX = ('moe_token_dispatcher_type', {'flex'})
VIRTUAL = ('virtual_pipeline_model_parallel_size', None)
# A recipe is asked about on the release of its twin (LATER), where an older one lacks fields of the twin's choices.
LATER = {'0.4.0/perf.qwen3_30b_a3b_pretrain.8gpu-b200-fp8mx': '0.6.2'}  # rank capacity and paged stash
PAIRS = [  # recipe, GPU, GPUs, with precision, the choices of its tuned twin
    ('0.5.0/perf.qwen3_30b_a3b_pretrain.16gpu-h100-bf16', 'h100', 16, False, [OVERLAP]),
    ('0.6.2/perf.deepseek_v3_pretrain.256gpu-gb200-bf16', 'gb200', 256, True, [OVERLAP, WHOLE, MXFP8]),
    ('0.6.2/perf.qwen3_235b_a22b_pretrain.64gpu-gb300-fp8cs', 'gb300', 256, True, [VIRTUAL, OVERLAP, WHOLE, MXFP8]),
    ('0.6.2/perf.qwen3_30b_a3b_pretrain.8gpu-gb200-fp8cs', 'gb200', 8, True, [OVERLAP, WHOLE, MXFP8]),
    ('0.4.0/perf.qwen3_30b_a3b_pretrain.8gpu-b200-fp8mx', 'b200', 8, False, [OVERLAP, WHOLE]),
    ('0.6.2/perf.qwen3_235b_a22b_pretrain.256gpu-b200-bf16', 'b200', 256, False, [FLEX, OVERLAP, VIRTUAL]),
    ('0.6.2/perf.deepseek_v3_pretrain.256gpu-b200-nvfp4', 'b200', 256, False, [DEEPEP, ('expert_model_parallel_size', {'32'}), OVERLAP]),
    ('0.6.2/perf.qwen3_235b_a22b_pretrain.256gpu-b300-bf16', 'b300', 256, True,
     [('pipeline_model_parallel_size', {'1'}), ('expert_model_parallel_size', {'16'}), OVERLAP, GRAPHS, ('tensor_model_parallel_size', {'2'}), ('micro_batch_size', {'3', '4'})]),
    ('0.6.2/perf.gpt_oss_120b_pretrain.64gpu-b200-bf16', 'b200', 64, False, [HYBRIDEP, GRAPHS]),
    ('0.6.2/perf.deepseek_v3_pretrain.1024gpu-h100-bf16', 'h100', 1024, True, [DEEPEP, OVERLAP, ('mixed_precision', {'bf16_with_fp8_subchannel_scaling_mixed'})]),
    ('0.4.0/perf.qwen3_235b_a22b_pretrain.256gpu-h100-bf16', 'h100', 256, False, [DEEPEP]),
    ('0.6.2/lib.deepseek_v2_pretrain-h100-bf16', 'h100', 128, False, [('recompute_granularity', {'selective', 'null', ''}), DEEPEP, VIRTUAL, OVERLAP]),
]

EVEN = 'comm_overlap.overlap_moe_expert_parallel_comm=true'
STASH = ('model.cuda_graph_impl=full_iteration model.cuda_graph_scope=null model.cuda_graph_modules=[] model.offload_modules=[] model.moe_expert_rank_capacity_factor=1.5 model.moe_paged_stash=true '
         'model.use_transformer_engine_op_fuser=true model.moe_mlp_glu_interleave_size=32')
PARTS = 'model.cuda_graph_impl=transformer_engine model.cuda_graph_scope=null model.cuda_graph_modules=[attn,moe_router,moe_preprocess] rng.te_rng_tracker=true'
BLOCKS = 'mixed_precision=bf16_with_mxfp8_mixed'
ONE_STAGE = (f'{BLOCKS} {EVEN} {PARTS} model.pipeline_model_parallel_size=1 model.account_for_embedding_in_pipeline_split=false '
             'model.account_for_loss_in_pipeline_split=false model.expert_model_parallel_size=16 model.tensor_model_parallel_size=2 '
             'model.sequence_parallel=true')
VARIABLES = {'0.6.2/perf.qwen3_235b_a22b_pretrain.64gpu-gb300-fp8cs': ['--env', 'NVTE_CUTEDSL_FUSED_GROUPED_MLP=1']}  # of its twin
TWINS = {  # the recipe's overrides with all choices of its twin, where plan 1 misses one
    '0.6.2/perf.qwen3_235b_a22b_pretrain.64gpu-gb300-fp8cs': f'{BLOCKS} {EVEN} {STASH} model.virtual_pipeline_model_parallel_size=12',
    '0.6.2/perf.deepseek_v3_pretrain.256gpu-b200-nvfp4':
        f'{EVEN} model.moe_token_dispatcher_type=flex model.moe_flex_dispatcher_backend=deepep model.moe_hybridep_num_sms=null '
        'model.expert_model_parallel_size=32',
    '0.6.2/perf.qwen3_235b_a22b_pretrain.256gpu-b300-bf16':
        f'{ONE_STAGE} train.micro_batch_size=2',  # 3 do not divide the batch, 4 do not fit
    ('0.6.2/perf.qwen3_235b_a22b_pretrain.256gpu-b300-bf16', 'micro_batch_size'):
        f'{ONE_STAGE} train.micro_batch_size=4',
    '0.6.2/perf.gpt_oss_120b_pretrain.64gpu-b200-bf16': f'{PARTS} model.moe_token_dispatcher_type=flex model.moe_flex_dispatcher_backend=hybridep',
}


@functools.cache  # several choices are asked of one twin
def answer(binary, command, name, target, words=()):
    call = [binary, command, str(CORPUS / f'{name}.yaml'), *target, *(['--force'] if command == 'simulate' else []), '-f', 'json', '--', *words]
    return json.loads(subprocess.run(call, capture_output=True, text=True, timeout=600).stdout)['files'][0]


def hindrance(binary, name, target, words):
    """Why nobody should make these choices: what lint says of them and not of the recipe, or memory; empty if nothing is."""
    codes = [{finding['code'] for finding in answer(binary, 'lint', name, target, each)['findings']
              if finding['severity'] == 'error' or finding['severity'] == 'warning' and finding['effect'] in ('crash', 'hang', 'wrong')}
             for each in ((), words)]
    if codes[1] - codes[0]: return 'lint: ' + ', '.join(sorted(codes[1] - codes[0]))
    return 'memory' if answer(binary, 'simulate', name, target, words)['memory']['out_of_memory'] > 0.1 else ''


def is_bettered(binary, name, target, plan):
    """Whether plan 1 is predicted faster than the whole twin."""
    return plan['step_time_s']['value'] <= answer(binary, 'simulate', name, target, tuple(TWINS[name].split()))['step_time_s']['value']


def written(path, field):
    """The recipe's own value, where it already has the choice."""
    for line in path.read_text().splitlines():
        if line.strip().startswith(field + ':') and line.split(':', 1)[1].strip() not in ('', 'null', '{}'): return line.split(':', 1)[1].strip()
    return ''


def main():
    if not CORPUS.is_dir(): print('skipped: the corpus is not there'); return 77
    found = total = bettered = hindered = 0
    for name, hw, gpus, precision, choices in PAIRS[::share(12)]:
        path = CORPUS / f'{name}.yaml'
        groups = EVERYTHING if precision else EVERYTHING.replace(',precision', '')
        version = LATER.get(name, name.split('/')[0])
        target = ('--config', 'none', *VARIABLES.get(name, []), '--hw', hw, '--gpus', str(gpus), '--stack', f'bridge={version},te=2.14.0,torch=2.9.1')
        call = [sys.argv[1], 'advise', str(path), *target, '--may-change', groups, '-f', 'json']
        out = json.loads(subprocess.run(call, capture_output=True, text=True, timeout=600).stdout)
        plans = out.get('plans') or out.get('too_close') or []
        changes = {c['field'].split('.')[-1]: str(c.get('to')) for c in plans[0]['changes']} if plans else {}
        missed = {}  # field: what plan 1 has
        for field, values in choices:
            to = changes.get(field, written(path, field))
            ok = (to.isdigit() and int(to) > 1) if values is None else to in values
            found += ok; total += 1
            if not ok: missed[field] = to or 'unchanged'
        known = bool(missed and plans) and name in TWINS
        for field in [*missed] if known else []:
            why = hindrance(sys.argv[1], name, target, tuple(TWINS.get((name, field), TWINS[name]).split()))
            if why: missed[field] += f' cannot be made ({why})'; hindered += 1
            elif is_bettered(sys.argv[1], name, target, plans[0]): missed[field] += ' is bettered'; bettered += 1
        print(f"{name}: {len(choices) - len(missed)} of {len(choices)}" + (f"; missed: {', '.join(f'{field} = {note}' for field, note in missed.items())}" if missed else ''))
        if '-v' in sys.argv: print('   ', plans[0]['speedup']['value'] if plans else None, changes)
    possible = total - hindered
    print(f'{found} of the {possible} tuned choices that can be made are found ({100 * found / possible:.0f} %), {bettered} are bettered; '
          f'{hindered} of {total} cannot be made')
    part = 1 if complete() else 0.5  # few pairs vary more
    return found < part * LEAST * total or found < part * LEAST_POSSIBLE * possible


if __name__ == '__main__': sys.exit(main())
