"""What a script, a configuration or an option leads to and is no regular file: nobody waits for it, and it is told.

usage: pipes.py EPWISE
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from never_green import GOOD, TARGET, Repository, Row  # noqa: E402


def check(epwise: str, folder: pathlib.Path) -> list[str]:
    script = "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 2\n"
    bridge = "torchrun --nproc-per-node 8 run_recipe.py --config_file {}\n"
    cases = [
        ("a script that sources standard input", {"a.sh": f"source /dev/stdin\n{script}"}, ["a.sh"], 0, "a.sh:1:8"),
        ("a script that sources a pipe", {"a.sh": f"source pipe\n{script}"}, ["a.sh"], 0, "a.sh:1:8"),
        ("a script that runs a pipe", {"a.sh": f"bash pipe\n{script}"}, ["a.sh"], 0, "a.sh:1:6"),
        ("a configuration that is a pipe", {"a.sh": bridge.format("pipe")}, ["a.sh"], 0, "a.sh:1:57"),
        ("a configuration that is the kernel's log", {"a.sh": bridge.format("/proc/kmsg")}, ["a.sh"], 0, "a.sh:1:57"),
        (".epwise.yaml", {"a.yaml": GOOD}, ["a.yaml"], 2, ".epwise.yaml: it is a named pipe"),
        (".gitignore", {"r/a.yaml": GOOD}, ["."], 3, ".gitignore: it is a named pipe"),
        (".epwiseignore", {"r/a.yaml": GOOD}, ["."], 3, ".epwiseignore: it is a named pipe"),
        ("--baseline", {"a.yaml": GOOD}, ["a.yaml", "--baseline", "pipe"], 2, "pipe: it is a named pipe"),
        ("--base", {"a.yaml": "ddp: {overlap_grad_reduce: true}\n"}, ["a.yaml", "--base", "pipe"], 3, "pipe: it is a named pipe"),
        ("--verify-receipt", {"a.yaml": GOOD}, ["--verify-receipt", "pipe"], 3, "pipe: it is a named pipe"),
    ]
    problems = []
    for number, (what, files, words, wanted, said) in enumerate(cases):
        place = folder / str(number)
        place.mkdir()
        repository = Repository(place, Row("", files, [], 0, ""))
        os.mkfifo(place / (what if what.startswith(".") else "pipe"))
        read, write = os.pipe()  # nobody writes to it, and nobody closes it
        target = [] if "--verify-receipt" in words else [*TARGET, "--fail-on", "never"]
        try:
            done = subprocess.run([epwise, "gate", *words, *target, *([] if not target else ["-f", "concise"])], cwd=place,
                                  env=repository.environment(), capture_output=True, timeout=60, check=False, stdin=read)
            text = (done.stdout + done.stderr).decode(errors="replace")
            if done.returncode != wanted or said not in text:
                problems.append(f"{what}: exit {done.returncode}, not {wanted}, with {said!r} in\n{text}")
        except subprocess.TimeoutExpired:
            problems.append(f"{what}: it waits")
        os.close(read)
        os.close(write)
    for stream, words in (("a folder", ["lint", "-"]), ("a folder", ["cost", "--batch", "-"]), ("a folder", ["explain", "--from-log", "-"]),
                          ("nothing", ["lint", "-"]), ("nothing", ["cost", "--batch", "-"]), ("nothing", ["explain", "--from-log", "-"])):
        redirected = "< ." if stream == "a folder" else "<&-"
        done = subprocess.run(["bash", "-c", f'"$0" "$@" {redirected}', epwise, *words], cwd=folder, capture_output=True, timeout=60, check=False)
        if done.returncode != 3 or b"cannot read standard input: " not in done.stderr:
            problems.append(f"{' '.join(words)}, standard input is {stream}: exit {done.returncode}, {done.stderr!r}")
    return problems


def main() -> int:
    with tempfile.TemporaryDirectory() as top:
        problems = check(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(top))
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
