"""Nothing that keeps the gate from looking, and nothing that is accepted by mistake, ends in success.

usage: never_green.py EPWISE

Every row of the table is a repository of its own, a command line and the exit code it has to end with; the reason has to be said. Each runs
as written, with the report as JSON in a file, and with one and three threads: the code and the words may not change.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import everybody  # noqa: E402
from sampling import share  # noqa: E402

GOOD = """model:
  num_layers: 24
  hidden_size: 2048
  num_attention_heads: 16
  expert_model_parallel_size: 8
  num_moe_experts: 64
  moe_router_topk: 8
train:
  global_batch_size: 512
  micro_batch_size: 1
"""
BAD = GOOD.replace("512", "500")  # batch/indivisible on 16 GPUs
WARNS = "batch/indivisible"
TARGET = ["--gpus", "16"]
# Context parallelism is not told: whether tensor and pipeline parallelism fit is open, expert parallelism doesn't fit for sure.
TRAINER = """policy:
  model_name: Qwen/Qwen3-30B-A3B
  megatron_cfg: {enabled: true, tensor_model_parallel_size: 4, pipeline_model_parallel_size: 3, expert_model_parallel_size: 8,
    expert_tensor_parallel_size: 1}
"""
STARTED = {
    "r/a.yaml": GOOD,
    "r/z.yaml": GOOD,
    "run.sh": "torchrun --nproc-per-node 8 run_recipe.py --config_file r/a.yaml model.tensor_model_parallel_size=1\n",
}
OLD = "version: 1\nreason: old\nfindings: []\n"


def ignoring(comment: str) -> str:
    return BAD.replace("  global_batch_size", f"  # epwise: {comment}\n  global_batch_size")


@dataclass
class Row:
    what: str
    files: dict[str, str | bytes]
    words: list[str]
    code: int | tuple[int, ...]
    said: str
    links: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # further names (hard links) of files
    folders: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    staged: dict[str, str | None] = field(default_factory=dict)  # what is staged beyond the first commit; None: taken away
    cwd: str = "."


def rows(fingerprint: str) -> list[Row]:
    known = f"version: 1\nreason: old\nfindings:\n  - {{file: a.yaml, rule: {WARNS}, fingerprint: \"{fingerprint}\"}}\n"
    bad = {"a.yaml": BAD}
    good = {"a.yaml": GOOD}
    both = {"a.yaml": BAD, "b.yaml": known}
    return [
        # What can't be read.
        Row("no such file", good, ["no.yaml"], 3, "no such file"),
        Row("one of two is missing", good, ["a.yaml", "no.yaml"], 3, "no such file"),
        Row("a name that is empty", good, [""], 3, "empty"),
        Row("a link to nothing", good, ["l.yaml"], 3, "no such file", links={"l.yaml": "gone.yaml"}),
        Row("a link to nothing in a folder", {"r/a.yaml": GOOD}, ["r"], 3, "l.yaml", links={"r/l.yaml": "gone.yaml"}),
        Row("a link to itself", good, ["l.yaml"], 3, "l.yaml", links={"l.yaml": "l.yaml"}),
        Row("no permission", good, ["a.yaml"], 3, "permission denied", locked=["a.yaml"]),
        Row("no permission in a folder", {"r/a.yaml": GOOD, "r/b.yaml": GOOD}, ["r"], 3, "permission denied", locked=["r/b.yaml"]),
        Row("a folder without permission", {"r/a.yaml": GOOD, "r/s/b.yaml": GOOD}, ["r"], 3, "permission denied", locked=["r/s"]),
        Row("a folder that is called like a recipe", good, ["d.yaml"], (3, 4), "d.yaml", folders=["d.yaml"]),
        Row("an empty file", {"a.yaml": ""}, ["a.yaml"], 1, "yaml/empty"),
        Row("a file with a comment only", {"a.yaml": "# nothing\n"}, ["a.yaml"], 1, "a.yaml"),
        Row("a binary file", {"a.yaml": b"\x7fELF\x02\x01\x01\x00" + bytes(range(256))}, ["a.yaml"], 1, "a.yaml"),
        Row("a byte that is no UTF-8", {"a.yaml": GOOD.encode() + b"  x: \xff\n"}, ["a.yaml"], 1, "UTF-8"),
        Row("UTF-16", {"a.yaml": GOOD.encode("utf-16")}, ["a.yaml"], 1, "a.yaml"),
        Row("a NUL in it", {"a.yaml": GOOD.encode() + b"\x00"}, ["a.yaml"], 1, "a.yaml"),
        Row("half of a file", {"a.yaml": GOOD + "comm_overlap: {tp_comm_overlap: [\n"}, ["a.yaml"], 1, "a.yaml"),
        Row("no recipe", {"a.yaml": "services: {web: {image: x}}\n"}, ["a.yaml"], 1, "a.yaml"),
        Row("a recipe in Python", {"a.py": "print()\n"}, ["a.py"], 3, "Python"),
        Row("a link to a bad recipe", {"x/a.yaml": BAD}, ["l.yaml"], 1, WARNS, links={"l.yaml": "x/a.yaml"}),
        Row("a link to a folder with a bad recipe", {"x/a.yaml": BAD}, ["l"], 1, WARNS, links={"l": "x"}),
        Row("a link to a folder, found in a folder", {"x/a.yaml": BAD, "r/a.yaml": GOOD}, ["r"], 1, WARNS, links={"r/l": "../x"}),
        Row("a folder that links to itself, and a bad recipe", {"r/a.yaml": BAD}, ["r"], 1, WARNS, links={"r/l": "."}),
        Row("a comment in a file without permission", {"a.yaml": ignoring(f"ignore[{WARNS}]: known")}, ["a.yaml"], 3, "permission denied",
            locked=["a.yaml"]),
        Row("a comment in a file with a byte that is no UTF-8", {"a.yaml": ignoring(f"ignore-file[{WARNS}]: known").encode() + b"  x: \xff\n"},
            ["a.yaml"], 1, "UTF-8"),
        # Nothing to look at.
        Row("an empty folder", good, ["d"], (3, 4), "no YAML", folders=["d"]),
        Row("an empty repository", {}, [], (3, 4), "no YAML"),
        Row("no recipe among the files", {"a.yaml": "services: {web: {image: x}}\n"}, ["."], 4, "nothing checked"),
        Row("everything is ignored by git", {"a.yaml": BAD, ".gitignore": "*.yaml\n"}, ["."], (3, 4), "no YAML"),
        Row("a pattern without files", good, ["*.yml"], 3, "no file matches"),
        Row("no rule is left", bad, ["a.yaml", "--select", WARNS, "--ignore", WARNS], 4, "nothing"),
        Row("the document is not there", bad, ["a.yaml", "--document", "2"], 3, "contains no recipe 2"),
        # Comments.
        Row("a comment for another rule", {"a.yaml": ignoring("ignore[EPO014]: no")}, ["a.yaml"], 1, WARNS),
        Row("a comment for a rule that is none", {"a.yaml": ignoring("ignore[batch/indivisibel]: no")}, ["a.yaml"], 1, WARNS),
        Row("a comment without a reason", {"a.yaml": ignoring(f"ignore[{WARNS}]")}, ["a.yaml"], 1, WARNS),
        Row("a comment without a rule", {"a.yaml": ignoring("ignore[]: all of it")}, ["a.yaml"], 1, WARNS),
        Row("a comment for every rule", {"a.yaml": ignoring("ignore[*]: all of it")}, ["a.yaml"], 1, WARNS),
        Row("a comment with a slip", {"a.yaml": ignoring(f"ingore[{WARNS}]: no")}, ["a.yaml"], 1, WARNS),
        Row("a comment that has ended", {"a.yaml": ignoring(f"ignore[{WARNS}] until 2020-01-01: no")}, ["a.yaml"], 1, "suppression/lapsed"),
        Row("a day that is none", {"a.yaml": ignoring(f"ignore[{WARNS}] until 2027-02-30: no")}, ["a.yaml"], 1, WARNS),
        Row("a condition that does not hold", {"a.yaml": ignoring(f"ignore[{WARNS}] while gpus < 8: no")}, ["a.yaml"], 1, "suppression/lapsed"),
        Row("a condition that nobody can decide", {"a.yaml": ignoring(f"ignore[{WARNS}] while te < 2.8: no")}, ["a.yaml"], 1, WARNS),
        Row("a condition that can't be read", {"a.yaml": ignoring(f"ignore[{WARNS}] while the moon is full: no")}, ["a.yaml"], 1, WARNS),
        Row("a comment at another key", {"a.yaml": BAD.replace("  num_layers", f"  # epwise: ignore[{WARNS}]: no\n  num_layers")},
            ["a.yaml"], 1, WARNS),
        Row("comments don't count", {"a.yaml": ignoring(f"ignore[{WARNS}]: known")}, ["a.yaml", "--no-ignores"], 1, WARNS),
        Row("a broken file can't be accepted", {"a.yaml": "# epwise: ignore-file[yaml/syntax]: no\nmodel: [\n"}, ["a.yaml"], 1, "a.yaml"),
        # Baselines.
        Row("no baseline", bad, ["a.yaml", "--baseline", "b.yaml"], 2, "b.yaml"),
        Row("an empty baseline", {**bad, "b.yaml": ""}, ["a.yaml", "--baseline", "b.yaml"], 2, "b.yaml"),
        Row("a damaged baseline", {**bad, "b.yaml": known[:-5]}, ["a.yaml", "--baseline", "b.yaml"], 2, "b.yaml"),
        Row("a baseline of another version", {**bad, "b.yaml": known.replace("version: 1", "version: 2")},
            ["a.yaml", "--baseline", "b.yaml"], 2, "version"),
        Row("a baseline without a version", {**bad, "b.yaml": known.replace("version: 1\n", "")}, ["a.yaml", "--baseline", "b.yaml"], 2, "version"),
        Row("a baseline with an unknown key", {**bad, "b.yaml": known + "all: true\n"}, ["a.yaml", "--baseline", "b.yaml"], 2, "all"),
        Row("a baseline that is a recipe", bad, ["a.yaml", "--baseline", "a.yaml"], 2, "a.yaml"),
        Row("a baseline that can't be read", both, ["a.yaml", "--baseline", "b.yaml"], 2, "permission denied", locked=["b.yaml"]),
        Row("a baseline of another file", {"x/a.yaml": BAD, "b.yaml": known}, ["x/a.yaml", "--baseline", "b.yaml"], 1, WARNS),
        Row("a baseline and a new name of the file", {"c.yaml": BAD, "b.yaml": known}, ["c.yaml", "--baseline", "b.yaml"], 1, WARNS),
        Row("a baseline and a second document", {"a.yaml": BAD + "---\n" + BAD, "b.yaml": known}, ["a.yaml", "--baseline", "b.yaml"], 1, WARNS),
        Row("a baseline and another value", {"a.yaml": BAD.replace("500", "501"), "b.yaml": known}, ["a.yaml", "--baseline", "b.yaml"], 1, WARNS),
        Row("a baseline that has to shrink", {"a.yaml": GOOD, "b.yaml": known}, ["a.yaml", "--baseline", "b.yaml"], 1, "shrink"),
        Row("a baseline and a broken file", {"a.yaml": "model: [\n", "b.yaml": known}, ["a.yaml", "--baseline", "b.yaml"], 1, "a.yaml"),
        Row("a baseline in the configuration that is not there", {**bad, ".epwise.yaml": "baseline: b.yaml\n"}, ["a.yaml"], 2, "b.yaml"),
        # The configuration.
        Row("a configuration that can't be parsed", {**bad, ".epwise.yaml": "hw: [\n"}, ["a.yaml"], 2, ".epwise.yaml"),
        Row("an empty configuration is none", {**bad, ".epwise.yaml": ""}, ["a.yaml"], 1, WARNS),
        Row("a key that is unknown", {**bad, ".epwise.yaml": "gpsu: 8\n"}, ["a.yaml"], 2, "gpsu"),
        Row("a severity that is none", {**bad, ".epwise.yaml": "severity: {batch/indivisible: off}\n"}, ["a.yaml"], 2, "severity"),
        Row("a severity of a rule that is none", {**bad, ".epwise.yaml": "severity: {batch/indivisibel: note}\n"}, ["a.yaml"], 2, "batch/indivisibel"),
        Row("a rule that is none", {**bad, ".epwise.yaml": "ignore: [batch/indivisibel]\n"}, ["a.yaml"], 2, "batch/indivisibel"),
        Row("fail_on that is none", {**bad, ".epwise.yaml": "fail_on: errors\n"}, ["a.yaml"], 2, "errors"),
        Row("a newer program is required", {**bad, ".epwise.yaml": "required_version: '>=99'\n"}, ["a.yaml"], 2, "99"),
        Row("a configuration of another ending", {**bad, ".epwise.yml": "ignore: [batch]\n"}, ["a.yaml"], 2, ".epwise.yml"),
        Row("a configuration that can't be read", {**bad, ".epwise.yaml": "gpus: 16\n"}, ["a.yaml"], 2, "permission denied",
            locked=[".epwise.yaml"]),
        Row("a configuration that is no UTF-8", {**bad, ".epwise.yaml": b"hw: \xff\n"}, ["a.yaml"], 2, ".epwise.yaml"),
        Row("a header that is wrong", {"a.yaml": "# epwise: --hw nonsense\n" + GOOD}, ["a.yaml"], 2, "nonsense"),
        Row("a configuration in a folder that can't be read", {"r/a.yaml": BAD, "r/.epwise.yaml": "gpus: 16\n"}, ["r"], 2, "permission denied",
            locked=["r/.epwise.yaml"]),
        Row("notes count, also where -q hides them", good, ["a.yaml", "--fail-on", "note"], 1, "note["),
        Row("fail_on of the configuration", {**good, ".epwise.yaml": "fail_on: note\n"}, ["a.yaml"], 1, "note["),
        Row("severity of another rule does not help", {**bad, ".epwise.yaml": "severity: {experts/: note}\n"}, ["a.yaml"], 1, WARNS),
        # Revisions.
        Row("a revision that is none", good, ["--since", "nowhere"], 2, "nowhere"),
        Row("a revision that looks like an option", good, ["--since=--all"], 2, "--all"),
        Row("since, named from here", good, ["./a.yaml", "--since", "HEAD"], 1, WARNS, staged={"a.yaml": BAD}),
        Row("since, named from the root of all", good, ["$PWD/a.yaml", "--since", "HEAD"], 1, WARNS, staged={"a.yaml": BAD}),
        Row("since, in a folder below", {"r/a.yaml": GOOD}, ["--since", "HEAD"], 1, WARNS, staged={"r/a.yaml": BAD}, cwd="r"),
        Row("since, from a folder beside", {"r/a.yaml": GOOD, "s/x": ""}, ["../r", "--since", "HEAD"], 1, WARNS, staged={"r/a.yaml": BAD}, cwd="s"),
        Row("staged", good, ["--staged"], 1, WARNS, staged={"a.yaml": BAD}),
        Row("staged, named from here", good, ["./a.yaml", "--staged"], 1, WARNS, staged={"a.yaml": BAD}),
        Row("staged, from a folder beside", {"r/a.yaml": GOOD, "s/x": ""}, ["../r", "--staged"], 1, WARNS, staged={"r/a.yaml": BAD}, cwd="s"),
        Row("staged, but gone from the disk", good, ["--staged"], 1, WARNS, staged={"n.yaml": BAD}, locked=["-n.yaml"]),
        Row("staged with a name that git quotes", good, ["--staged"], 1, WARNS, staged={"ä b.yaml": BAD}),
        Row("both of them", good, ["--since", "HEAD", "--staged"], 2, "--staged"),
        Row("a revision to compare with that is none", good, ["a.yaml", "--max-regression", "2%", "--against", "nowhere"], 2, "nowhere"),
        Row("since, under a new name", good, ["--since", "HEAD"], 1, "c.yaml", staged={"a.yaml": None, "c.yaml": BAD}),
        Row("staged, under a new name", good, ["--staged"], 1, "c.yaml", staged={"a.yaml": None, "c.yaml": BAD}),
        Row("since, and the file that is named is gone", good, ["a.yaml", "--since", "HEAD"], 3, "no such file", staged={"a.yaml": None}),
        Row("since, one gone and one bad", {"a.yaml": GOOD, "c.yaml": GOOD}, ["--since", "HEAD"], 1, WARNS, staged={"a.yaml": None, "c.yaml": BAD}),
        Row("since, with a configuration that changed", {**bad, ".epwise.yaml": f"ignore: [{WARNS}]\n"}, ["--since", "HEAD"], 1, WARNS,
            staged={".epwise.yaml": "gpus: 16\n"}),
        Row("since, with a configuration that is gone", {**bad, ".epwise.yaml": f"ignore: [{WARNS}]\n"}, ["--since", "HEAD"], 1, WARNS,
            staged={".epwise.yaml": None}),
        Row("since, with a baseline that changed", {**both, ".epwise.yaml": "baseline: b.yaml\n"}, ["--since", "HEAD"], 1, WARNS,
            staged={"b.yaml": OLD}),
        Row("since, with a base that changed", {"base.yaml": GOOD, "r/a.yaml": "# epwise: --base ../base.yaml\nddp: {overlap_grad_reduce: true}\n"},
            ["r", "--since", "HEAD"], 1, WARNS, staged={"base.yaml": BAD}),
        Row("staged, with a configuration that changed", {**bad, ".epwise.yaml": f"ignore: [{WARNS}]\n"}, ["--staged"], 1, WARNS,
            staged={".epwise.yaml": "gpus: 16\n"}),
        Row("since, with a script whose recipe changed", {"a.yaml": GOOD, "run.sh":
            "torchrun --nproc-per-node 8 scripts/training/run_recipe.py --config_file a.yaml model.tensor_model_parallel_size=3\n"},
            ["run.sh", "--since", "HEAD"], 1, "run.sh", staged={"a.yaml": GOOD + "  train_iters: 10\n"}),
        Row("since, with a script whose recipe is gone", STARTED, ["--since", "HEAD"], 1, "recipe/missing-file", staged={"r/a.yaml": None}),
        Row("staged, with a script whose recipe is gone", STARTED, ["--staged"], 1, "recipe/missing-file", staged={"r/a.yaml": None}),
        Row("staged, with a script whose recipe has a new name", STARTED, ["--staged"], 1, "recipe/missing-file",
            staged={"r/a.yaml": None, "r/b.yaml": GOOD}),
        Row("since, a recipe that was emptied", good, ["--since", "HEAD"], 1, "was a recipe", staged={"a.yaml": ""}),
        Row("staged, a recipe with a slip in its keys", good, ["--staged"], 1, "recipe/misspelt-section",
            staged={"a.yaml": GOOD.replace("model:", "modle:").replace("train:", "trian:")}),
        # Launches.
        Row("a script whose recipe is not there", {"run.sh": STARTED["run.sh"], "r/b.yaml": GOOD}, ["run.sh"], 1, "recipe/missing-file"),
        Row("what ends the launch, behind a check that is open", {"a.yaml": TRAINER}, ["a.yaml"], 1, "shape/world-size"),
        # What is asked for.
        Row("a budget that is none", good, ["a.yaml", "--max-exposed-comm", "8"], 2, "8"),
        Row("a budget that can't be decided, strictly", good, ["a.yaml", "--min-headroom", "6GiB", "--strict"], 1, "--min-headroom"),
        Row("open rules, strictly", good, ["a.yaml", "--strict"], 1, "open"),
        Row("open rules, strictly and quietly", good, ["a.yaml", "--strict", "-q"], 1, "undecided"),
        Row("an undecided budget, strictly and quietly", good, ["a.yaml", "--min-headroom", "6GiB", "--strict", "-q"], 1, "--min-headroom"),
        Row("a report that can't be written", good, ["a.yaml", "-f", "junit=no/x.xml"], 3, "cannot write"),
        Row("a report over a recipe", good, ["a.yaml", "-f", "json=a.yaml"], 2, "is an input of this command"),
        Row("a report over a recipe in the directory", {"r/a.yaml": GOOD}, ["r", "-f", "json=./r/a.yaml"], 2, "is an input of this command"),
        Row("a receipt over a baseline", both, ["a.yaml", "--baseline", "b.yaml", "--receipt", "b.yaml"], 2, "is an input of this command"),
        Row("a report over a recipe that nobody named", {"r/a.yaml": GOOD}, ["-f", "json=r/a.yaml"], 2, "is an input of this command"),
        Row("a report over a recipe by its other name", good, ["a.yaml", "-f", "json=b.yaml"], 2, "is an input of this command",
            names={"b.yaml": "a.yaml"}),
        Row("a receipt over a recipe by its other name", good, ["a.yaml", "--receipt", "b.yaml"], 2, "is an input of this command",
            names={"b.yaml": "a.yaml"}),
        Row("an option given twice", good, ["a.yaml", "--fail-on", "note", "--fail-on", "never"], 2, "--fail-on is given twice"),
        Row("a target that matches nothing", {"r/a.yaml": BAD, ".epwise.yaml": "targets: [{paths: [s/], gpus: 16}]\n"}, ["r"], 1,
            "match no YAML file"),
        Row("a script with overrides that are a number", {"r/a.yaml": "42\n", "run.sh": STARTED["run.sh"]}, ["run.sh"], 1, "mapping"),
        Row("a script with a section that is a number", {"r/a.yaml": "model: 4\n", "run.sh": STARTED["run.sh"]}, ["run.sh"], 1, "mapping"),
        Row("a key given twice in overrides", {"a.yaml": "train: {global_batch_size: 500, global_batch_size: 512}\n"}, ["a.yaml"], 1,
            "yaml/refused-duplicate-key"),
        Row("a misspelt section in a directory", {"r/a.yaml": "modle: {expert_model_parallel_size: 64}\n"}, ["r"], 1,
            "recipe/misspelt-section"),
        Row("a misspelt section beside recipes", {"r/a.yaml": "modle: {num_layers: 3}\n", "r/b.yaml": GOOD}, ["r"], 1,
            "recipe/misspelt-section"),
        Row("an ending in capitals", {"r/a.YAML": BAD}, ["r"], 1, WARNS),
        Row("a header without dashes", {"a.yaml": "# epwise: hw=h100\n" + GOOD}, ["a.yaml"], 2, "two dashes"),
        Row("a receipt that can't be written", good, ["a.yaml", "--receipt", "no/x.json"], 3, "cannot write"),
        Row("a receipt that is not there", good, ["--verify-receipt", "r.json"], 3, "no such file"),
        Row("a receipt that is none", {"r.json": "{}"}, ["--verify-receipt", "r.json"], 3, "r.json"),
        Row("a recipe behind a base that is not there", good, ["a.yaml", "--base", "no.yaml"], 3, "no.yaml"),
        Row("a broken recipe among a hundred", {**{f"r/{i}.yaml": GOOD for i in range(100)}, "r/50.yaml": BAD}, ["r"], 1, WARNS),
        Row("an unreadable one among a hundred", {f"r/{i}.yaml": GOOD for i in range(100)}, ["r"], 3, "permission denied", locked=["r/50.yaml"]),
    ]


class Repository:
    def __init__(self, folder: pathlib.Path, row: Row):
        self.folder = folder
        self.home = folder.parent
        for name, content in row.files.items():
            self.put(name, content)
        for name in row.folders:
            (folder / name).mkdir()
        for name, target in row.links.items():
            (folder / name).symlink_to(target)
        for name, target in row.names.items():
            (folder / name).hardlink_to(folder / target)
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", "--allow-empty")
        for name, content in row.staged.items():
            if content is None:
                (folder / name).unlink()
            else:
                self.put(name, content)
        if row.staged:
            self.git("add", "-A")
        for name in row.locked:
            if name.startswith("-"):
                (folder / name[1:]).unlink()
            else:
                (folder / name).chmod(0)

    def put(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("EPWISE_", "GIT_", "GITHUB_"))}
        return {**kept, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*"}

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=self.folder, env=self.environment(), check=True,
                       capture_output=True)


def run(epwise: str, repository: Repository, row: Row, more: list[str]) -> tuple[int, str]:
    place = repository.folder / row.cwd
    words = [word.replace("$PWD", str(place)) for word in row.words]
    target = [] if "--verify-receipt" in words else [*TARGET, *more]
    # Root may read everything: those rows belong to nobody.
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if row.locked and os.getuid() == 0 else {}
    done = subprocess.run([epwise, "gate", *words, *target], cwd=place, env=repository.environment(), capture_output=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL, **nobody)
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def fingerprint_of(epwise: str, folder: pathlib.Path) -> str:
    repository = Repository(folder, Row("", {"a.yaml": BAD}, [], 0, ""))
    subprocess.run([epwise, "baseline", "write", "b.yaml", "a.yaml", "--reason", "old", *TARGET], cwd=folder, env=repository.environment(), check=True,
                   capture_output=True)
    text = (folder / "b.yaml").read_text()
    found = re.search(rf'rule: {WARNS}, fingerprint: "([^"]+)"', text)
    assert found, text
    return found.group(1)


def check_streams(epwise: str, folder: pathlib.Path) -> list[str]:
    """Outputs that nobody takes, and a run that is stopped."""
    repository = Repository(folder, Row("", {"a.yaml": GOOD, "b.yaml": BAD, **{f"r/{i}.yaml": GOOD for i in range(400)}}, [], 0, ""))
    problems = []

    def gate(*words: str, **streams) -> subprocess.Popen:
        return subprocess.Popen([epwise, "gate", *words, *TARGET], cwd=folder, env=repository.environment(), stdin=subprocess.DEVNULL,
                                **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams})

    def expect(what: str, process: subprocess.Popen, codes: tuple[int, ...]) -> None:
        code = process.wait(timeout=120)
        if code not in codes:
            problems.append(f"{what}: exit {code}, not one of {codes}")

    with open("/dev/full", "wb", buffering=0) as full:
        for name in ("a.yaml", "b.yaml"):
            expect(f"{name}, standard output is full", gate(name, stdout=full), (3,))
        expect("standard error is full", gate("b.yaml", stderr=full), (1,))
        expect("both are full", gate("b.yaml", stdout=full, stderr=full), (1, 3))
    for words in (["-f", "json=/dev/full"], ["-f", "sarif=/dev/full"], ["-f", "junit=/dev/full"], ["--receipt", "/dev/full"]):
        expect(" ".join(words), gate("a.yaml", *words), (3,))
    for name in ("a.yaml", "b.yaml"):
        read, write = os.pipe()
        os.close(read)
        process = gate(name, stdout=write)
        os.close(write)
        expect(f"{name}, nobody reads the pipe", process, (3, -signal.SIGPIPE))
    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = gate("-j", "1", "-f", "json=out.json", "--receipt", "receipt.json", "r")
        time.sleep(0.3)
        if process.poll() is None:
            process.send_signal(stop)
            expect(f"stopped by {stop.name}", process, (3, 128 + stop, -stop))
            if (folder / "receipt.json").exists():
                problems.append(f"stopped by {stop.name}: it left a receipt")
        (folder / "receipt.json").unlink(missing_ok=True)
    return problems


def check_receipts(epwise: str, folder: pathlib.Path) -> list[str]:
    """A receipt holds until anything changes that its result rests on."""
    configuration = "gpus: 16\nbaseline: known.yaml\n"
    text = {"r/a.yaml": GOOD, "r/c.yml": "services: {web: {image: x}}\n", ".epwise.yaml": configuration, "known.yaml": OLD, "base.yaml": GOOD,
            "r/o.yaml": "# epwise: --base ../base.yaml\nddp: {overlap_grad_reduce: true}\n"}
    repository = Repository(folder, Row("", text, [], 0, ""))
    problems = []

    def gate(*words: str, day: str = "2026-11-24") -> int:
        done = subprocess.run([epwise, "gate", *words], cwd=folder, env={**repository.environment(), "EPWISE_TODAY": day}, capture_output=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL)
        return done.returncode

    def verify(what: str, wanted: int) -> None:
        code = gate("--verify-receipt", "receipt.json")
        if code != wanted:
            problems.append(f"a receipt, {what}: exit {code}, not {wanted}")

    if gate("r", "--receipt", "receipt.json") != 0:
        return ["a receipt of a gate that passes: the gate does not pass"]
    verify("nothing has changed", 0)
    for name in (".epwise.yaml", "known.yaml", "base.yaml", "r/a.yaml", "r/o.yaml"):
        repository.put(name, text[name] + "# changed\n")
        verify(f"{name} has changed", 1)
        (folder / name).unlink()
        verify(f"{name} is gone", 1)
        repository.put(name, text[name])
        verify(f"{name} is as it was", 0)
    repository.put("r/.epwise.yaml", "gpus: 8\n")
    verify("another configuration came in between", 1)
    (folder / "r/.epwise.yaml").unlink()
    repository.put("r/c.yml", "services: {}\n")
    repository.put(".gitignore", "*.log\n")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "y")
    verify("a file that is no recipe has changed, and another commit made", 0)
    repository.put("r/a.yaml", ignoring(f"ignore[{WARNS}] until 2027-03-01: known"))
    if gate("r", "--receipt", "receipt.json") != 0:
        problems.append("a receipt that rests on an acceptance: the gate does not pass")
    for day, wanted in (("2027-03-01", 0), ("2027-03-02", 1)):
        code = gate("--verify-receipt", "receipt.json", day=day)
        if code != wanted:
            problems.append(f"a receipt that rests on an acceptance until 2027-03-01, on {day}: exit {code}, not {wanted}")
    return problems


def check_submodules(epwise: str, folder: pathlib.Path) -> list[str]:
    """A submodule that moves to a commit with a bad recipe; the configuration around it counts in it."""
    inner, outer = folder / "inner", folder / "outer"
    for place in (inner, outer):
        place.mkdir()
    source = Repository(inner, Row("", {"a.yaml": GOOD}, [], 0, ""))
    repository = Repository(outer, Row("", {"b.yaml": GOOD, ".epwise.yaml": "gpus: 16\n"}, [], 0, ""))
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "s")
    repository.git("commit", "-q", "-m", "with a submodule")
    source.put("a.yaml", BAD)
    source.git("commit", "-q", "-a", "-m", "bad")
    repository.git("-C", "s", "fetch", "-q", "origin")
    repository.git("-C", "s", "checkout", "-q", "FETCH_HEAD")
    problems = []

    def expect(what: str, words: list[str]) -> None:
        done = subprocess.run([epwise, "gate", *words], cwd=outer, env=repository.environment(), capture_output=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL)
        said = (done.stdout + done.stderr).decode()
        if done.returncode != 1 or "s/a.yaml" not in said or WARNS not in said:
            problems.append(f"a submodule that moved, {what}: exit {done.returncode}\n{said}")

    expect("since the commit before", ["--since", "HEAD"])
    repository.git("add", "s")
    expect("staged", ["--staged"])
    repository.git("commit", "-q", "-m", "moved")
    expect("since the commit before that", ["--since", "HEAD~1"])
    return problems


def main() -> int:
    epwise = str(pathlib.Path(sys.argv[1]).resolve())
    failures = 0
    with tempfile.TemporaryDirectory(dir=everybody.folder()) as top:
        os.chmod(top, 0o755)
        epwise = everybody.copy(epwise, top) if os.getuid() == 0 else epwise  # nobody, who runs some rows, may not enter /root
        place = pathlib.Path(top) / "first"
        place.mkdir()
        table = rows(fingerprint_of(epwise, place))
        for number, row in enumerate(table):
            if number % share(8) != 0:
                continue
            folder = pathlib.Path(top) / str(number)
            folder.mkdir()
            repository = Repository(folder, row)
            codes = row.code if isinstance(row.code, tuple) else (row.code,)
            code, said = run(epwise, repository, row, [])
            if code not in codes or row.said not in said:
                print(f"FAILED: {row.what}: exit {code}, not {row.code}, with {row.said!r} in\n{said}")
                failures += 1
                continue
            for more in (["-j", "1"], ["-j", "3"]):
                again = run(epwise, repository, row, more)
                if again != (code, said):
                    print(f"FAILED: {row.what}: {more} changes exit {code} to {again[0]} or the words\n{again[1]}")
                    failures += 1
            if code != 3 or "cannot write" not in said:
                other = run(epwise, repository, row, ["-q", "--format", "json"])
                if other[0] != code:
                    print(f"FAILED: {row.what}: JSON changes exit {code} to {other[0]}")
                    failures += 1
        for name, check in (("streams", check_streams), ("receipts", check_receipts), ("submodules", check_submodules)):
            folder = pathlib.Path(top) / name
            folder.mkdir()
            for problem in check(epwise, folder):
                print(f"FAILED: {problem}")
                failures += 1
    print(f"{len(table)} rows, {failures} failures")
    return 1 if failures or len(table) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
