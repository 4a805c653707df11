"""`epwise watch` and the questions of `epwise config init`, on a pseudo-terminal and on pipes.

    watch.py EPWISE
"""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from processes import interrupt  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
WORK = pathlib.Path(tempfile.mkdtemp())
PATIENCE = 60
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm"}
failures = []


def expect(what, holds, more=""):
    if not holds:
        failures.append(f"{what} {more}")


class Watch:
    """The process, with all that it wrote to both streams."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([BINARY, "watch", *arguments], cwd=WORK, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.text = ""

    def until(self, *words):
        """Reads until the words stand in what was written since the last call; returns that."""
        self.text, deadline = "", time.monotonic() + PATIENCE
        while not all(word in self.text for word in words):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                failures.append(f"{words} did not come: {self.text!r}")
                return self.text
            self.text += chunk.decode()
        return self.text

    def end(self):
        return interrupt(self.process, PATIENCE)


def recipe(batch):
    return f"model: {{num_layers: 4, tensor_model_parallel_size: 2}}\ntrain: {{global_batch_size: {batch}, micro_batch_size: 3}}\n"


def check_watch():
    (WORK / "a.yaml").write_text(recipe(10))
    watch = Watch("a.yaml", "--gpus", "8", "-f", "concise")
    watch.until("batch/indivisible", "watching")
    (WORK / "a.yaml").write_text(recipe(12))
    said = watch.until("a.yaml changed", "watching")
    expect("a corrected recipe has no such finding:", "batch/indivisible" not in said, said)
    (WORK / "a.yaml").write_text("model: [\n")
    watch.until("yaml/syntax", "watching")
    (WORK / "a.yaml").unlink()
    watch.until("no such file", "watching")
    (WORK / "a.yaml").write_text(recipe(12))
    watch.until("a.yaml changed", "watching")
    # A file that the run looked for and that was not there.
    (WORK / ".epwise.yaml").write_text("hww: h100\n")
    watch.until("unknown key `hww`", "watching")
    (WORK / ".epwise.yaml").unlink()
    watch.until("watching")
    time.sleep(1)
    expect("it is still there:", watch.process.poll() is None)
    code = watch.end()
    expect("Ctrl-C ends it with 0:", code == 0, code)


def check_folder():
    folder = WORK / "folder"
    folder.mkdir()
    (folder / "a.yaml").write_text(recipe(12))
    (folder / "run.sh").write_text("source ./common.sh\ntorchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16 $MORE\n")
    (folder / "common.sh").write_text("MORE=--fp8-format=e4m3\n")
    watch = Watch("folder", "--gpus", "8", "-f", "concise")
    watch.until("watching")
    (folder / "b.yaml").write_text(recipe(10))
    watch.until("b.yaml", "batch/indivisible", "watching")
    (folder / "common.sh").write_text("MORE=--num-layrs=4\n")
    watch.until("common.sh changed", "num-layrs", "watching")
    code = watch.end()
    expect("Ctrl-C ends it with 0:", code == 0, code)
    for arguments in ([], ["-"]):
        done = subprocess.run([BINARY, "watch", *arguments], cwd=WORK, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        expect(f"watch {arguments} is refused:", done.returncode == 2, done)


def asked(answers, *arguments):
    """`config init` on a terminal; returns the exit code and what it said."""
    main, other = pty.openpty()
    process = subprocess.Popen([BINARY, "config", "init", *arguments], cwd=WORK, env=ENVIRONMENT, stdin=other, stdout=other, stderr=other, close_fds=True)
    os.close(other)
    os.write(main, answers.encode())
    said = b""
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError:
            break
        if not chunk:
            break
        said += chunk
    os.close(main)
    return process.wait(PATIENCE), said.decode()


def check_init():
    path = WORK / ".epwise.yaml"
    code, said = asked("h10\nh100\n?\nmany\n64\nnemo-26.06\n\n")
    expect("the questions are answered:", code == 0 and path.exists(), said)
    expect("a misspelt value gets a suggestion:", "h10" in said and "did you mean" in said, said)
    text = path.read_text()
    expect("the answers are written:", text.endswith("hw: h100\ngpus: 64\nstack: nemo-26.06\nfail_on: error\n"), text)
    done = subprocess.run([BINARY, "config", "check"], cwd=WORK, env=ENVIRONMENT, capture_output=True, text=True)
    expect("it is valid:", done.returncode == 0, done.stderr)
    code, said = asked("h100\n64\n\n\n")
    expect("a second time it is refused:", code == 2 and "exists" in said, said)
    path.unlink()
    code, said = asked("h100\n\n\n\n")
    expect("Enter leaves a setting out:", code == 0 and path.read_text().endswith("\nhw: h100\nfail_on: error\n"), said)
    path.unlink()
    code, said = asked("h100\nquit\n")
    expect("quit writes nothing:", code == 0 and not path.exists(), said)
    code, said = asked("", "--no-input")
    expect("--no-input asks nothing:", code == 2, said)


try:
    check_watch()
    check_folder()
    check_init()
finally:
    shutil.rmtree(WORK)
for line in failures:
    print("session/watch: FAILED:", line[:600])
sys.exit(bool(failures))
