#!/usr/bin/env python3
"""Time and memory of `epwise advise` over the whole space of a 256-GPU recipe: at most 5 s on two idle cores, and 200 MB.

    advise.py BIN
"""
import os, pathlib, resource, subprocess, sys, tempfile, time

RECIPE = """
model:
  num_layers: 60
  hidden_size: 7168
  ffn_hidden_size: 18432
  num_attention_heads: 128
  kv_channels: 128
  num_query_groups: 128
  gated_linear_unit: true
  add_bias_linear: false
  vocab_size: 129280
  seq_length: 4096
  num_moe_experts: 256
  moe_router_topk: 8
  moe_ffn_hidden_size: 2048
  moe_grouped_gemm: true
  moe_router_force_load_balancing: true
  moe_token_dispatcher_type: alltoall
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 4
  virtual_pipeline_model_parallel_size: 5
  expert_model_parallel_size: 64
  expert_tensor_parallel_size: 1
  bf16: true
comm_overlap: {tp_comm_overlap: false, overlap_moe_expert_parallel_comm: false, delay_wgrad_compute: false}
mixed_precision: bf16_mixed
ddp: {use_distributed_optimizer: true, overlap_grad_reduce: true, overlap_param_gather: true}
optimizer: {use_distributed_optimizer: true}
train: {global_batch_size: 2048, micro_batch_size: 1}
dataset: {sequence_length: 4096}
"""

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / 'recipe.yaml'
    path.write_text(RECIPE)
    begin = time.time()
    run = subprocess.run([sys.argv[1], 'advise', str(path), '--hw', 'gb200', '--gpus', '256'], capture_output=True, text=True)
    wall = time.time() - begin
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
print(run.stdout.strip().splitlines()[-1] if run.stdout else run.stderr)
print(f'{wall:.1f} s, {cpu:.1f} s of CPU (limit {5 * min(2, os.cpu_count())}), {peak:.0f} MB (limit 200), load {os.getloadavg()[0]:.1f}')
sys.exit(run.returncode != 0 or cpu > 5 * min(2, os.cpu_count()) or peak > 200)
