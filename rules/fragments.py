#!/usr/bin/env python3
"""Fingerprints of the upstream lines that rules refer to → rules/tables/fragments.yaml.

    rules/fragments.py --source NVIDIA/Megatron-LM=PATH --source NVIDIA-NeMo/Megatron-Bridge=PATH [--check]

PATH is a git directory (bare or not) that holds the pinned commits and the release tags, or a plain folder with the sources
of the pinned commit (lines in releases are then left out). No upstream text is stored: hashes, numbers and names only.
--check writes nothing and exits 1 when the file is out of date.
"""
import argparse
import ast
import pathlib
import re
import subprocess
import sys

RULES = pathlib.Path(__file__).resolve().parent
OUT = RULES / "tables" / "fragments.yaml"

# Releases in which the lines of a fragment are looked up, for crash logs.
RELEASES = {
    "NVIDIA/Megatron-LM": [("mlm 0.15.3", "core_v0.15.3"), ("mlm 0.16.1", "core_v0.16.1"), ("mlm 0.17.1", "core_v0.17.1"),
                           ("mlm 0.18.2", "core_v0.18.2"), ("mlm 0.19.0", "core_v0.19.0")],
    "NVIDIA-NeMo/Megatron-Bridge": [("bridge 0.4.0", "v0.4.0"), ("bridge 0.5.0", "v0.5.0"), ("bridge 0.6.0", "v0.6.0")],
}
REFERENCE = re.compile(r"^\s*- [\"']?([\w.-]+/[\w.-]+)@(\w+) ([^\s:\"']+)(?::([\d\-,]+))?[\"']?\s*$")
LONGEST_IF = 14   # lines of an `if` that still count as the condition of the `raise` in it
CHECK_NEAR = 40   # lines between a reference and the launch checks that belong to it
MOST_GROWTH = 8   # lines around a fragment that make it unique


def fnv(text, bits):
    prime, offset = {64: (0x100000001B3, 0xCBF29CE484222325), 32: (0x01000193, 0x811C9DC5)}[bits]
    value = offset
    for byte in text.encode("utf-8"):
        value = (value ^ byte) * prime % (1 << bits)
    return f"{value:0{bits // 4}x}"


def normalised(text):
    """[(line number, line without needless blanks)] of lines that are neither blank nor comment."""
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        line = " ".join(line.split())
        if line and not line.startswith("#"):
            lines.append((number, line))
    return lines


class Sources:
    def __init__(self, places):
        self.places = places
        self.texts = {}

    def is_git(self, repository):
        place = self.places[repository]
        return (place / "objects").is_dir() or (place / ".git").exists()

    def read(self, repository, revision, path):
        key = (repository, revision, path)
        if key not in self.texts:
            self.texts[key] = self.load(*key)
        return self.texts[key]

    def load(self, repository, revision, path):
        place = self.places.get(repository)
        if place is None:
            return None
        if self.is_git(repository):
            done = subprocess.run(["git", "-C", str(place), "show", f"{revision}:{path}"], capture_output=True)
            return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
        file = place / path
        return file.read_text("utf-8", "replace") if file.is_file() else None


class Module:
    """One Python file, by its lines."""

    def __init__(self, text):
        self.lines = normalised(text)
        self.raised = None
        try:
            self.tree = ast.parse(text)
        except SyntaxError:
            self.tree = ast.Module(body=[], type_ignores=[])

    def errors(self):
        """[(line, marks)] of everything that raises."""
        if self.raised is None:
            self.raised = [(node.lineno, set(marks([node]))) for node in ast.walk(self.tree)
                           if isinstance(node, (ast.Raise, ast.Assert))]
        return self.raised

    def chain(self, first, last):
        """The statements around a range of lines, outermost first."""
        chain, body = [], self.tree
        while True:
            inner = [node for node in ast.iter_child_nodes(body)
                     if getattr(node, "lineno", None) and start_of(node) <= first and node.end_lineno >= last]
            inner = [node for node in inner if isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case))]
            if not inner:
                return chain
            chain.append(inner[0])
            body = inner[0]

    def symbol(self, chain):
        return ".".join(node.name for node in chain if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)))

    def extent(self, first, last):
        """The whole statement at these lines, with the condition when it raises."""
        chain = self.chain(first, last)
        if not chain:
            return first, last, chain
        node = chain[-1]
        if isinstance(node, ast.Raise) and len(chain) > 1 and isinstance(chain[-2], ast.If):
            outer = chain[-2]
            if outer.end_lineno - outer.lineno < LONGEST_IF:
                return outer.lineno, node.end_lineno, chain
        if getattr(node, "body", None) and first >= first_line_of_body(node):
            starts = [start_of(each) for each in ast.walk(node) if isinstance(each, ast.stmt)
                      and start_of(each) <= first <= each.end_lineno and each is not node]
            return max(starts, default=first), last, chain
        if getattr(node, "body", None):
            raised = [each for each in node.body if isinstance(each, ast.Raise)] if isinstance(node, ast.If) else []
            end = raised[0].end_lineno if raised else first_line_of_body(node) - 1
            return min(first, start_of(node)), max(last, end), chain
        return start_of(node), node.end_lineno, chain


def start_of(node):
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno] + [each.lineno for each in decorators])


def first_line_of_body(node):
    return start_of(node.body[0])


def raising(tree, first, last):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Raise, ast.Assert))
            and node.lineno <= last and node.end_lineno >= first]


def marks(nodes):
    """Hashes of what the errors say: triples of words, and single names that are unlikely elsewhere."""
    names, triples = [], []
    for node in nodes:
        said = node.msg if isinstance(node, ast.Assert) else node.exc
        for part in ast.walk(said) if said is not None else []:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                words = re.findall(r"[A-Za-z0-9_\-]+", part.value.lower())
                names += [word for word in words if len(word) >= 8 and ("_" in word or "-" in word.strip("-"))]
                triples += [" ".join(words[i:i + 3]) for i in range(len(words) - 2)]
    step = max(1, len(triples) // 8)
    chosen = list(dict.fromkeys(names))[:4] + list(dict.fromkeys(triples[::step]))[:8]
    return [fnv(each, 32) for each in chosen]


def windows(lines, wanted):
    """Numbers of the first lines of every stretch that reads like this."""
    count = len(wanted)
    return [lines[i][0] for i in range(len(lines) - count + 1)
            if lines[i][1] == wanted[0] and [line for _, line in lines[i:i + count]] == wanted]


def fingerprint(module, first, last):
    """(first line, lines) of the smallest unique stretch around a range."""
    lines = module.lines
    inside = [i for i, (number, _) in enumerate(lines) if first <= number <= last]
    inside = inside or [i for i, (number, _) in enumerate(lines) if number >= first][:1]  # a comment: what it speaks of
    if not inside:
        return None
    begin, end = inside[0], inside[-1] + 1
    for growth in range(MOST_GROWTH + 1):
        text = [line for _, line in lines[begin:end]]
        if len(windows(lines, text)) == 1 or growth == MOST_GROWTH:
            return lines[begin][0], text
        if growth % 2 == 0 and end < len(lines):
            end += 1
        elif begin > 0:
            begin -= 1
    return None


def line_in_release(sources, repository, tag, path, fragment, modules):
    text = sources.read(repository, tag, path)
    if text is None:
        return None
    module = modules.setdefault((repository, tag, path), None) or Module(text)
    modules[(repository, tag, path)] = module
    found = windows(module.lines, fragment["text"])
    if found:
        return found[0] + fragment["offset"]
    best, line = 0, None  # the error is told by what it says, too
    for number, said in module.errors() if fragment["message"] else []:
        shared = len(said & set(fragment["message"]))
        if shared > best:
            best, line = shared, number
    return line if best * 2 > len(fragment["message"]) else None


def references():
    """References of the rules, and the lines of their launch checks in the same file near by."""
    found, checks = set(), set()
    for file in sorted(RULES.rglob("*.yaml")):
        if file.parent.name in ("tables", "vocabulary", "launch"):
            continue
        text = file.read_text("utf-8")
        own = [match.groups() for match in map(REFERENCE.match, text.splitlines()) if match]
        launch = re.search(r"^launch:(.*?)^\w", text, re.M | re.S)
        places = set(map(int, re.findall(r"@(\d+)", launch[1]))) if launch else set()
        found.update(own)
        for repository, commit, path, lines in own:
            first, last = span(lines) if lines else (0, 0)
            checks.update((repository, commit, path, str(place)) for place in places
                          if lines and first - CHECK_NEAR <= place <= last + CHECK_NEAR)
    key = lambda each: tuple(part or "" for part in each)
    return [(each, False) for each in sorted(found, key=key)] + [(each, True) for each in sorted(checks - found, key=key)]


def span(lines):
    numbers = [int(number) for number in re.findall(r"\d+", lines)]
    return numbers[0], numbers[1] if len(numbers) > 1 and "-" in lines else numbers[0]


def make(sources):
    modules, rows, missing = {}, [], []
    for (repository, commit, path, lines), is_check in references():
        place = f"{repository}@{commit} {path}" + (f":{lines}" if lines else "")
        if repository not in sources.places or not lines:
            continue
        text = sources.read(repository, commit, path)
        if text is None:
            missing.append(place)
            continue
        module = modules.setdefault((repository, commit, path), None) or Module(text)
        modules[(repository, commit, path)] = module
        first, last, chain = module.extent(*span(lines))
        print_ = fingerprint(module, first, last)
        errors = raising(module.tree, first, last)
        if is_check and not errors:
            continue
        if print_ is None:
            missing.append(place)
            continue
        at = errors[-1].lineno if errors else span(lines)[0]
        fragment = {"start": print_[0], "text": print_[1], "message": marks(errors), "offset": at - print_[0]}
        seen = {}
        for label, tag in RELEASES.get(repository, []) if sources.is_git(repository) else []:
            line = line_in_release(sources, repository, tag, path, fragment, modules)
            if line is not None:
                seen[label] = line
        seen[("bridge" if repository.endswith("Bridge") else "mlm") + " head"] = at
        row = f"  - {{at: {place!r}, in: {module.symbol(chain)!r}, start: {fragment['start']}, lines: {len(fragment['text'])}, " \
              f"hash: {fnv(chr(10).join(fragment['text']), 64)!r}"
        row += ", seen: {" + ", ".join(f"{label}: {line}" for label, line in seen.items()) + "}"
        if fragment["message"]:
            row += ", message: [" + ", ".join(f"{mark!r}" for mark in fragment["message"]) + "]"
        rows.append(row + "}")
    return rows, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", default=[], metavar="OWNER/NAME=PATH", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    places = {name: pathlib.Path(path) for name, path in (each.split("=", 1) for each in options.source)}
    rows, missing = make(Sources(places))
    text = "# Generated by rules/fragments.py: fingerprints of the upstream lines that rules refer to. Don't edit.\nfragments:"
    text += "\n" + "\n".join(rows) + "\n" if rows else " []\n"
    for place in missing:
        print(f"not found: {place}", file=sys.stderr)
    if options.check:
        return 0 if OUT.is_file() and OUT.read_text("utf-8") == text else 1
    OUT.write_text(text, "utf-8")
    print(f"{len(rows)} fragments, {len(missing)} not found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
