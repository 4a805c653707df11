"""Many recipes in one call: the same bytes in every format for any order of arguments and any number of threads, and memory that does not
grow with their number.

usage: many.py EPWISE
"""

import os
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import many_recipes  # noqa: E402
from sampling import sanitized_share, share  # noqa: E402

FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson", "markdown")
TEMPLATE = "template={{#files}}{{path}}{{#findings}} {{line}}{{/findings}}\\n{{/files}}"
FEW, MANY = 150 // share(5), 900 // share(5)
GROWTH = 25  # MB that a run over MANY may need beyond one over FEW


def write(folder: pathlib.Path, count: int) -> list[str]:
    names = []
    for number in range(count):
        name = f"r{number % 10}/{number}.yaml"
        text = many_recipes.recipe(number, widths=3)
        if number % 11 == 0:
            text += "---\n" + text  # two documents
        if number % 13 == 0:
            text = "services: {web: {image: x}}\n"
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        names.append(name)
    (folder / "r0" / "broken.yaml").write_text("model: [\n")
    return [*names, "r0/broken.yaml", "r0/missing.yaml"]


def run(epwise: str, folder: pathlib.Path, paths: list[str], *more: str) -> tuple[int, bytes, bytes, int]:
    """Exit code, both outputs, peak memory in MB."""
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        code, _, _, peak = many_recipes.measure([epwise, "gate", *paths, "--gpus", "64", "--hw", "h100", "--skip-others", *more], folder, stdout=out,
                                                stderr=err, env={**os.environ, "EPWISE_TODAY": "2026-11-22"})
    return code, (folder / "out").read_bytes(), (folder / "err").read_bytes(), peak


def check_bytes(epwise: str, folder: pathlib.Path) -> list[str]:
    names = write(folder, FEW)
    written = [f"--format={name}={name}.txt" for name in FORMATS]
    seen = None
    problems = []
    order = random.Random(1)
    for threads in ("1", "2", "7"):
        paths = names[:]
        if threads != "1":
            order.shuffle(paths)
        code, out, err, _ = run(epwise, folder, paths, "-j", threads, "--format", TEMPLATE, *written)
        now = {"exit": code, "out": out, "err": err, **{name: (folder / f"{name}.txt").read_bytes() for name in FORMATS}}
        if seen is None:
            seen = now
            empty = [name for name, text in now.items() if name not in ("exit", "err") and not text]
            problems += [f"nothing in {name}" for name in empty]
            if code != 3:
                problems.append(f"exit {code}, not 3: {err.decode()[:500]}")
        problems += [f"{name} differs with {threads} threads" for name in now if now[name] != seen[name]]
    return problems


def check_memory(epwise: str, top: pathlib.Path) -> list[str]:
    peaks = {}
    for count in (FEW, MANY):
        folder = top / str(count)
        folder.mkdir()
        write(folder, count)
        peaks[count] = max(run(epwise, folder, ["."], "-j", "2", "--format", f"{name}=x")[3] for name in ("json", "concise"))
    print(f"{peaks[FEW]} MB for {FEW} recipes, {peaks[MANY]} MB for {MANY}")
    return [] if peaks[MANY] <= peaks[FEW] + GROWTH else [f"memory grows with the number of recipes: {peaks}"]


def main() -> int:
    epwise = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top) / "bytes"
        folder.mkdir()
        problems = check_bytes(epwise, folder)
        if sanitized_share(2) == 1:  # the sanitizers keep what was freed
            problems += check_memory(epwise, pathlib.Path(top))
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
