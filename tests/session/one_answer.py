#!/usr/bin/env python3
"""One recipe, one answer: however a finding is accepted or a target is set, every command says the same of a recipe.

    one_answer.py EPWISE [MODULE]      MODULE: the built _library.so

A matrix. Rows are the ways in which a user settles something: a comment, a baseline, a severity, a selection, a header,
`.epwise.yaml`, options, a script that starts the recipe, a base under a file of overrides. Columns are the commands.
`lint` gives the reference of a row: errors, accepted findings, target, exit; every other command has to agree with it. With a
module, the calls of the Python package give the documents of the commands.
"""

import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
from sampling import share  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
CLEAN = (ROOT / "examples/seeds/q30-ep16-off.yaml").read_text()
GOOD = "global_batch_size: 1024"
BAD = "global_batch_size: 1000"
assert GOOD in CLEAN
BROKEN = CLEAN.replace(GOOD, BAD)
RULE = "batch/indivisible"  # PAR019: 1000 is not a multiple of 16 ranks
STACK = "bridge=0.6.2,te=2.14.0,torch=2.9.1"
TODAY = "2026-11-23"
TARGET = ["--hw", "h100", "--gpus", "16", "--stack", STACK]
LOG = "AssertionError: global batch size (1000) is not divisible by micro batch size (1) times data parallel size (16)\n"

WORK = pathlib.Path(tempfile.mkdtemp(prefix="one-answer-"))
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
failures = []
checks = 0


def package():
    """The Python package with the built module, or None."""
    if len(sys.argv) < 3:
        return None
    folder = WORK / "package"
    folder.mkdir()
    shutil.copytree(ROOT / "python/epwise", folder / "epwise")
    shutil.copy(sys.argv[2], folder / "epwise")
    sys.path.insert(0, str(folder))
    import epwise

    return epwise


PACKAGE = package()
codes = {}  # of rules


def check(row, command, what, got, expected):
    global checks
    checks += 1
    if got != expected:
        failures.append(f"{row}: {command}: {what} is {got}, lint says {expected}")


class Row:
    """One way of settling something, in a folder of its own."""

    def __init__(self, name, recipe, options=(), files=None, path="r.yaml", words=()):
        self.name = name
        self.options = list(options)
        self.words = ["--", *words] if words else []
        self.path = path
        self.broken = BAD in recipe or any(BAD.split(": ")[1] in word for word in words)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=WORK))
        for file, text in {"r.yaml": recipe, "clean.yaml": CLEAN, "crash.log": LOG, **(files or {})}.items():
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / file).write_text(text)

    def file(self):
        """Without the number of a recipe in it."""
        return self.folder / self.path.split("#")[0]

    def run(self, *words, path=True, stdin="", without=()):
        paths = [self.path] if path else []
        options = list(self.options)
        for option in without:
            if option in options:
                del options[options.index(option) : options.index(option) + 2]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("EPWISE_")}
        environment["EPWISE_TODAY"] = TODAY
        done = subprocess.run(
            [BINARY, *words, *paths, *options, *self.words],
            cwd=self.folder,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1):
            failures.append(f"{self.name}: {' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[:300]}")
        return done

    def json(self, *words, **kwargs):
        done = self.run(*words, "-f", "json", **kwargs)
        try:
            return done.returncode, json.loads(done.stdout)
        except json.JSONDecodeError:
            failures.append(f"{self.name}: {' '.join(words)}: no JSON: {done.stderr.strip()[:300]}")
            return done.returncode, {}


def lint_answer(report):
    file = report["files"][0]
    errors = sorted({f["rule"] for f in file["findings"] if f["severity"] == "error"})
    codes.update({f["code"]: f["rule"] for f in file["findings"]})
    accepted = sorted({f["rule"] for f in file.get("accepted", [])})
    return errors, accepted, file["target"]


def frames(*messages):
    text = ""
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message})
        text += f"Content-Length: {len(body.encode())}\r\n\r\n{body}"
    return text


def editor_errors(row):
    """The errors that an editor shows, by an editor that asks for diagnostics."""
    uri = row.file().as_uri()
    said = row.run(
        "lsp",
        path=False,
        stdin=frames(
            {
                "id": 1,
                "method": "initialize",
                "params": {"capabilities": {"textDocument": {"diagnostic": {}}}, "rootUri": row.folder.as_uri()},
            },
            {
                "method": "textDocument/didOpen",
                "params": {
                    "textDocument": {
                        "uri": uri,
                        "languageId": "yaml",
                        "version": 1,
                        "text": row.file().read_text(),
                    }
                },
            },
            {"id": 2, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": uri}}},
            {"id": 3, "method": "shutdown"},
            {"method": "exit"},
        ),
    ).stdout
    for part in said.split("Content-Length: ")[1:]:
        message = json.loads(part.split("\n\n", 1)[1])
        if message.get("id") == 2:
            return sorted({item["code"] for item in message["result"]["items"] if item["severity"] == 1})
    return None


def compare_all(row):
    exit_code, report = row.json("lint")
    if not report:
        return
    errors, accepted, target = lint_answer(report)
    name = row.name

    code, gate = row.json("gate")
    check(name, "gate", "the answer", (lint_answer(gate), code), ((errors, accepted, target), exit_code))

    code, simulated = row.json("simulate")
    file = simulated["files"][0]
    check(name, "simulate", "the number of errors", file["lint_errors"], len(errors))
    check(name, "simulate", "the target", file["target"], target)
    check(name, "simulate", "the exit", code, 1 if errors else 0)

    done = row.run("gate", "--max-exposed-comm", "100%")
    check(name, "gate with a budget", "the exit", done.returncode, exit_code)
    check(name, "gate with a budget", "whether the budget is kept", "budget kept" in done.stdout, True)

    if not row.words and row.path == "r.yaml":
        done = row.run("compare", "r.yaml", "-f", "json")
        compared = json.loads(done.stdout)
        check(name, "compare", "the numbers of errors", [compared[s]["lint_errors"] for s in "ab"], [len(errors)] * 2)
        check(name, "compare", "the target", compared["target"], target)
        check(name, "compare", "the exit", done.returncode, 1 if errors else 0)

        code, difference = row.json("diff", "clean.yaml")
        introduced = sorted({i["rule"] for i in difference["introduced"] if i["severity"] == "error"})
        check(name, "diff", "what is introduced", introduced, errors)
        check(name, "diff", "the target", difference["target"], target)
        check(name, "diff", "the exit", code, 1 if errors else 0)
        check(name, "diff", "whether a step is predicted", difference["predicted"] is not None, not errors)

    code, advice = row.json("advise", "--may-change", "overlap", "--top", "1")
    repaired = {r["rule"] for r in advice["repairs"]} | {codes.get(code, code) for code in advice["errors_left"]}
    check(name, "advise", "what it repairs or leaves beside lint's errors", sorted(repaired - set(errors)), [])
    check(name, "advise", "whether something is wrong", bool(repaired), bool(errors))
    check(name, "advise", "the target", advice["target"], target)

    code, points = row.json("whatif", "--deepep", "1.2,1.3")
    check(name, "whatif", "whether the batch is in the way", RULE in points["stuck"], RULE in errors)
    check(name, "whatif", "the exit", code, 1 if errors else 0)

    done = row.run("lint", "--fix=training", "--diff")
    lines = [line for line in done.stdout.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    weighty = {f["rule"] for f in report["files"][0]["findings"] if f["severity"] != "note"}
    changed = any("global_batch_size" in line for line in lines)
    if row.path == "r.yaml":  # a script can't change the recipe that it starts
        check(name, "lint --fix", "whether it changes the batch", changed, RULE in weighty)

    # What the user accepts or leaves out may still be what a run died of.
    code, crash = row.json("explain", "--from-log", "crash.log", without=("--ignore", "--select", "--baseline"))
    first = crash["crashes"][0]["suspects"][0]
    check(name, "explain --from-log", "the suspect", (first["rule"], first["found"], code), (RULE, row.broken, 0))

    if not row.words:
        check(name, "lsp", "the errors", editor_errors(row), errors)

    done = row.run("why", "data_parallel_size", "-f", "json")
    check(name, "why", "the data-parallel size", json.loads(done.stdout)["value"], 16)


PARAMETERS = {"--target": "target_entry", "--base": "base"}  # else as the option


def compare_python(row):
    """Whether the package gives the documents of the commands."""
    given = dict(zip(row.options[::2], row.options[1::2], strict=True))
    options = {PARAMETERS.get(option, option[2:]): value for option, value in given.items()}
    options["today"] = TODAY
    words = {"words": row.words[1:]} if row.words else {}
    advised = ["--may-change", "overlap", "--top", "1"]
    calls = [
        ("lint", [], lambda: PACKAGE.lint(row.path, **words, **options)),
        ("simulate", [], lambda: PACKAGE.simulate(row.path, **words, **options)),
        ("advise", advised, lambda: PACKAGE.advise(row.path, may_change="overlap", top=1, **words, **options)),
    ]
    if not row.words and row.path == "r.yaml":
        calls.append(("compare", ["clean.yaml"], lambda: PACKAGE.compare("clean.yaml", row.path, **options)))
        calls.append(("diff", ["clean.yaml"], lambda: PACKAGE.diff("clean.yaml", row.path, **options)))
    here = os.getcwd()
    os.chdir(row.folder)
    try:
        for command, more, call in calls:
            code, document = row.json(command, *more)
            result = call()
            check(row.name, f"epwise.{command}", "the document", result.data == document, True)
            check(row.name, f"epwise.{command}", "the exit", result.exit_code, code)
    finally:
        os.chdir(here)


def rows():
    comment = f"{BAD}  # epwise: ignore[PAR019]: the loader pads the last batch"
    yield Row("an error", BROKEN, TARGET)
    yield Row("no error", CLEAN, TARGET)
    yield Row("a comment", BROKEN.replace(BAD, comment), TARGET)
    yield Row("a comment that has ended", BROKEN.replace(BAD, comment.replace("]:", "] until 2026-11-01:")), TARGET)
    yield Row(
        "a comment with a condition that holds",
        BROKEN.replace(BAD, comment.replace("]:", "] while te < 2.15:")),
        TARGET,
    )
    for level in ("note", "warning", "error"):
        yield Row(f"severity {level}", BROKEN, TARGET, {".epwise.yaml": f"severity: {{PAR019: {level}}}\n"})
    yield Row("another rule's severity", BROKEN, TARGET, {".epwise.yaml": "severity: {PAR020: note}\n"})
    yield Row("--ignore", BROKEN, [*TARGET, "--ignore", "PAR019"])
    yield Row("--select of others", BROKEN, [*TARGET, "--select", "overlap/"])
    yield Row("ignore in .epwise.yaml", BROKEN, TARGET, {".epwise.yaml": "ignore: [PAR019]\n"})
    header = f"# epwise: --hw h100 --gpus 16\n# epwise: --stack {STACK}\n"
    yield Row("a header", header + BROKEN)
    yield Row("a header under an option", header.replace("--gpus 16", "--gpus 32") + BROKEN, ["--gpus", "16"])
    configuration = f'hw: h100\ngpus: 16\nstack: "{STACK}"\n'
    yield Row(".epwise.yaml", BROKEN, [], {".epwise.yaml": configuration})
    entry = f'targets:\n  - name: small\n    paths: ["*.yaml"]\n    hw: h100\n    gpus: 16\n    stack: "{STACK}"\n'
    yield Row("an entry of targets", BROKEN, [], {".epwise.yaml": entry})
    yield Row("an entry of targets by name", BROKEN, ["--target", "small"], {".epwise.yaml": entry})
    yield Row("words that break it", CLEAN, TARGET, words=["train.global_batch_size=1000"])
    script = "torchrun --nproc-per-node 8 --nnodes 2 run_recipe.py --config_file r.yaml\n"
    yield Row("a script", BROKEN, ["--hw", "h100", "--stack", STACK], {"run.sh": script}, path="run.sh")
    yield Row("a script of a sound recipe", CLEAN, ["--hw", "h100", "--stack", STACK], {"run.sh": script}, path="run.sh")
    yield Row("the second recipe of a file", f"{CLEAN}---\n{BROKEN}", TARGET, path="r.yaml#2")
    launches = "".join(f"torchrun --nproc-per-node 8 --nnodes 2 run_recipe.py --config_file {file}\n" for file in ("clean.yaml", "r.yaml"))
    yield Row("the second launch of a script", BROKEN, ["--hw", "h100", "--stack", STACK], {"run.sh": launches}, path="run.sh#2")
    overrides = "train:\n  global_batch_size: 1000\n"
    yield Row("a base", overrides, [*TARGET, "--base", "clean.yaml"])


def baseline_rows():
    """A baseline is written by the program itself."""
    for name, options, files in (
        ("a baseline by option", ["--baseline", "known.yaml"], {}),
        ("a baseline by .epwise.yaml", [], {".epwise.yaml": "baseline: known.yaml\n"}),
    ):
        row = Row(name, BROKEN, TARGET)
        row.run("baseline", "write", "known.yaml", "--reason", "known", path=True)
        for file, text in files.items():
            (row.folder / file).write_text(text)
        row.options += options
        yield row


def main():
    for row in [*rows(), *baseline_rows()][:: share(9)]:
        compare_all(row)
        if PACKAGE is not None:
            compare_python(row)
    for failure in failures:
        print(failure)
    print(f"{checks} answers compared, {len(failures)} differ")
    return 1 if failures or checks < 300 // share(12) else 0


if __name__ == "__main__":
    sys.exit(main())
