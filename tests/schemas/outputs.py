"""Holds what every command prints as JSON against the schema that `epwise schema` prints for it.

usage: outputs.py EPWISE

The sessions (sessions.py) are those of tests/cli once more as JSON, others, and recipes of the corpus (tests/README.md) if it is there. Two ways of
drifting apart show: a member that no schema has fails there and then, and one that no output has any more is missed at the end of a complete
run. Each member that is seen is also renamed and taken away, which the schema has to notice. A share of the sessions and of the members
runs unless all are asked for (support/sampling.py). 77: Python's jsonschema or yaml is missing.
"""

import concurrent.futures
import copy
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sessions  # noqa: E402
from sampling import share  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
EPWISE = str(pathlib.Path(sys.argv[1]).resolve())
PROBLEMS: list[str] = []

# What is spoken between processes of epwise or written by hand, and no output.
NO_OUTPUT = {"epwise.ranks/1", "epwise.replay/1"}
# Files of ours without a `schema` in them.
FILES = {"baseline", "config", "profile", "recipe", "rule"}
# What an output may hold and these sessions can't bring about: it takes a GPU or a job, or nobody knows a recipe that leads to it.
UNSEEN = {
    "advise: plan/obstacle",
    "calibration: /fits/[]/flags",
    "doctor: /devices/[]/compute_capability",
    "doctor: /devices/[]/name",
    "doctor: /gpus|1/count",
    "doctor: /gpus|1/where",
    "doctor: /hw|1/name",
    "doctor: /hw|1/where",
    "lint: value|3/crash",
    "why: trace/raises",
}


def schemas() -> dict[str, dict]:
    names = subprocess.run([EPWISE, "schema"], capture_output=True, text=True, check=True).stdout.split()
    found = {}
    for number, name in enumerate(names):
        text = subprocess.run([EPWISE, "schema", name], capture_output=True, text=True, check=True).stdout
        found[name] = json.loads(text)
        if number % share(24) == 0:
            jsonschema.Draft202012Validator.check_schema(found[name])
        if not text.startswith('{\n  "$schema"'):
            PROBLEMS.append(f"epwise schema {name} is not indented by two")
    return found


def open_objects(node: object, path: str = "") -> list[str]:
    """Places whose objects may hold anything."""
    if isinstance(node, list):
        return [place for i, item in enumerate(node) for place in open_objects(item, f"{path}/{i}")]
    if not isinstance(node, dict):
        return []
    found = [path] if node.get("type") == "object" and "additionalProperties" not in node else []
    return found + [place for key, item in node.items() if key not in ("allOf", "enum", "const")
                    for place in open_objects(item, f"{path}/{key}")]


def ids_of(schema: dict) -> set[str]:
    return set(re.findall(r'"const": "(epwise\.[a-z-]+/\d+)"', json.dumps(schema)))


class Schema:
    """One schema; `visit` walks an output along it and remembers which members it saw."""

    def __init__(self, name: str, schema: dict):
        self.name, self.root = name, schema
        self.validator = jsonschema.Draft202012Validator(schema)
        self.members: dict[str, tuple] = {}  # by its place in the schema: a document, the way to its object, the key, whether required

    def resolved(self, node: dict, place: str) -> tuple[dict, str]:
        while "$ref" in node:
            place = node["$ref"].removeprefix("#/$defs/")
            node = self.root["$defs"][place]
        return node, place

    def fits(self, node: dict, value: object) -> bool:
        return jsonschema.Draft202012Validator({**node, "$defs": self.root.get("$defs", {})}).is_valid(value)

    def visit(self, document: object, value: object, node: dict, place: str, way: tuple) -> None:
        node, place = self.resolved(node, place)
        for i, choice in enumerate(node.get("oneOf", [])):
            if self.fits(choice, value):
                return self.visit(document, value, choice, f"{place}|{i}", way)
        if isinstance(value, dict):
            for key, below in value.items():
                known = node.get("properties", {}).get(key)
                if known is None:
                    known = node.get("additionalProperties")
                    if isinstance(known, dict):
                        self.visit(document, below, known, f"{place}/*", (*way, key))
                    continue
                self.members.setdefault(f"{place}/{key}", (document, way, key, key in node.get("required", [])))
                self.visit(document, below, known, f"{place}/{key}", (*way, key))
        elif isinstance(value, list) and isinstance(node.get("items"), dict):
            for i, below in enumerate(value):
                self.visit(document, below, node["items"], f"{place}/[]", (*way, i))
        return None

    def all_members(self) -> set[str]:
        found: set[str] = set()

        def walk(node: dict, place: str, open_defs: tuple) -> None:
            node, resolved = self.resolved(node, place)
            if resolved != place:
                if resolved in open_defs:
                    return
                open_defs, place = (*open_defs, resolved), resolved
            for i, choice in enumerate(node.get("oneOf", [])):
                walk(choice, f"{place}|{i}", open_defs)
            for key, below in node.get("properties", {}).items():
                found.add(f"{place}/{key}")
                walk(below, f"{place}/{key}", open_defs)
            for key in ("items", "additionalProperties"):
                if isinstance(node.get(key), dict):
                    walk(node[key], f"{place}/[]" if key == "items" else f"{place}/*", open_defs)

        walk(self.root, "", ())
        return found

    def mutate(self) -> int:
        """Every member that was seen, renamed and taken away."""
        count = 0
        for place, (document, way, key, required) in list(self.members.items())[:: share(54)]:
            for renamed in (True, False):
                if not renamed and not required:
                    continue
                changed = copy.deepcopy(document)
                node = changed
                for step in way:
                    node = node[step]
                value = node.pop(key)
                if renamed:
                    node[f"{key}_"] = value
                count += 1
                if self.validator.is_valid(changed):
                    PROBLEMS.append(f"{self.name}: {place} {'renamed' if renamed else 'taken away'} is accepted")
        return count


def documents(words: list[str], done: subprocess.CompletedProcess) -> list[object]:
    if not done.stdout.strip():
        return []
    if "--batch" in words:
        return [json.loads(line) for line in done.stdout.splitlines()]
    found = json.loads(done.stdout)
    second = done.stdout.split("\n", 2)[1]
    if words[0] not in ("lint", "gate") and not re.match(r'  "\w+": |\}?$', second):
        PROBLEMS.append(f"{shlex.join(words)} is not indented by two: {second[:40]!r}")
    return [found]


def play_all(folder: pathlib.Path) -> list[tuple[str, list[object]]]:
    """(what was asked, what came back); files that epwise writes are documents, too."""

    def ask(job: tuple) -> tuple[str, list[object]]:
        place, words, standard_input = job
        done = sessions.play(EPWISE, place, words, standard_input)
        what = f"epwise {shlex.join(words)} ({place.name})"
        if done.returncode not in (0, 1, 2, 3, 4):
            PROBLEMS.append(f"{what}: exit {done.returncode}: {done.stderr[:300]}")
        if done.returncode in (0, 1) and not done.stdout.strip() and not done.stderr.strip():
            PROBLEMS.append(f"{what}: says nothing")
        try:
            return what, documents(words, done)
        except json.JSONDecodeError as error:
            PROBLEMS.append(f"{what}: no JSON ({error}): {done.stdout[:100]!r}")
            return what, []

    jobs = sessions.jobs(EPWISE, folder)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(ask, jobs[:: share(3)]))
    receipt = folder / "own/r.json"
    if receipt.exists() or share(2) == 1:
        answers.append(("a receipt", [json.loads(receipt.read_text())]))
    for path in sorted((folder / "own").glob("*.cal")):
        answers.append((path.name, [plain(yaml.load(path.read_text(), yaml.CSafeLoader))]))
    return answers


def plain(node: object) -> object:
    """A date in YAML is a text to us."""
    if isinstance(node, dict):
        return {str(key): plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [plain(item) for item in node]
    return node if isinstance(node, (str, int, float, bool)) or node is None else str(node)


def main() -> int:
    found = schemas()
    by_id: dict[str, Schema] = {}
    for name, schema in found.items():
        if name == "recipe":
            continue
        PROBLEMS.extend(f"schema {name}: {place or 'its top'} is open" for place in open_objects(schema))
        kept = Schema(name, schema)
        if name not in FILES and not ids_of(schema):
            PROBLEMS.append(f"schema {name} names no form")
        by_id.update((form, kept) for form in ids_of(schema))
    spoken = set()
    for path in [*ROOT.glob("src/**/*.cc"), *ROOT.glob("src/**/*.h")]:
        spoken |= set(re.findall(r"\bepwise\.[a-z-]+/\d\b", path.read_text()))
    PROBLEMS.extend(f"{form} has no schema" for form in sorted(spoken - NO_OUTPUT - set(by_id)))
    PROBLEMS.extend(f"nothing prints {form}" for form in sorted(set(by_id) - spoken))

    with tempfile.TemporaryDirectory() as folder:
        answers = play_all(pathlib.Path(folder))
    count = 0
    for what, values in sorted(answers, key=lambda answer: sum(len(json.dumps(value)) for value in answer[1])):
        for value in values:
            count += 1
            form = by_id.get(value.get("schema")) if isinstance(value, dict) else None
            if form is None:
                PROBLEMS.append(f"{what}: prints something without a schema: {json.dumps(value)[:80]}")
                continue
            errors = sorted(form.validator.iter_errors(value), key=lambda error: len(error.absolute_path))
            if errors:
                first = jsonschema.exceptions.best_match(errors)
                PROBLEMS.append(f"{what}: {'/'.join(map(str, first.absolute_path))}: {first.message[:300]}")
            else:
                form.visit(value, value, form.root, "", ())
    changes = 0
    for form in {id(each): each for each in by_id.values()}.values():
        changes += form.mutate()
        if share(2) == 1:  # a share of the sessions cannot show every member
            missed = {f"{form.name}: {place}" for place in form.all_members() - set(form.members)}
            PROBLEMS.extend(f"no output has {place}" for place in sorted(missed - UNSEEN))
    print(f"{count} outputs of {len(answers)} sessions, {changes} changes to them")
    for problem in PROBLEMS:
        print(problem)
    return 1 if PROBLEMS else 0


if __name__ == "__main__":
    sys.exit(main())
