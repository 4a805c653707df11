#!/usr/bin/env python3
"""Writes reference_answers.jsonl: questions as `epwise cost --batch` takes them, with the answers of the Python reference.

    reference.py [REFERENCE]

The C++ laws give the same answers with the reference's parameters, which reference_tables/*.yaml hold in the form of
hwprofiles/costlaws/.
"""
import json, os, pathlib, random, sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
REFERENCE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get('EPWISE_EVIDENCE', ROOT.parent / 'shared') + '/reference')
QUESTIONS = 60  # of each law


def questions(laws):
    """Draws over every branch of every law, in range and out of it."""
    draw = random.Random(20261122)
    pick = draw.choice
    chips, formats = sorted(laws.HW), ['bf16', 'fp16', 'fp8', 'fp8_block', 'mxfp8', 'nvfp4', 'fp4']
    sizes = [1, 63, 64, 1000, 1024, 4096, 7168, 70000]
    some = lambda *values: pick([None, *values])
    for _ in range(QUESTIONS):
        yield 'gemm', dict(hw=pick(chips), dtype=pick(formats), m=pick(sizes), n=pick(sizes), k=pick(sizes),
                           family=pick(['torch', 'te']), quant=pick([True, False]), sms=some(16, 100))
        groups = pick([1, 4, 32])
        rows = [pick([0, 1, 100, 128, 4096]) for _ in range(groups)] if draw.random() < .5 else pick([0, 1, 100, 129, 5000])
        yield 'grouped_gemm', dict(hw=pick(chips), dtype=pick(formats), groups=groups, tokens_per_group=rows, n=pick(sizes), k=pick(sizes),
                                   stage=pick(['fwd', 'dgrad', 'wgrad']), family=pick(['te', 'single']),
                                   accumulate=pick([True, False]), quant=pick([True, False]))
        yield 'moe_forward', dict(hw=pick(chips), dtype=pick([*formats, 'w4a8_mxfp4_mxfp8']), tokens=pick([32, 1024, 65536]), topk=pick([1, 2, 8]),
                                  experts=pick([8, 64, 256]), ep=pick([1, 8, 64]), hidden=pick([1024, 4096, 7168]), inter=pick([768, 2048]),
                                  gated=pick([True, False]), family=pick(['cutlass', 'sglang', 'deepgemm', 'trtllm_gen']))
        width = pick([64, 128, 192])
        yield 'attention', dict(hw=pick(chips), dtype=pick(formats), heads=pick([1, 16, 128]), kv_heads=8, head_dim_qk=width,
                                head_dim_v=min(width, 128), seq=pick([256, 1024, 4096, 65536, 500000]), batch=pick([1, 4]),
                                causal=pick([True, False]), window=some(128, 4096), backward=pick([True, False]), family=some('te', 'cudnn'))
        yield 'memory_bound', dict(hw=pick(chips), nbytes=pick([0, 1000, 1e6, 1e9]), kind=pick(sorted(laws.MEM)), launch_us=pick([0, 3, 10]))
        yield 'collective', dict(hw=pick(chips), kind=pick(['alltoall', 'allgather', 'reducescatter', 'allreduce', 'ag', 'p2p']),
                                 bytes_per_rank=pick([0, 1000, 1 << 20, 1 << 28, 4e9]), ranks=pick([1, 2, 4, 8, 16, 72, 512]),
                                 nvlink_domain=some(1, 4, 8), nics_used=some(1, 4))
        for law in 'dispatch', 'combine':
            limit = pick([(None, None), (8, 4)])
            yield law, dict(hw=pick(chips), dtype=pick(formats[:-1]), tokens=pick([0, 100, 4096, 200000]), hidden=pick([1024, 4096, 7168]),
                            topk=pick([1, 8]), experts=256, ep=pick([1, 4, 8, 16, 36, 64, 128]), sms=some(2, 8, 24, 64),
                            backend=pick(['deepep', 'deepep_v2', 'deepep-ll', 'hybridep', 'nccl', 'trtllm-one-sided', 'trtllm-two-sided']),
                            nvlink_domain=some(4, 8, 32), n_group=limit[0], topk_group=limit[1], api=pick([True, False]))


def answers(laws):
    for law, arguments in questions(laws):
        seconds, relative_sd, status = getattr(laws, law + '_time')(**arguments)
        asked = {name: value for name, value in arguments.items() if value is not None}
        yield {'law': law, **asked, 'answer': {'seconds': seconds, 'relative_sd': relative_sd, 'status': status}}


def main():
    sys.path.insert(0, str(REFERENCE))
    import laws
    (HERE / 'reference_answers.jsonl').write_text(''.join(json.dumps(a) + '\n' for a in answers(laws)))


if __name__ == '__main__':
    main()
