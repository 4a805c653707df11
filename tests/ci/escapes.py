"""What recipes, their names and a configuration hold is shown and never obeyed: no output of any command in any format starts a line with
their words, moves the cursor, reverses the text, is no UTF-8, or is markup of a page.

usage: escapes.py EPWISE [WORD]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HOSTILE = "\x1b[31m\x07\u202e\u2066\u200b</td></script><script>evil()</script>|`![x](javascript:evil())`::stop-commands::t"
NEWLINES = "a\r\n::stop-commands::t\n\n# evil\n| evil |\n"
RECIPE = """model:
  num_layers: 61
  hidden_size: 1024
  num_attention_heads: 16
  num_moe_experts: 8
  pipeline_model_parallel_size: 8
  moe_token_dispatcher_type: "{word}"
  moe_flex_dispatcher_backend: "{lines}"
  "num_layerz{word}": 4
  "num_layerz{lines}": 4
train: {{global_batch_size: 501, micro_batch_size: 1}}
"{word}": 1
"""
SCRIPT = """#!/bin/bash
#SBATCH --job-name='{word}'
export CUDA_DEVICE_MAX_CONNECTIONS='{word}'
X=$'{lines}'
torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 3 --distributed-backend '{word}' \\
  --transformer-impl "$X" --tensor-model-parallel-size 2 '--num-layer{word}' 3 --data-path "$X" "${{Y:-{word}}}"
"""
LOG = "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nValueError: {word} num_layers (61) must be divisible\n"
NAMES = ["plain.yaml", "::stop-commands::t.yaml", "lines\n::stop-commands::t\r.yaml", "esc\x1b[31m\u202e.yaml", b"bytes\xff\xfe.yaml",
         "<script>evil()`|![x](javascript:y).yaml",
         "job\n::stop-commands::t\x1b.sh"]
TARGET = ["--hw", "h100", "--gpus", "16"]
# Of a document of JSON or XML, what it says counts when it is read; its own bytes may be escaped in either way.
FORMATS = {
    "lint": ("full", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson", "markdown"),
    "gate": ("full", "markdown", "github"),
    "simulate": ("full", "json", "html", "csv", "trace"),
    "compare": ("full", "json"),
    "advise": ("full", "json", "markdown", "html"),
    "diff": ("text", "json", "markdown"),
    "explain": ("text", "json"),  # of a log; Markdown is for rules
    "whatif": ("text", "json"),
}


def escaped(text: str) -> str:
    """As it stands in a double-quoted scalar of YAML."""
    return json.dumps(text)[1:-1]


def put(folder: pathlib.Path, name: str | bytes, text: str) -> None:
    with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "w", encoding="utf-8") as file:
        file.write(text)


def lay_out(folder: pathlib.Path) -> None:
    for name in NAMES:
        script = os.fsencode(name).endswith(b".sh")
        form, write = (SCRIPT, lambda text: text.replace("'", "").replace("\n", "\\n").replace("\r", "\\r")) if script else (RECIPE, escaped)
        put(folder, name, form.format(word=write(HOSTILE), lines=write(NEWLINES)))
    put(folder, "job.log", LOG.format(word=HOSTILE) * 3)


def commands(names: list[bytes]) -> list[tuple[str, list]]:
    listed = [("lint ", ["lint", "."]), ("gate ", ["gate", "."])]
    calls = [(f"lint -f {name}", ["lint", ".", *TARGET, "-f", name]) for name in FORMATS["lint"]]
    calls += [("lint -v", ["lint", ".", *TARGET, "-v"]), ("lint --list-files", ["lint", ".", "--list-files"]),
              ("lint --diff", ["lint", ".", *TARGET, "--fix=training", "--diff"]),
              ("lint --fix", ["lint", ".", *TARGET, "--fix=training"]),
              ("baseline write", ["baseline", "write", "../known.yaml", ".", *TARGET, "--reason", HOSTILE]),
              ("template", ["lint", ".", "-f", "template={{#files}}{{path}} {{#findings}}{{message}}{{/findings}}\\n{{/files}}"])]
    calls += [(f"gate -f {name}", ["gate", ".", *TARGET, "-f", name, "--min-headroom", "1GiB"]) for name in FORMATS["gate"]]
    for name in names:
        text = os.fsdecode(name)
        for command in ("simulate", "advise"):
            calls += [(f"{command} {text!r} -f {each}", [command, name, *TARGET, "-f", each] + (["--force"] if command == "simulate" else []))
                      for each in FORMATS[command]]
        calls += [(f"whatif {text!r} -f {each}", ["whatif", name, "--hw", "h100,gb200", "--gpus", "16", "-f", each]) for each in FORMATS["whatif"]]
        calls += [(f"compare {text!r} -f {each}", ["compare", name, "plain.yaml", *TARGET, "--force", "-f", each]) for each in FORMATS["compare"]]
        calls += [(f"diff {text!r} -f {each}", ["diff", "plain.yaml", name, *TARGET, "-f", each]) for each in FORMATS["diff"]]
        calls += [(f"explain {text!r} -f {each}", ["explain", "--from-log", "job.log", name, *TARGET, "-f", each]) for each in FORMATS["explain"]]
        calls += [(f"config show {text!r}", ["config", "show", "--origin", name]), (f"why {text!r}", ["why", "num_layers", name]),
                  (f"why all {text!r}", ["why", "moe_token_dispatcher_type", name]), (f"coverage {text!r}", ["rules", "coverage", name]),
                  (f"recipes of {text!r}", ["recipes", "show", name]), (f"learn {text!r}", ["learn", "job.log", name, "-o", "../learnt.yaml"]),
                  (f"missing {text!r}", ["lint", name + b".missing"]), (f"base {text!r}", ["lint", "plain.yaml", "--base", name]),
                  (f"baseline {text!r}", ["lint", "plain.yaml", "--baseline", name]), (f"hw {text!r}", ["lint", "plain.yaml", "--hw", name]),
                  (f"calibration {text!r}", ["calibrate", "show", name]), (f"log {text!r}", ["explain", "--from-log", name]),
                  (f"receipt {text!r}", ["gate", "--verify-receipt", name]), (f"config {text!r}", ["config", "check", name])]
    for option in ("--hw", "--select", "--stack", "--target", "--purpose", "--env", "--format", "--base", "--framework"):
        calls.append((f"{option} WORD", ["lint", "plain.yaml", option, NEWLINES + HOSTILE]))
    calls += [("an unknown command", [NEWLINES + HOSTILE]), ("an unknown rule", ["explain", NEWLINES + HOSTILE]),
              ("overrides", ["lint", "plain.yaml", "--", f"model.x={HOSTILE}", f"model.y={NEWLINES}"])]
    return listed + calls


def texts_of(data) -> list[str]:
    if isinstance(data, dict):
        return [text for key, value in data.items() for text in (key, *texts_of(value))]
    if isinstance(data, list):
        return [text for value in data for text in texts_of(value)]
    return [data] if isinstance(data, str) else []


def problems_of(what: str, words: list, out: bytes, err: bytes) -> list[str]:
    problems = []
    kind = words[words.index("-f") + 1] if "-f" in words else "text"
    for stream, raw in (("standard output", out), ("standard error", err)):
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            problems.append(f"{stream} is no UTF-8: {raw[error.start - 40:error.end + 20]!r}")
            text = raw.decode(errors="replace")
        if "--diff" in words and stream == "standard output":  # the body is what `git apply` takes, byte by byte
            text = "".join(line for line in text.splitlines(keepends=True) if line.startswith(("---", "+++")) or line.startswith("::"))
        is_document = stream == "standard output" and kind in ("json", "sarif", "gitlab", "rdjson", "trace")
        if is_document and text:
            try:
                json.loads(text)
            except ValueError as error:
                problems.append(f"{stream} is no JSON: {error}")
        if stream == "standard output" and kind == "junit":
            xml.etree.ElementTree.fromstring(text)
        for line in text.splitlines():
            bare = line.removeprefix("> ")
            if line.startswith("::") and not (kind == "github" and re.match(r"::(error|warning|notice) ", line)) or re.match(r"\s*::stop", line):
                problems.append(f"{stream} starts a line with {line[:60]!r}")
            if kind == "markdown" and re.match(r"# evil|\| evil", bare):
                problems.append(f"{stream} has a line of its own: {bare[:60]!r}")
        signs = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f" if is_document else "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
        if found := re.search(f".{{0,30}}[{signs}]", text):
            problems.append(f"{stream} holds a control sign: {found[0]!r}")
        if kind == "markdown":  # code is shown as it is
            text = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
        if kind in ("html", "markdown") and stream == "standard output" and (found := re.search(r".{0,60}<script>evil", text)):
            problems.append(f"{stream} holds markup: {found[0]!r}")
        if kind == "markdown" and stream == "standard output" and (found := re.search(r".{0,60}(?<!\\)!\[x\]\(javascript", text)):
            problems.append(f"{stream} holds a picture: {found[0]!r}")
    return [f"{what}: {each}" for each in problems]


def check(epwise: str, top: pathlib.Path, word: str) -> tuple[int, list[str]]:
    problems, count = [], 0
    names = [os.fsencode(name) for name in NAMES]
    for what, words in commands(names):
        if word not in what:
            continue
        folder = top / "r"
        subprocess.run(["rm", "-rf", folder, top / "known.yaml", top / "learnt.yaml"], check=True)
        folder.mkdir()
        lay_out(folder)
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "EPWISE_TODAY": "2026-11-22"}
        done = subprocess.run([epwise, *words], cwd=folder, capture_output=True, timeout=120, check=False, env=environment, stdin=subprocess.DEVNULL)
        count += 1
        if done.returncode not in (0, 1, 2, 3, 4):
            problems.append(f"{what}: exit {done.returncode}: {done.stderr[:300]!r}")
        if "-f" in words and b"--format" in done.stderr:
            problems.append(f"{what}: {done.stderr[:200]!r}")
        problems += problems_of(what, words, done.stdout, done.stderr)
        if word:
            print(what, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    return count, problems


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        count, problems = check(os.path.abspath(sys.argv[1]), pathlib.Path(name), " ".join(sys.argv[2:]))
    print("\n".join(problems))
    print(f"{count} calls, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
