"""Holds `--format gitlab` against what GitLab documents of Code Quality reports and does with them.

usage: gitlab_report.py EPWISE

Facts, restated from "Implement a custom tool" in GitLab's documentation (doc/ci/testing/code_quality.md), from its own schema of an entry
(app/validators/json_schemas/codeclimate.json) and from its reader (lib/gitlab/ci/reports/codequality_reports.rb):
* the report is a JSON array, without a byte order mark;
* an entry has description, check_name, fingerprint, severity, location.path (relative) and location.lines.begin (an integer);
* severity is one of info, minor, major, critical, blocker: another word is sorted behind all of them;
* reading ends at the first entry that does not fit;
* entries are kept by fingerprint: of two that share one, one is lost; a merge request shows what one branch has and the other has not.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

EPWISE = str(pathlib.Path(sys.argv[1]).resolve())
PROBLEMS: list[str] = []
BAD = "model: {num_layers: 4, tensor_model_parallel_size: 3}\ntrain: {global_batch_size: 10, micro_batch_size: 4}\n"
FILES = {
    "recipes/bad.yaml": BAD,
    "recipes/same.yaml": BAD,
    "recipes/twice.yaml": "model: {num_layers: 4}\nmodell: {a: 1}\noptimiser: {a: 1}\nloger: {a: 1}\n",
    "recipes/two.yaml": f"{BAD}---\n{BAD}",
    "recipes/odd näme.yaml": BAD,
    "broken.yaml": "model: {a: [1\n",
    "run.sh": "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --num-expert 3 --micro-batch 1 --bf16\n",
}
INPUTS = ["recipes", "run.sh", "broken.yaml", "absent.yaml", "missing.yaml", "--gpus", "8", "--min-headroom", "6GiB"]


def expect(what: str, holds: bool) -> None:
    if not holds:
        PROBLEMS.append(what)


def report(folder: pathlib.Path, *words: str) -> list[dict]:
    done = subprocess.run([EPWISE, "gate", *words, "--format", "gitlab"], cwd=folder, capture_output=True, check=False, timeout=300)
    expect(f"{words}: begins with [", done.stdout.startswith(b"["))
    entries = json.loads(done.stdout.decode("utf-8"))
    expect(f"{words}: an array", isinstance(entries, list))
    return entries


def check_entry(entry: dict, root: pathlib.Path) -> None:
    what = json.dumps(entry)[:200]
    for key in ("description", "check_name", "fingerprint"):
        expect(f"{key} of {what}", isinstance(entry.get(key), str) and entry[key].strip() != "")
    expect(f"severity of {what}", entry.get("severity") in ("info", "minor", "major", "critical", "blocker"))
    path, line = entry["location"]["path"], entry["location"]["lines"]["begin"]
    expect(f"path of {what}", not pathlib.PurePosixPath(path).is_absolute() and ".." not in pathlib.PurePosixPath(path).parts
           and "\\" not in path and not path.startswith("./"))
    expect(f"{what} names something in the checkout", (root / path).exists())
    expect(f"line of {what}", type(line) is int and line >= 1)
    if (root / path).is_file():
        expect(f"{what} has its line", line <= len((root / path).read_text().splitlines()))


def key(entry: dict) -> tuple:
    return entry["check_name"], entry["location"]["path"], entry["description"]


def by_key(entries: list[dict]) -> dict[tuple, list[str]]:
    found: dict[tuple, list[str]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry["fingerprint"])
    return found


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        for name, text in FILES.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        entries = report(root, *INPUTS)
        for entry in entries:
            check_entry(entry, root)
        prints = [entry["fingerprint"] for entry in entries]
        expect("fingerprints are unique", len(set(prints)) == len(prints) >= 8)
        expect("what was not checked is told", sum(entry["check_name"] == "not-checked" for entry in entries) == 2)
        before = by_key(entries)

        again = by_key(report(root, *reversed(INPUTS[:5]), *INPUTS[5:]))
        expect("the order of inputs changes no fingerprint", again == before)
        below = by_key(report(root / "recipes", "bad.yaml", "--gpus", "8"))
        expect("the working directory changes no fingerprint", bool(below) and below.items() <= before.items())

        for name in ("recipes/bad.yaml", "recipes/twice.yaml", "recipes/odd näme.yaml"):
            (root / name).write_text("# one\n# two\n\n" + (root / name).read_text())
        moved = report(root, *INPUTS)
        expect("moved lines change no fingerprint", by_key(moved) == before)
        lines = {(*key(entry), entry["fingerprint"]): entry["location"]["lines"]["begin"] for entry in entries}
        expect("but they change lines", any(lines[*key(entry), entry["fingerprint"]] != entry["location"]["lines"]["begin"] for entry in moved))

        (root / "absent.yaml").write_text("model: {num_layers: 4}\n")
        (root / "recipes/bad.yaml").write_text(BAD.replace("parallel_size: 3", "parallel_size: 2"))
        mended = by_key(report(root, *INPUTS))
        kept = {one: prints for one, prints in mended.items() if one in before}
        expect("what is mended takes no other finding along", kept.items() <= before.items())
        gone = {one[:2] for one in before if one not in mended}
        expect("and is gone", any(path == "recipes/bad.yaml" for _, path in gone) and ("not-checked", ".") in gone)
        expect("a clean report is an empty array", report(root, "absent.yaml", "--gpus", "8", "--select", "batch/") == [])
    for problem in PROBLEMS:
        print(problem)
    return 1 if PROBLEMS else 0


if __name__ == "__main__":
    sys.exit(main())
