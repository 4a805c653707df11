"""Inputs that are meant to hurt, through the program itself: each ends by itself, in few seconds and little memory, with an exit code that
the manual names and without a word of a sanitizer.

usage: hostile.py EPWISE [WORD]

With WORD only the cases whose name holds it. The limits are for an optimised build; EPWISE_SLOWER=20 stretches them for a sanitized one.
"""

import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile

SECONDS, MEGABYTES = 5.0, 400  # of one call: processor time, peak memory
CODES = {0, 1, 2, 3, 4}
SLOWER = float(os.environ.get("EPWISE_SLOWER", "1"))

RECIPE = "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\ntrain: {global_batch_size: 8, micro_batch_size: 1}\n"
LAUNCH = "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4"


def recipes():
    """Name → bytes of a YAML file."""
    yield "flow-line", "{model: {" + ", ".join(f"k{i}: [{i}, a, {{b: c}}]" for i in range(45_000)) + "}}\n"
    yield "flow-line-known", "{model: {num_layers: [" + "4, " * 300_000 + "4]}}\n"
    yield "anchors", "a0: &a0 1\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 10_000))
    yield "laughs", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30)) + "model: *a29\n"
    yield "laughs-merged", "a0: &a0 {x: 1}\n" + "".join(
        f"a{i}: &a{i} {{k{i}: 1, <<: [{', '.join([f'*a{i - 1}'] * 10)}]}}\n" for i in range(1, 200)) + "model: *a199\n"
    yield "deep-lists", "model: " + "[" * 100_000
    yield "deep-lists-closed", "model: " + "[" * 100_000 + "]" * 100_000
    yield "deep-mappings", "model: " + "{a: " * 100_000 + "1" + "}" * 100_000
    yield "deep-dashes", "- " * 100_000 + "1\n"
    yield "deep-blocks", "".join(" " * i + "a:\n" for i in range(1_400))
    yield "keys", "model:\n" + "".join(f"  num_layers_{i}: {i}\n" for i in range(100_000))
    yield "keys-twice", "model:\n" + "  num_layers: 4\n" * 100_000
    yield "keys-near", "model:\n" + "".join(f"  num_layer{'s' * (i % 7)}x{i % 977}: {i}\n" for i in range(50_000))
    yield "documents", (RECIPE + "---\n") * 5_000
    yield "references", "model:\n" + "".join(f"  a{i}: ${{model.a{i + 1}}}\n" for i in range(20_000))
    yield "reference-ring", "model: {num_layers: '${model.hidden_size}', hidden_size: '${model.num_layers}'}\n"
    yield "reference-deep", "model: {num_layers: '" + "${" * 50_000 + "'}\n"
    yield "quotes", "model: {a: \"" + "\\\"" * 500_000 + "\"}\n"
    yield "long-key", "model: {" + "a" * 1_000_000 + ": 1}\n"
    yield "long-number", "model: {num_layers: " + "9" * 1_000_000 + "}\n"
    yield "block-scalar", "model:\n  a: |\n" + "    text # epwise: ignore\n" * 40_000
    yield "comments", "# epwise: ignore[EPO014] while te < 2.8: x\n" * 20_000 + RECIPE
    yield "comments-behind", RECIPE + "# epwise: ignore[EPO001,EPO002]: x\n" * 20_000
    yield "comments-many", RECIPE + "# epwise: ignore[EPO001,EPO002]: x\n" * 100_000
    yield "comments-beside", "model:\n  num_layers: 4\n" + "".join(
        f"  # epwise: ignore[recipe/unknown-key]: x\n  a{i}: 1  # epwise: ignore[EPO001]: x\n" for i in range(30_000))
    yield "comments-of-documents", ("# epwise: ignore[EPO001]: x\n" + RECIPE + "---\n") * 60
    yield "comments-in-line", RECIPE + "# epwise: ignore[EPO001]: x " * 20_000 + "\n"
    yield "header", "# epwise: " + "--env A=b " * 50_000 + "\n" + RECIPE
    yield "layout", "model: {num_layers: 4, pipeline_model_parallel_layout: '" + "E" + "(t|)*99999999" * 20_000 + "L'}\n"
    yield "numbers-huge", ("model: {num_layers: 2147483647, hidden_size: 2147483647, num_attention_heads: 2147483647, num_moe_experts: 2147483647,"
                           " moe_router_topk: 2147483647, pipeline_model_parallel_size: 2147483647, expert_model_parallel_size: 2147483647,"
                           " moe_layer_freq: '[1]*2000000000'}\ntrain: {global_batch_size: 9223372036854775807, micro_batch_size: 1}\n")
    yield "numbers-pipeline", ("model: {num_layers: 1000000, hidden_size: 64, num_attention_heads: 4, pipeline_model_parallel_size: 100000,"
                               " virtual_pipeline_model_parallel_size: 10}\ntrain: {global_batch_size: 100000000, micro_batch_size: 1}\n")
    yield "frequency", "model: {num_layers: 4, num_moe_experts: 4, moe_layer_freq: '([0]*9999+[1]*9999)*9999*9999'}\n"
    yield "nul", RECIPE + "a: \0\0\0\n"
    yield "latin", RECIPE.encode() + b"a: \xe9\xff\n"
    yield "lines-crlf", RECIPE.replace("\n", "\r\n")
    yield "lines-cr", RECIPE.replace("\n", "\r") * 2_000
    yield "mark", b"\xef\xbb\xbf" + RECIPE.encode()
    yield "wide", RECIPE.encode("utf-16")
    yield "wide-bare", RECIPE.encode("utf-16-be")
    yield "wider", RECIPE.encode("utf-32")
    yield "nothing", ""
    yield "blanks", " \n" * 500_000
    yield "tabs", "\t" * 1_000_000
    yield "combining", "model: {a: \"" + "e\u0301" * 300_000 + "\"}\n"
    yield "verl-defaults", "defaults: [" + "a.yaml, " * 20_000 + "a.yaml]\nactor_rollout_ref: {actor: {megatron: {tensor_model_parallel_size: 2}}}\n"
    yield "directives", "%YAML 1.2\n" * 50_000 + "---\n" + RECIPE
    yield "tags", "model: " + "!!a " * 100_000 + "x\n"


def scripts():
    """Name → bytes of a launch script."""
    yield "nested", "X=" + "$(echo " * 50_000 + "1" + ")" * 50_000 + "\n" + LAUNCH + "\n"
    yield "nested-open", "X=" + "$(" * 100_000 + "\n" + LAUNCH + "\n"
    yield "nested-quotes", "X=" + '"$(' * 50_000 + "\n" + LAUNCH + "\n"
    yield "nested-groups", "{ " * 100_000 + LAUNCH + "\n"
    yield "nested-subshells", "( " * 100_000 + LAUNCH + "\n"
    yield "nested-ifs", "if true; then\n" * 20_000 + LAUNCH + "\n" + "fi\n" * 20_000
    yield "nested-cases", "case x in x)\n" * 20_000 + LAUNCH + "\n" + ";; esac\n" * 20_000
    yield "nested-defaults", "X=" + "${A:-" * 50_000 + "}" * 50_000 + "\n" + LAUNCH + "\n"
    yield "nested-arithmetic", "X=$((" + "(" * 100_000 + "1" + ")" * 100_000 + "))\n" + LAUNCH + "\n"
    yield "signs-arithmetic", "X=$((" + "-" * 100_000 + "1))\n" + LAUNCH + "\n"
    yield "choices-arithmetic", "X=$((" + "1?" * 50_000 + "1" + ":1" * 50_000 + "))\n" + LAUNCH + "\n"
    yield "tests", "if [[ " + "! " * 100_000 + "-f a ]]; then X=1; fi\n" + LAUNCH + "\n"
    yield "tests-groups", "if [[ " + "( " * 100_000 + "a" + " )" * 100_000 + " ]]; then X=1; fi\n" + LAUNCH + "\n"
    yield "backticks", "X=" + "`" * 100_001 + "\n" + LAUNCH + "\n"
    yield "braces", "X=(" + "{a,b}" * 5_000 + ")\n" + LAUNCH + ' "${X[@]}"\n'
    yield "braces-range", "for i in {1..1000000000}; do X=$i; done\n" + LAUNCH + "\n"
    yield "arrays", "".join(f"A{i}=(--num-layers {i} --x y)\n" for i in range(10_000)) + LAUNCH + "".join(
        f' "${{A{i}[@]}}"' for i in range(10_000)) + "\n"
    yield "doubling", "X=aaaaaaaaaaaaaaaa\n" + "X=$X$X\n" * 100 + LAUNCH + " --data-path $X\n"
    yield "doubling-arrays", "X=(a b c d)\n" + 'X+=("${X[@]}")\n' * 100 + LAUNCH + ' "${X[@]}"\n'
    yield "loops", "for i in " + "a " * 1_000 + "; do\n" * 1 + "for j in " + "b " * 1_000 + "; do\nfor k in " + "c " * 1_000 + \
        "; do X=$i$j$k; done; done; done\n" + LAUNCH + "\n"
    yield "loop-endless", "while true; do X=1; done\n" + LAUNCH + "\n"
    yield "function-endless", "f() { f; f; }\nf\n" + LAUNCH + "\n"
    yield "function-doubling", "f0() { X=1; }\n" + "".join(f"f{i}() {{ f{i - 1}; f{i - 1}; }}\n" for i in range(1, 60)) + "f59\n" + LAUNCH + "\n"
    yield "source-itself", ". ./hostile.sh\n" * 3 + LAUNCH + "\n"
    yield "bash-itself", "bash hostile.sh\nbash hostile.sh\n" + LAUNCH + "\n"
    yield "patterns", "X=" + "a" * 20_000 + "\nX=${X##" + "*a" * 2_000 + "b}\n" + LAUNCH + "\n"
    yield "patterns-replaced", "X=" + "a" * 20_000 + "\nX=${X//" + "*a" * 200 + "b/c}\n" + LAUNCH + "\n"
    yield "patterns-case", "X=" + "a" * 100_000 + "\ncase $X in " + "*a" * 5_000 + "b) Y=1;; esac\n" + LAUNCH + "\n"
    yield "flags", LAUNCH + " --num-layers 4" * 50_000 + "\n"
    yield "flags-unknown", LAUNCH + "".join(f" --num-layer{i}" for i in range(20_000)) + "\n"
    yield "comments", "# epwise: ignore[EPO014]: x\n# y\n" * 50_000 + LAUNCH + "\n"
    yield "comments-of-list", "A=(\n" + "  # epwise: ignore[EPO014]: x\n  --num-layers 4\n" * 20_000 + ")\n" + LAUNCH + ' "${A[@]}"\n'
    yield "launches", (LAUNCH + "\n") * 3_000
    yield "continued", "torchrun --nproc-per-node 8 pretrain_gpt.py \\\n" + "  --num-layers 2 \\\n" * 50_000
    yield "here", "cat <<EOF\n" + "$(cat <<EOF\n" * 20_000 + LAUNCH + "\n"
    yield "here-many", "cat " + "<<A " * 20_000 + "\n" + LAUNCH + "\n"
    yield "here-quoted", "bash -c '" + "bash -c \"" * 20_000 + "\n"
    yield "nul", LAUNCH + " --x \0\0\n"
    yield "latin", LAUNCH.encode() + b" --x \xff\xfe\n"
    yield "lines-crlf", LAUNCH + " \\\r\n --bf16\r\n"
    yield "wide", (LAUNCH + "\n").encode("utf-16")
    yield "sbatch", "#!/bin/bash\n" + "#SBATCH --nodes=99999999999999999999 --gpus-per-node=2147483647\n" * 5_000 + "srun " + LAUNCH + "\n"
    yield "verl", "python3 -m verl.trainer.main_ppo model_engine=megatron " + " ".join(f"+a.b{i}=[{'[' * 500}" for i in range(500)) + "\n"
    yield "verl-deep", "python3 -m verl.trainer.main_ppo model_engine=megatron +a=" + "{a:" * 50_000 + "\n"
    yield "slime-json", "ray job submit --runtime-env-json='" + '{"a":' * 50_000 + "' -- python3 train.py --num-layers 4\n"


def configurations():
    """Name → bytes of `.epwise.yaml`."""
    yield "deep", "targets: " + "[" * 100_000 + "\n"
    yield "targets", "targets:\n" + "".join(f"  - {{name: t{i}, paths: ['**/{'*a' * 50}/**/b{i}'], gpus: {i}}}\n" for i in range(5_000))
    yield "severity", "severity: {" + ", ".join(f"x{i}/: note" for i in range(20_000)) + "}\n"
    yield "ignore", "ignore: [" + "EPO001, " * 50_000 + "]\n"
    yield "stack", "stack: " + ",".join(["te=2.14.0"] * 50_000) + "\n"
    yield "version", "required_version: '" + ">=0.1," * 50_000 + ">=0.1'\n"
    yield "wide", "gpus: 8\n".encode("utf-16")
    yield "nul", "gpus: 8\n\0"


def rules():
    """Name → bytes of a rule file."""
    head = "code: OUR001\nseverity: error\nwhen: "
    yield "deep", head + "(" * 100_000 + "1" + ")" * 100_000 + "\n"
    yield "signs", head + "'" + "not " * 100_000 + "a'\n"
    yield "minus", head + "'" + "- " * 100_000 + "1 == 1'\n"
    yield "choices", head + "'" + "a ? b : " * 50_000 + "c'\n"
    yield "long", head + "'" + " and ".join(["model.num_layers > 1"] * 30_000) + "'\n"
    yield "list", head + "'model.num_layers in [" + "1, " * 100_000 + "2]'\n"


def templates():
    """Name → a template of reports."""
    yield "deep", "{{#findings}}" * 20_000 + "{{/findings}}" * 20_000
    yield "deep-open", "{{#findings}}" * 100_000
    yield "many", "{{#findings}}{{path}}{{/findings}}" * 20_000
    yield "delimiters", "{{=<% %>=}}<%={{ }}=%>" * 20_000
    yield "odd", "{{{{{{" * 50_000
    yield "nul", "{{#files}}\0{{path}}{{/files}}"


def logs():
    """Name → a log of a job."""
    yield "frames", "Traceback (most recent call last):\n" + '  File "/a/megatron/training/arguments.py", line 843, in f\n    assert x\n' * 30_000 + \
        "AssertionError: x\n"
    yield "errors", "".join(f"[rank{i % 64}]: ValueError: number {i} of experts\n" for i in range(50_000))
    yield "errors-alike", "".join(f"RuntimeError: {'tensor model parallel size ' * 20}{i}\n" for i in range(20_000))
    yield "line", "a" * 8_000_000
    yield "line-error", "ValueError: " + "num_moe_experts " * 400_000
    yield "prefixes", "[rank0]: " * 500_000 + "ValueError: x\n"
    yield "colours", "\x1b[" * 2_000_000
    yield "ranks", "".join(f"[rank{i}]: Traceback (most recent call last):\n" for i in range(50_000)) + "".join(
        f"[rank{i}]: ValueError: x\n" for i in range(50_000))
    yield "choices", "train.py: error: argument --x: invalid choice: 'ful' (choose from " + ", ".join(f"'a{i}'" for i in range(100_000)) + ")\n"
    yield "unrecognized", "train.py: error: unrecognized arguments: " + " ".join(f"--num-expert{i}" for i in range(5_000)) + "\n"
    yield "wide", "ValueError: x\n".encode("utf-16") * 1_000
    yield "nul", "\0" * 4_000_000


def framed(message) -> bytes:
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(text) + text


def conversation(text: str, *more) -> bytes:
    uri = "file:///hostile.yaml"
    about = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 8}}
    return b"".join(map(framed, [
        {"id": 0, "method": "initialize", "params": {"capabilities": {}}}, {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}}},
        {"id": 1, "method": "textDocument/hover", "params": about}, {"id": 2, "method": "textDocument/completion", "params": about},
        *more, {"id": 3, "method": "shutdown"}, {"method": "exit"}]))


def conversations():
    """Name → what an editor writes."""
    for name, text in recipes():
        if name in ("flow-line", "laughs", "deep-lists", "keys", "keys-twice", "references", "comments", "combining", "documents"):
            yield name, conversation(text if isinstance(text, str) else text.decode())
    yield "deep-json", framed(b"[" * 1_000_000) + conversation(RECIPE)
    yield "deep-json-closed", framed(b'{"a":' * 200_000 + b"1" + b"}" * 200_000) + conversation(RECIPE)
    yield "length", b"Content-Length: 99999999999999999999\r\n\r\n{}" + conversation(RECIPE)
    yield "length-large", b"Content-Length: 4000000000\r\n\r\n{}"
    yield "headers", b"X: y\r\n" * 200_000 + conversation(RECIPE)
    yield "header-line", b"X" * 8_000_000
    yield "places", conversation(RECIPE, {"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": "file:///hostile.yaml", "version": 2}, "contentChanges": [
            {"range": {"start": {"line": 4294967295, "character": 4294967295}, "end": {"line": -1, "character": -1}}, "text": "x"}] * 2_000}})
    yield "latin", framed(b'{"id": 1, "method": "\xff\xfe"}') + conversation(RECIPE)
    yield "batches", framed([{"id": i, "method": "x"} for i in range(50_000)]) + conversation(RECIPE)


def databases(folder: pathlib.Path):
    """Name → an export of Nsight Systems, as a file in the folder."""
    def made(name, kernels, strings, ranges=()):
        path = folder / f"{name}.sqlite"
        base = sqlite3.connect(path)
        base.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        base.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, demangledName INTEGER)")
        base.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, textId INTEGER)")
        base.executemany("INSERT INTO StringIds VALUES (?, ?)", strings)
        base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?)", kernels)
        base.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?)", ranges)
        base.commit()
        base.close()
        return name, path.read_bytes()

    far = 2**63 - 1
    yield made("times", [(-far, far, 0, 1, 1), (-far, -far, 0, 1, 1), (far, far, 0, 2**40, 1)] * 50, [(1, "ncclDevKernel_SendRecv")],
               [(-far, far, "iteration 1", None)] * 9)
    # Texts by number without an index: an answer takes the product of both counts.
    yield made("strings", [(i, i + 1, 0, 7, i) for i in range(30_000)], [(i, f"kernel {i}") for i in range(60_000)],
               [(i, i + 1, None, i) for i in range(60_000)])
    yield made("ranges", [(i, i + 1, 0, 7, 1) for i in range(100_000)], [(1, "gemm")], [(i, 10**9 + i, "iteration", None) for i in range(100_000)])
    whole = made("cut", [(i, i + 1, 0, 7, 1) for i in range(1_000)], [(1, "gemm")])[1]
    yield "cut", whole[:len(whole) // 2]
    yield "zeros", whole[:512] + bytes(len(whole) - 512)


def measurements():
    """Name → a file of timings."""
    yield "deep", "version: 1\nseries: " + "[" * 100_000
    yield "csv", "bytes,us\n" + "1e308,1e308\n" * 100_000
    yield "nccl", "#  size count type redop root time\n" + "  1048576  262144  float  none  -1  99.9  10.5  9.8  0  99.9  10.5  9.8  0\n" * 50_000
    yield "line", "1 " * 4_000_000


def cases(folder: pathlib.Path):
    """Name, files, words, standard input."""
    goal = ["--gpus", "8", "--hw", "h100"]
    for name, text in recipes():
        for command in ("lint", "gate", "diff", "simulate", "fix"):
            if command == "lint":
                yield f"lint recipe {name}", {"hostile.yaml": text}, ["lint", "hostile.yaml", *goal], b""
            elif command == "gate":
                yield f"gate recipe {name}", {"hostile.yaml": text}, ["gate", ".", "--format", "sarif", *goal], b""
            elif command == "diff":
                yield f"diff recipe {name}", {"hostile.yaml": text, "a.yaml": RECIPE}, ["diff", "hostile.yaml", "a.yaml", *goal], b""
            elif command == "simulate" and name in ("numbers-huge", "numbers-pipeline", "frequency", "layout"):
                yield f"simulate recipe {name}", {"hostile.yaml": text}, ["simulate", "hostile.yaml", *goal], b""
            elif command == "fix" and name in ("keys-twice", "laughs", "comments", "flow-line"):
                yield f"fix recipe {name}", {"hostile.yaml": text}, ["lint", "--fix=training", "hostile.yaml", *goal], b""
    for name, text in scripts():
        yield f"lint script {name}", {"hostile.sh": text}, ["lint", "hostile.sh", "--hw", "h100"], b""
    for name, text in configurations():
        yield f"configuration {name}", {".epwise.yaml": text, "a.yaml": RECIPE}, ["lint", "a.yaml"], b""
        yield f"baseline {name}", {"base.yaml": text, "a.yaml": RECIPE}, ["lint", "a.yaml", "--baseline", "base.yaml"], b""
    for name, text in rules():
        yield f"rules {name}", {"ours/top/x.yaml": text, "a.yaml": RECIPE}, ["lint", "a.yaml", "--rules", "ours"], b""
    for name, text in templates():
        yield f"template {name}", {"t.mustache": text, "a.yaml": RECIPE}, ["lint", "a.yaml", "--format", "template=t.mustache"], b""
    for name, text in logs():
        yield f"log {name}", {"job.log": text}, ["explain", "--from-log", "job.log"], b""
    for name, text in conversations():
        yield f"editor {name}", {}, ["lsp"], text
    for name, text in databases(folder):
        yield f"profile {name}", {"run.sqlite": text, "a.yaml": RECIPE}, ["advise", "a.yaml", "--profile", "run.sqlite", *goal], b""
    for name, text in measurements():
        yield f"timings {name}", {"t.csv": text}, ["calibrate", "import", "t.csv", "--hw", "h100"], b""
    deep = "{" + '"files": {"a": ' * 100_000
    yield "receipt deep", {"r.json": deep}, ["gate", "--verify-receipt", "r.json"], b""
    yield "receipt many", {"r.json": '{"files": {' + ", ".join(f'"f{i}": {{"sha256": "x"}}' for i in range(100_000)) + "}}"}, [
        "gate", "--verify-receipt", "r.json"], b""
    yield "questions", {"q.jsonl": "[" * 1_000_000 + "\n" + '{"law": "gemm"}\n' * 20_000}, ["cost", "--batch", "q.jsonl"], b""
    yield "ignored", {".gitignore": "**/" * 20_000 + "a\n" + "*a" * 20_000 + "b\n", "a" * 200 + ".yaml": RECIPE}, ["gate", ".", *goal], b""
    yield "glob", {"a.yaml": RECIPE}, ["lint", "*" * 100_000 + "[" * 1_000], b""
    yield "words", {"a.yaml": RECIPE}, ["lint", "a.yaml", *["--env", "A=b"] * 20_000], b""
    yield "overrides", {"a.yaml": RECIPE}, ["lint", "a.yaml", "--", *[f"model.num_layers={'[' * 1_000}"] * 100], b""


def run(epwise: str, words: list[str], said: bytes, folder: pathlib.Path):
    """Exit code, the end of standard error, seconds of processor time, peak MB."""
    limit = int(6 * SECONDS * SLOWER)

    def bounded():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    with open(folder / "in", "w+b") as given, open(folder / "err", "w+b") as err:
        given.write(said)
        given.seek(0)
        process = subprocess.Popen([epwise, *words], cwd=folder / "work", stdin=given, stdout=subprocess.DEVNULL, stderr=err, preexec_fn=bounded,
                                   env={**os.environ, "EPWISE_TODAY": "2026-11-22"})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        err.seek(0)
        text = err.read()
    return os.waitstatus_to_exitcode(status), text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def main() -> int:
    epwise, word = os.path.abspath(sys.argv[1]), " ".join(sys.argv[2:])
    failures, slowest, largest, count = [], (0.0, ""), (0, ""), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case, files, words, said in cases(folder):
            if word not in case:
                continue
            work = folder / "work"
            work.mkdir()
            for path, content in files.items():
                (work / path).parent.mkdir(parents=True, exist_ok=True)
                (work / path).write_bytes(content if isinstance(content, bytes) else content.encode())
            code, err, seconds, megabytes = run(epwise, words, said, folder)
            count += 1
            slowest, largest = max(slowest, (seconds, case)), max(largest, (megabytes, case))
            told = f"{case}: exit code {code}, {seconds:.1f} s, {megabytes} MB"
            if word or os.environ.get("EPWISE_TELL"):
                print(told, err[:160].decode(errors="replace").replace("\n", " | "), flush=True)
            sanitizer = b"Sanitizer" in err or b"runtime error" in err
            if code not in CODES or sanitizer:
                failures.append(f"{told}: {err[-2000:].decode(errors='replace')}")
            elif seconds > SECONDS * SLOWER or (SLOWER == 1 and megabytes > MEGABYTES):
                failures.append(told)
            subprocess.run(["rm", "-r", str(work)], check=True)
    print("\n".join(failures))
    print(f"{count} inputs; slowest {slowest[1]} {slowest[0]:.1f} s, largest {largest[1]} {largest[0]} MB; {len(failures)} failed")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
