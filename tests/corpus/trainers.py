#!/usr/bin/env python3
"""Lints the example scripts and configurations of frameworks around Megatron, and counts what comes of it.

    python3 tests/corpus/trainers.py build/epwise MIRRORS [--files] [NAME…]

MIRRORS holds one folder for each repository, "owner+name/repo", a git directory with or without a work tree. A repository that is not
there is skipped, with a line that says so. Of each one: how many scripts and YAML files name a setting of its Megatron (found), of how
many a recipe was read, and the findings by severity and rule. --files lists every error with its place, and the found files that
were not read. Exit code 1 when a lint run breaks; the counts themselves are for people to look at."""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# name, repository, what a file holds that asks to be read, paths that are left out (CI of the framework itself)
FRAMEWORKS = [
    ("verl", "volcengine+verl", r"\.megatron\.\w*parallel_size|override_transformer_config", r"^\.github|^verl/trainer/config/"),
    ("roll", "alibaba+ROLL", r"strategy_name: *megatron_train", r"^\.github"),
    ("nemo_rl", "NVIDIA-NeMo+RL", r"megatron_cfg", r"^\.github|^3rdparty|^research"),
    ("swift", "modelscope+ms-swift", r"_model_parallel_size|megatron (sft|pt|rlhf)", r"^\.github"),
    ("slime", "THUDM+slime", r"--tensor-model-parallel-size", r"^\.github|^docker"),
    ("nemo", "NVIDIA+NeMo", r"tensor_model_parallel_size", r"^\.github"),
    ("bridge", "NVIDIA-NeMo+Megatron-Bridge", r"parallel_size|run_recipe\.py|run_script\.py|setup_experiment\.py", r"^\.github|^3rdparty"),
    ("megatron", "NVIDIA+Megatron-LM", r"--(tensor-model-parallel-size|num-layers|micro-batch-size)", r"^\.github"),
]


def text_files(repository):
    """Scripts and YAML files of the newest commit, as (path, text)."""
    names = subprocess.run(["git", "-C", str(repository), "ls-tree", "-r", "-z", "--full-tree", "HEAD"], check=True, capture_output=True)
    wanted = []
    for entry in names.stdout.decode(errors="replace").split("\0"):
        meta, _, path = entry.partition("\t")
        if re.search(r"\.(sh|ya?ml|sbatch|slurm)$", path) and meta.startswith("100"):
            wanted.append((meta.split()[2], path))
    request = "".join(blob + "\n" for blob, _ in wanted).encode()
    answer = subprocess.run(["git", "-C", str(repository), "cat-file", "--batch"], check=True, capture_output=True, input=request).stdout
    at = 0
    for _, path in wanted:
        end = answer.index(b"\n", at)
        head = answer[at:end].split()
        at = end + 1
        if head[-1] == b"missing":
            continue
        size = int(head[2])
        yield path, answer[at:at + size]
        at += size + 1


def lint(epwise, folder):
    run = subprocess.run([epwise, "lint", ".", "--format", "json"], cwd=folder, capture_output=True, text=True)
    if run.returncode not in (0, 1) or not run.stdout:
        raise RuntimeError(f"exit code {run.returncode}: {run.stderr[-2000:]}")
    return json.loads(run.stdout)["files"]


def report(epwise, name, repository, asks, skips, listed):
    with tempfile.TemporaryDirectory() as folder:
        found = set()
        for path, text in text_files(repository):
            if re.search(skips, path):
                continue
            target = pathlib.Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
            if re.search(asks.encode(), text):
                found.add(path)
        files = lint(epwise, folder)
    recipes = [file for file in files if file["readable"]]
    read = {re.sub(r"#\d+$", "", file["path"]).removeprefix("./") for file in recipes}
    verdicts = collections.Counter(file["launch"]["verdict"] for file in recipes)
    severities = collections.Counter()
    rules = collections.Counter()
    for file in files:
        for finding in file["findings"]:
            severities[finding["severity"]] += 1
            rules[finding["severity"], finding["rule"]] += 1
    print(f"{name}: {len(found)} found, {len(read & found)} read, {len(read - found)} more read; {len(recipes)} recipes; "
          + ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    print("  " + ", ".join(f"{severities[kind]} {kind}s" for kind in ("error", "warning", "note")))
    for (severity, rule), count in sorted(rules.items(), key=lambda each: (each[0][0], -each[1], each[0][1])):
        print(f"    {severity:8} {count:5} {rule}")
    if listed:
        for path in sorted(found - read):
            print("  not read: " + path)
        for file in files:
            for finding in file["findings"]:
                if finding["severity"] == "error" or file["path"].removeprefix("./") not in found:
                    print(f"  {file['path']}:{finding['line']}: {finding['severity']} {finding['rule']}: {finding['message']}")


def main():
    words = [word for word in sys.argv[1:] if word != "--files"]
    if len(words) < 2:
        sys.exit(__doc__)
    epwise, mirrors, names = str(pathlib.Path(words[0]).resolve()), pathlib.Path(words[1]), words[2:]
    for name, repository, asks, skips in FRAMEWORKS:
        path = mirrors / repository / "repo"
        if names and name not in names:
            continue
        if not path.is_dir():
            print(f"{name}: skipped, there is no {repository} under {mirrors}")
            continue
        report(epwise, name, path, asks, skips, "--files" in sys.argv)


if __name__ == "__main__":
    main()
