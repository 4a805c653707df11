"""Recipes by the number, no two neighbours alike, and programs under the clock."""
import os
import subprocess
import time

RECIPE = """model:
  num_layers: {layers}
  hidden_size: 2048
  num_attention_heads: 16
  tensor_model_parallel_size: {tp}
  pipeline_model_parallel_size: 2
  expert_model_parallel_size: 8
  num_moe_experts: 64
  moe_router_topk: 8
  moe_token_dispatcher_type: alltoall
{model}train:
  global_batch_size: {batch}
  micro_batch_size: 1
"""


def recipe(number: int, widths: int, model: str = "") -> str:
    """Number `number` of many; tensor parallelism goes from 1 to `widths`. `model`: further lines, up to the section `train`."""
    return RECIPE.format(layers=24 + number % 7, tp=1 + number % widths, batch=512 + 64 * (number % 5), model=model)


def measure(command: list[str], folder: str | os.PathLike, **more) -> tuple[int, float, float, int]:
    """Exit code, wall time, user time, peak memory in MB. `more`: as subprocess.Popen takes it."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, **more)
    _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), time.monotonic() - begin, usage.ru_utime, usage.ru_maxrss // 1024
