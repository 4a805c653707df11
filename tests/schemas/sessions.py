"""The sessions that outputs.py looks at: those of tests/cli once more as JSON, and others, each in a folder with what it asks about."""

import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/advise"))
import export  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/support"))
from evidence import EVIDENCE  # noqa: E402
from sampling import share  # noqa: E402

CORPUS = EVIDENCE / "corpus"
RECIPE = str(ROOT / "examples/seeds/q30-ep16-off.yaml")
OVERLAP = str(ROOT / "examples/seeds/q30-ep16-overlap.yaml")
TARGET = "--hw h100 --gpus 16"

# Commands that print JSON, and whether --format names a list of outputs.
WITH_JSON = {"lint", "gate", "whatif", "why", "simulate", "compare", "advise", "diff", "cost", "calibrate", "explain", "rules", "hw",
             "doctor", "recipes", "models", "support"}


def scenario(path: pathlib.Path) -> tuple[str, dict[str, str], str]:
    """Command, files and standard input of one session of tests/cli."""
    files: dict[str, str] = {}
    command, name = "", ""
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("$ ") and not command:
            command = line[2:].strip()
        elif line.startswith("--- "):
            name = line[4:].strip()
            files[name] = ""
        elif name:
            files[name] += line.removeprefix("\\")
    expected = ("stdout", "stderr", "exit", "written", "forbidden")
    standard_input = files.get("stdin", "")
    return command, {name: text for name, text in files.items() if name.split()[0] not in (*expected, "stdin")}, standard_input


def as_json(command: str) -> list[str] | None:
    """The words of a command that asks for JSON; nothing for one that has none."""
    words = shlex.split(command)
    while words and "=" in words[0]:
        words.pop(0)
    if len(words) < 2 or words[1] not in WITH_JSON:
        return None
    # Patches, mended text and what an argument means are for people, or for `patch`.
    if any(word in words for word in ("--help", "-h", "--list-files", "import", "--dry-run", "--verify-receipt", "--write", "--diff")):
        return None
    if any(word.startswith("--fix") for word in words) and ("-" in words or "--" in words):
        return None
    if words[1:] == ["cost", "gemm"]:
        return None
    behind = words.index("--") if "--" in words else len(words)
    kept, skip = [], False
    for word in words[1:behind]:
        if not skip and word not in ("-f", "--format"):
            kept.append(word)
        skip = word in ("-f", "--format")
    return [*kept, *([] if "--batch" in kept else ["-f", "json"]), *words[behind:]]


MLM = """MODEL_ARGS:
  --num-layers: 4
  --num-expert: 8
  --micro-batch: 1
"""
CRASH = "pretrain_gpt.py: error: unrecognized arguments: --num-expert 8 --micro-batch 1\n"
LAUNCHER = """Traceback (most recent call last):
  File "/opt/megatron-lm/pretrain_gpt.py", line 30, in <module>
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB
E1122 10:00:00.000 12 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 3 (pid: 77) of binary
============================================================
pretrain_gpt.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-22_10:00:00
  host      : node
  rank      : 3 (local_rank: 3)
  exitcode  : 1 (pid: 77)
  error_file: <N/A>
============================================================
"""
# Everything that a calibration may hold, and no run on one GPU writes.
EVERY = """schema: epwise.calibration/1
x_note: mine
tool: "0.1.0"
created: "2026-11-22T11:15:00Z"
backend: "cuda"
device: {name: "NVIDIA H100 80GB HBM3", x_note: mine}
recipe: {groups: 8, m: 1, n: 1, k: 1, x_note: mine}
points:
  - id: "pair"
    x_note: mine
    work: {kernel: grouped_gemm, stage: weight_gradient, groups: 8, m: 64, n: 64, k: 64}
    beside: {kernel: dispatch, structure: pipelined, placement: partition, pace_gbs: 40, sms: 20}
    status: imported
    reason: "a log"
    time_us: {median: 2, low: 1, high: 3}
    beside_time_us: {median: 2, low: 1, high: 3}
    start_delay_us: {median: 2, low: 1, high: 3}
    bytes: {memory: 1, payload: 2}
    clock_mhz: 1980
    power_w: 640
    slowest: {rank: 3, skew: 0.1}
    check: {result: passed, what: "a note"}
fits: []
constants:
  host_x86: {value: 3.0e-05, log_sd: 0.1, basis: "5 measured steps"}
"""
FILES_OF_OURS = {
    "mlm.yaml": MLM,
    "crash.log": CRASH,
    "launcher.log": LAUNCHER,
    "few.yaml": "model: {num_layers: 4, num_moe_experts: 8, moe_router_topk: 2}\ntrain: {global_batch_size: 16, micro_batch_size: 1}\n",
    "mended.yaml": "model: {num_layers: 4, tensor_model_parallel_size: 3}\ntrain: {global_batch_size: 10, micro_batch_size: 4}\n",
    "broken.yaml": "model: {a: [1\n",
    "accepted.yaml": pathlib.Path(RECIPE).read_text().replace(
        "global_batch_size: 1024", "global_batch_size: 1000  # epwise: ignore[batch/indivisible]: a test of the comment"),
    "larger.yaml": pathlib.Path(RECIPE).read_text().replace("global_batch_size: 1024", "global_batch_size: 2048"),
    "accepted-part.yaml": "model: {num_layers: 4, tensor_model_parallel_size: 3}\n"
        "train:\n  global_batch_size: 10  # epwise: ignore[batch/indivisible]: a test of the comment\n  micro_batch_size: 4\n",
    "even-part.yaml": "model: {num_layers: 4, tensor_model_parallel_size: 3}\ntrain:\n  global_batch_size: 12\n  micro_batch_size: 4\n",
    "header.yaml": "# epwise: --hw h100\nmodel: {num_layers: 4, num_moe_experts: 8, moe_router_topk: 2}\n",
    "divided.log": "AssertionError: global batch size (10) is not divisible by micro batch size (4) times data parallel size (2)\n",
    "bad.yaml": "model: {num_layers: 4, tensor_model_parallel_size: 3}\ntrain: {global_batch_size: 10, micro_batch_size: 4}\n",
    "verl.sh": "python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B "
               "actor_rollout_ref.actor.megatron.expert_model_parallel_size=8 trainer.nnodes=1 trainer.n_gpus_per_node=8 "
               "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1\n",
    "raises.yaml": "model: {num_layers: 4, seq_length: 4096}\ntrain: {global_batch_size: 16, micro_batch_size: 0}\n",
    "text.yaml": "model: {num_layers: four, kv_channels: [1, 2], tensor_model_parallel_size: 2}\nlogger: {wandb_exp_name: .nan}\n",
    "run.sh": "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-experts 3 --bf16\n",
    "swift.sh": "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-30B-A3B --tensor_model_parallel_size 3\n",
    "gated/recipe.yaml": "model: {num_layers: 4, num_moe_experts: 8, moe_router_topk: 2}\ntrain: {global_batch_size: 16, micro_batch_size: 1}\n",
    "gated/servers.yaml": "servers: [a, b]\n",
    "batch.jsonl": '{"law": "gemm", "hw": "h100", "dtype": "bf16", "m": 4096, "n": 4096, "k": 4096}\n{"law": "gem"}\n7\n',
    "measured.yaml": "step_time: 40s\ndispatch_time: 1ms\nexposed_share: 0.1\n",
    "truth.yaml": "schema: epwise.replay/1\nhw: h100\nnoise: 0.05\n",
    "steps.yaml": f"steps:\n  - {{recipe: {RECIPE}, hw: h100, gpus: 16, step_time_s: 41}}\n",
    "every.cal": EVERY,
    "up/megatron/core/transformer/transformer_config.py": "class TransformerConfig:\n    def __post_init__(self):\n        pass\n",
}
# What else is worth asking; the places of recipes are filled in.
SESSIONS = [
    "lint bad.yaml few.yaml broken.yaml missing.yaml run.sh swift.sh text.yaml mlm.yaml --gpus 8",
    "lint mended.yaml --gpus 8 --fix=training", "lint {recipe} --hw h100 --gpus 16 --price", "lint {overlap} {target} --calibration measured.cal",
    "lint .", "lint empty", "gate {recipe} bad.yaml gated {target} --baseline known.yaml --max-exposed-comm 1% --min-headroom 500GiB --receipt r.json",
    "simulate {recipe} few.yaml bad.yaml accepted.yaml {target}", "simulate {recipe} {target} --calibration measured.cal", "simulate {recipe}",
    "simulate missing.yaml", "simulate {overlap} {target} --force -- model.tensor_model_parallel_size=2",
    "simulate {recipe} {target} -- mixed_precision=bf16_with_fp8_current_scaling_mixed",
    f"compare {{recipe}} {pathlib.Path(RECIPE).parent / 'next80-ep8-overlap.yaml'} {{target}}",
    f"compare {pathlib.Path(RECIPE).parent} {pathlib.Path(RECIPE).parent} {{target}}",
    "compare {recipe} {overlap} {target}", "compare {recipe} few.yaml {target}", "compare few.yaml {recipe} {target} --calibration measured.cal",
    "advise {recipe} {target} --may-change dispatcher,graphs --top 2", "advise accepted.yaml {target} --may-change dispatcher --top 1",
    "advise accepted-part.yaml --hw h100 --gpus 9", "advise few.yaml {target}", "advise bad.yaml {target}",
    "advise {recipe} {target} --among {overlap} --may-change overlap --goal memory",
    "advise {recipe} {target} --profile measured.yaml --calibration measured.cal --may-change dispatcher",
    "advise {recipe} {target} --profile run.sqlite --may-change overlap --top 1", "advise {recipe} --hw gb200 --gpus 64 --may-change overlap,dispatcher --top 1",
    "advise {recipe} {target} --may-change dispatcher --why-not moe_flex_dispatcher_backend=deepep",
    "advise {recipe} {target} --may-change overlap --top 1 -- model.recompute_granularity=full model.recompute_method=uniform"
    " model.recompute_num_layers=1",
    "advise {recipe} {target} --may-change dispatcher --top 1 -- model.moe_shared_expert_overlap=true"
    " model.moe_shared_expert_intermediate_size=1024",
    "advise {recipe} {target} --goal safe --may-change overlap --keep moe_token_dispatcher_type",
    "advise {recipe} {target} --may-change dispatcher --why-not model.moe_token_dispatcher_type=allgather",
    "advise {recipe} {target} --may-change overlap --why-not comm_overlap.overlap_moe_expert_parallel_comm=true",
    "advise {recipe} {target} --why-not model.expert_model_parallel_size=7", "advise {recipe} {target} --may-change overlap --why-not train.micro_batch_size=2",
    "advise {recipe} {target} --may-change overlap --why-not train.global_batch_size=2048",
    "advise few.yaml {target} --why-not model.expert_model_parallel_size=2",
    "advise --which dispatcher --model qwen3-235b-a22b --hw gb200 --gpus 256 --ep 32",
    "advise --which dispatcher --model qwen3-30b-a3b --hw h100 --gpus 16 --ep 16",
    "simulate {recipe} {target} --stack te=99", "compare {recipe} {overlap} {target} --stack te=99", "compare {recipe} few.yaml {target} --stack te=99",
    f"compare {pathlib.Path(RECIPE).parent} {pathlib.Path(RECIPE).parent} {{target}} --stack te=99", "advise bad.yaml {target} --stack te=99",
    "advise {recipe} {target} --may-change dispatcher --top 1 --stack te=99",
    "advise {recipe} {target} --may-change dispatcher --stack te=99 --why-not model.moe_token_dispatcher_type=allgather",
    "advise {recipe} {target} --may-change overlap --stack te=99 --why-not train.micro_batch_size=2",
    "advise {recipe} {target} --stack te=99 --why-not model.expert_model_parallel_size=7",
    "whatif {recipe} --stack bridge=0.6.2 --gpus 6..16", "whatif mlm.yaml --gpus 8", "whatif bad.yaml --gpus 8 --te 2.6..2.8",
    "why data_parallel_size {recipe} --gpus 64", "why data_parallel_size {recipe}", "why num_microbatches raises.yaml --gpus 8",
    "why train.global_batch_size verl.sh", "why num_microbatches verl.sh",
    "why kv_channels text.yaml", "why model.num_layers text.yaml", "why num_microbatches bad.yaml --gpus 9",
    "calibrate show measured.cal", "calibrate check measured.cal", "calibrate diff measured.cal other.cal", "calibrate check other.cal",
    "calibrate {recipe} --gpus 16 --backend replay --replay truth.yaml --quick --fresh -o fresh.cal", "calibrate show missing.cal",
    "calibrate show replayed.cal", "calibrate diff replayed.cal again.cal", "calibrate show fitted.cal",
    "explain --from-log crash.log mlm.yaml", "explain --from-log crash.log", "explain --from-log launcher.log {recipe} {target}",
    "explain --from-log divided.log accepted-part.yaml --gpus 9", "explain --from-log crash.log few.yaml", "explain --from-log batch.jsonl", "explain EPO001", "explain overlap/expert-rank",
    "rules list", "rules show EPO001 PAR019", "rules coverage", "rules coverage {recipe}", "rules coverage run.sh", "rules drift --upstream up",
    "recipes list qwen3_30b --stack bridge=0.6.2", "models list", "models show Qwen/Qwen3-30B-A3B", "support", "hw list", "hw show h100", "hw show gb200", "doctor", "cost gemm hw=h100 dtype=bf16 m=4096 n=4096 k=4096", "cost",
    "cost gemm hw=b200 dtype=fp8 m=1 n=4096 k=4096", "cost --batch batch.jsonl",
    "diff {recipe} {overlap} {target}", "diff {recipe} larger.yaml {target}", "diff few.yaml bad.yaml", "diff bad.yaml accepted-part.yaml --gpus 9", "diff even-part.yaml accepted-part.yaml --gpus 9", "diff few.yaml header.yaml --gpus 9", "diff HEAD", "diff HEAD bad.yaml", "diff HEAD few.yaml bad.yaml", "diff missing.yaml bad.yaml",
]


def corpus_sessions() -> list[str]:
    """Every so manieth recipe that the frameworks ship."""
    files = sorted(path for path in CORPUS.rglob("*") if path.suffix in (".yaml", ".yml", ".sh")) if CORPUS.is_dir() else []
    picked = [shlex.quote(str(path)) for path in files[:: max(1, len(files) // (40 // share(5)))]]
    if not picked:
        print(f"no data at {CORPUS}: only our own recipes")
        return []
    return [f"lint {' '.join(picked)}", f"lint {' '.join(picked)} --gpus 64 --hw h100 --stack te=2.8.0", f"simulate {' '.join(picked)} --hw gb200 --gpus 64",
            *(f"why data_parallel_size {path} --gpus 64" for path in picked[::8]), *(f"whatif {path} --gpus 8..64" for path in picked[::20]),
            *(f"rules coverage {path}" for path in picked[::20])]


def play(epwise: str, folder: pathlib.Path, words: list[str], standard_input: str = "") -> subprocess.CompletedProcess:
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": str(folder)}
    return subprocess.run([epwise, *words], cwd=folder, env=environment, input=standard_input, capture_output=True, text=True, check=False,
                          timeout=600)


def write_all(folder: pathlib.Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(folder: pathlib.Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=folder, check=True, capture_output=True)


def prepare(epwise: str, folder: pathlib.Path) -> None:
    """A checkout with a change, an upstream checkout, calibrations and a baseline."""
    write_all(folder, FILES_OF_OURS)
    (folder / "empty").mkdir()
    git(folder / "up", "init", "-q", "-b", "main")
    git(folder / "up", "add", ".")
    git(folder / "up", "commit", "-qm", "upstream")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "few.yaml", "bad.yaml", "text.yaml")
    git(folder, "commit", "-qm", "first")
    write_all(folder, {"few.yaml": FILES_OF_OURS["few.yaml"].replace("topk: 2", "topk: 4")})
    (folder / "text.yaml").unlink()
    write_all(folder, {"text.yaml": FILES_OF_OURS["text.yaml"].replace("four", "4")})
    for name, text in (("measured.cal", "calibrate-show-json"), ("other.cal", "calibrate-check")):
        _, files, _ = scenario(ROOT / f"tests/cli/{text}.scenario")
        write_all(folder, {name: files["h100.yaml"]})
    export.write(folder / "run.sqlite", steps=6, step_ms=40_000.0, layers=20, exchange_ms=4.0, product_ms=20.0)
    replay = f"calibrate {RECIPE} --gpus 16 --backend replay --replay truth.yaml --quick -o"
    for words in ("baseline write known.yaml bad.yaml --gpus 16 --hw h100 --reason tested", f"{replay} replayed.cal", f"{replay} again.cal --seed 2",
                  "calibrate fit-steps steps.yaml -o fitted.cal", "calibrate show every.cal"):
        done = play(epwise, folder, words.split())
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


def jobs(epwise: str, folder: pathlib.Path) -> list[tuple[pathlib.Path, list[str], str]]:
    """(where, what is asked, standard input) of every session; receipts and calibrations lie in `folder`/own when they have run."""
    found = []
    for path in sorted((ROOT / "tests/cli").glob("*.scenario")):
        command, files, standard_input = scenario(path)
        words = as_json(command)
        if words is not None:
            place = folder / "cli" / path.stem
            write_all(place, files)
            place.mkdir(parents=True, exist_ok=True)
            found.append((place, words, standard_input))
    own = folder / "own"
    own.mkdir()
    prepare(epwise, own)
    fill = {"recipe": RECIPE, "overlap": OVERLAP, "target": TARGET}
    return found + [(own, as_json(f"epwise {session.format(**fill)}"), "") for session in [*SESSIONS, *corpus_sessions()]]
