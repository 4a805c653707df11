"""Every command that writes, with a fault at every call that changes a file: a full disk, a failing one, a write that takes half,
SIGKILL before and after the call. Whatever happens, each file has its old or its new content; a fault that the process survives is
told with exit code 3, and leaves no temporary file; after SIGKILL the same command works as if nothing had been. Then: writers
of one file at the same time.

    faults.py EPWISE INJECTION        the program, and the library that tests/faults/injection.cc makes
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sampling

BINARY, LAYER = map(os.path.abspath, sys.argv[1:3])
WORK = pathlib.Path(tempfile.mkdtemp())
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "EPWISE_TODAY": "2026-11-24", "SOURCE_DATE_EPOCH": "1763810100"}
MOST = 400 if sampling.complete() else 12  # of one command; a calibration changes files a thousand times
KINDS = ("enospc", "eio", "short", "kill", "killed")
failures = []

RECIPE = """model:
  num_layers: 24
  hidden_size: 2048
  num_attention_heads: 32
  num_query_groups: 4
  kv_channels: 128
  num_moe_experts: 64
  moe_router_topk: 6
  moe_ffn_hidden_size: 1024
  ffn_hidden_size: 6144
  vocab_size: 100352
  gated_linear_unit: true
  seq_length: 4096
  bf16: true
  expert_model_parallel_size: 16
  moe_token_dispatcher_type: alltoall
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
ddp: {use_distributed_optimizer: true}
"""
OLD = "old\n" * 5000
BROKEN = "model: {num_layers: 4, tensor_model_parallel_size: 4}\ntrain: {global_batch_size: 10, micro_batch_size: 4}\n"
TARGET = "--hw h100 --gpus 16"

LOG = "".join(f" iteration {step}/ 100 | elapsed time per iteration (ms): {5600 + 10 * (step % 3)} | global batch size: 256 |\n" for step in range(1, 12))
TIMINGS = "kind,backend,ranks,tokens,hidden,topk,experts,dtype,sms,us\ndispatch,deepep,8,4096,7168,8,256,bf16,24,950\n"
STEPS = "steps:\n  - {recipe: a.yaml, hw: h100, gpus: 16, step_time_s: 5.6}\n"


class Name(str):
    """What a further name (hard link) of the file `of` holds."""

    def __new__(cls, of, content):
        self = super().__new__(cls, content)
        self.of = of
        return self


# Files before, and the command. What it writes is found out by running it.
COMMANDS = {
    "fix": ({"a.yaml": BROKEN, "b.yaml": BROKEN}, "lint a.yaml b.yaml --gpus 8 --select batch/ --fix=training"),
    "reports": ({"a.yaml": BROKEN, "r.json": "old\n"}, "lint a.yaml --gpus 8 -f json=r.json -f sarif=r.sarif -f junit=r.xml -f markdown=r.md"),
    "baseline": ({"a.yaml": BROKEN}, "baseline write known.yaml --gpus 8 --reason x"),
    "prune": ({"a.yaml": RECIPE}, "baseline prune known.yaml a.yaml --gpus 16"),
    "receipt": ({"a.yaml": RECIPE, "r.json": "old\n"}, f"gate a.yaml {TARGET} --receipt r.json"),
    "charts": ({"a.yaml": RECIPE, "p.html": "old\n"}, f"simulate a.yaml {TARGET} --force -f html=p.html -f trace=t.json -f csv=c.csv"),
    "configuration": ({"a.yaml": RECIPE}, "config init --hw h100 --gpus 16"),
    # Shorter than what was there: written in place, it would be followed by the rest of that.
    "other names": ({"a.yaml": BROKEN, "b.yaml": Name("a.yaml", BROKEN), "r.json": OLD, "s.json": Name("r.json", OLD)},
                    "lint a.yaml --gpus 8 --select batch/ --fix=training -f json=r.json"),
    "advice": ({"a.yaml": RECIPE, "r.json": "old\n"}, f"advise a.yaml {TARGET} --top 1 --may-change dispatcher -f json=r.json"),
    "learning": ({"a.yaml": RECIPE, "train.log": LOG}, f"learn train.log a.yaml {TARGET} -o c.yaml"),
    "fitting": ({"a.yaml": RECIPE, "steps.yaml": STEPS, "c.yaml": "old\n"}, "calibrate fit-steps steps.yaml --fresh -o c.yaml"),
    "import": ({"rows.csv": TIMINGS, "c.yaml": "old\n"}, "calibrate import -o c.yaml --fresh --hw h100 rows.csv"),
    "merging": ({"c.yaml": "old\n"}, "calibrate merge -o c.yaml one.yaml two.yaml"),
    "calibration": ({}, "calibrate --backend replay --hw h200 --quick -o c.yaml"),
}


def run(folder, command, **more):
    return subprocess.run([BINARY, *command.split()], cwd=folder, env={**ENVIRONMENT, **more}, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=300)


def laid_out(name, files):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, text in files.items():
        if isinstance(text, Name):
            (folder / path).hardlink_to(folder / text.of)
        else:
            (folder / path).write_text(text)
    return folder


def contents(folder):
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def is_temporary(name):
    return name.startswith(".") and name.endswith(".tmp")


def states(name, files, command):
    """Each file's contents that may be seen: before, after, and in between if it is written several times."""
    folder = laid_out(f"{name}-whole", files)
    count = WORK / "count"
    done = run(folder, command, LD_PRELOAD=LAYER, EPWISE_FAULT_COUNT=str(count))
    after = contents(folder)
    assert done.returncode in (0, 1), (name, done.returncode, done.stderr)
    assert after != {key: text.encode() for key, text in files.items()}, (name, "writes nothing", done.stderr)
    return len(count.read_bytes()), after


def is_whole(name, path, content, before, after):
    """Old or new. A calibration is written after each point: any of its states ends with a line end and is read."""
    if content in (before.get(path), after.get(path)):
        return True
    if name != "calibration" or path != "c.yaml" or not content.endswith(b"\n"):
        return False
    (WORK / "check").mkdir(exist_ok=True)
    (WORK / "check/c.yaml").write_bytes(content)
    return run(WORK / "check", "calibrate show c.yaml").returncode in (0, 1)


def check_fault(name, files, command, kind, at, after):
    before = {path: text.encode() for path, text in files.items()}
    folder = laid_out("faulty", files)
    done = run(folder, command, LD_PRELOAD=LAYER, EPWISE_FAULT=kind, EPWISE_FAULT_AT=str(at))
    what = f"{name}, {kind} at call {at}: exit code {done.returncode}"
    left = contents(folder)
    for path, content in left.items():
        if not is_temporary(path) and not is_whole(name, path, content, before, after):
            failures.append(f"{what}: {path} is neither old nor new: {len(content)} bytes")
    for path in before:
        if path not in left:
            failures.append(f"{what}: {path} is gone")
    if kind.startswith("kill"):
        if done.returncode != -signal.SIGKILL:
            failures.append(f"{what}: it was not killed")
    elif any(map(is_temporary, left)) and b"unlink" not in done.stderr:
        failures.append(f"{what}: temporary files are left: {[each for each in left if is_temporary(each)]}")
    elif done.returncode not in (0, 1, 3, 130) or (done.returncode != 3 and {**left} != after and name != "calibration"):
        failures.append(f"{what}: {done.stderr[-200:]!r}")
    if kind == "kill":  # and once more
        redone = run(folder, command)
        whole = {path: content for path, content in contents(folder).items() if not is_temporary(path)}
        if whole.keys() != after.keys() and redone.returncode != 2:  # 2: a file that must not be overwritten is there
            failures.append(f"{what}: the same command then ends with {redone.returncode} and leaves {sorted(whole)}")


def check_faults():
    runs = 0
    for name, (files, command) in COMMANDS.items():
        if name == "prune":
            folder = laid_out("known", {"a.yaml": BROKEN})
            run(folder, "baseline write known.yaml a.yaml --gpus 16 --reason x")
            files = {**files, "known.yaml": (folder / "known.yaml").read_text()}
        if name == "merging":
            folder = laid_out("measured", {})
            for seed, path in enumerate(("one.yaml", "two.yaml")):
                run(folder, f"calibrate --backend replay --hw h200 --quick --seed {seed} -o {path}")
                files = {**files, path: (folder / path).read_text()}
        count, after = states(name, files, command)
        assert count > 0, f"{name}: the layer counted no call"
        cases = [(kind, at) for kind in KINDS for at in range(1, count + 1)]
        random.Random(1).shuffle(cases)
        for kind, at in cases if name == "other names" else cases[:: sampling.share(8)][:MOST]:
            check_fault(name, files, command, kind, at, after)
            runs += 1
    return runs


def check_writers():
    """Eight at once, of one file: the result is one of theirs, whole."""
    folder = laid_out("writers", {"a.yaml": BROKEN, "r.json": "old\n"})
    for command, path in (("lint a.yaml --gpus 8 -f json=r.json", "r.json"), ("gate a.yaml --gpus 8 --fail-on never --receipt g.json", "g.json"),
                          ("lint a.yaml --gpus 8 --select batch/ --fix=training", "a.yaml"), ("baseline write k.yaml --gpus 8 --reason x", "k.yaml")):
        alone = laid_out("alone", {"a.yaml": BROKEN})
        run(alone, command)
        expected = (alone / path).read_bytes()
        (folder / "a.yaml").write_text(BROKEN)
        writers = [subprocess.Popen([BINARY, *command.split()], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) for _ in range(8)]
        codes = [each.wait(300) for each in writers]
        if (folder / path).read_bytes() != expected:
            failures.append(f"eight times `{command}`: {path} is not what one writes")
        if any(code < 0 or code == 70 for code in codes) or (command.startswith("baseline") and sorted(codes) != [0] + [2] * 7):
            failures.append(f"eight times `{command}`: exit codes {codes}")
        if any(map(is_temporary, contents(folder))):
            failures.append(f"eight times `{command}`: temporary files are left")


def check_edit():
    """What an editor saves while the fix is being written stays: at each call that changes a file, the file is another one."""
    command = "lint a.yaml --gpus 8 --select batch/ --fix=training"
    count, _ = states("edit", {"a.yaml": BROKEN}, command)
    for at in range(1, count + 1):
        folder = laid_out("edit", {"a.yaml": BROKEN})
        done = run(folder, command, LD_PRELOAD=LAYER, EPWISE_FAULT="edit", EPWISE_FAULT_AT=str(at), EPWISE_FAULT_FILE="a.yaml")
        exchanged = at > count - 2  # only the folder is synchronised and the old file removed
        told = exchanged or done.returncode == 3 and b"modified by another process" in done.stderr
        if contents(folder) != {"a.yaml": b"edited\n"} or not told:
            failures.append(f"an edit before call {at} of {count}: exit {done.returncode}, {contents(folder)}: {done.stderr[-200:]!r}")


def check_closed():
    """A file that nobody may write is not fixed, and stays."""
    folder = laid_out("closed", {"a.yaml": BROKEN})
    (folder / "a.yaml").chmod(0o444)
    done = run(folder, "lint a.yaml --gpus 8 --select batch/ --fix=training")
    if done.returncode != 3 or b"permission denied" not in done.stderr or contents(folder) != {"a.yaml": BROKEN.encode()}:
        failures.append(f"a file of mode 0444: exit {done.returncode}: {done.stderr[-200:]!r}")


def check_interruption():
    """Ctrl-C at every call that changes a file leaves the old or the new one, and nothing beside it."""
    files, command = COMMANDS["receipt"]
    count, after = states("receipt", files, command)
    for at in range(1, count + 1):
        folder = laid_out("interrupted", files)
        done = run(folder, command, LD_PRELOAD=LAYER, EPWISE_FAULT="interrupt", EPWISE_FAULT_AT=str(at))
        left = contents(folder)
        if done.returncode not in (0, 130) or left["r.json"] not in (b"old\n", after["r.json"]) or any(map(is_temporary, left)):
            failures.append(f"Ctrl-C at call {at}: exit {done.returncode}, {sorted(left)}")


def check_link():
    """A file that a run meets under two names is fixed once."""
    folder = laid_out("link", {"a.yaml": BROKEN})
    (folder / "b.yaml").symlink_to("a.yaml")
    done = subprocess.run([BINARY, *"lint . --gpus 8 --select batch/ --fix=training".split()], cwd=folder, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if "another process" in done.stderr or (folder / "a.yaml").read_text() == BROKEN or not (folder / "b.yaml").is_symlink():
        failures.append(f"a file and a link to it: exit {done.returncode}: {done.stderr}")


def check_names():
    """When a file is replaced, its other names keep the old content, and a message says so. An output over another name of its input is refused."""
    folder = laid_out("names", {"a.yaml": BROKEN, "b.yaml": Name("a.yaml", BROKEN), "c.yaml": Name("a.yaml", BROKEN)})
    done = run(folder, "lint a.yaml --gpus 8 --select batch/ --fix=training")
    told = b"a.yaml is a new file now: its 2 other names (hard links) keep the old content" in done.stderr
    kept = [(folder / name).read_text() == BROKEN for name in ("a.yaml", "b.yaml", "c.yaml")]
    if not told or kept != [False, True, True]:
        failures.append(f"a fix of a file with three names: kept {kept}: {done.stderr[-300:]!r}")
    for command in ("lint b.yaml -f json=c.yaml", f"gate b.yaml {TARGET} --receipt c.yaml", f"simulate b.yaml {TARGET} -f html=c.yaml",
                    f"advise b.yaml {TARGET} -f json=c.yaml"):
        done = run(folder, command)
        if done.returncode != 2 or (folder / "c.yaml").read_text() != BROKEN:
            failures.append(f"`{command}` over a hard link: exit {done.returncode}: {done.stderr[-200:]!r}")


try:
    number = check_faults()
    check_writers()
    check_edit()
    check_closed()
    check_interruption()
    check_link()
    check_names()
finally:
    shutil.rmtree(WORK)
for line in failures[:30]:
    print("faults: FAILED:", line[:500])
print(f"faults: {number} faults in {len(COMMANDS)} commands, {len(failures)} failures")
sys.exit(bool(failures))
