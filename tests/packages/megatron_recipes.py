"""epwise.lint on the containers of Megatron-Bridge: says what `epwise lint` says of their own YAML dump.

    PYTHONPATH=WHEEL VENV/bin/python megatron_recipes.py [CORPUS] [--all]      in the virtual environment of the oracle (tests/README.md)

Nothing of the recipes is run on a GPU, and what they would download is not there: those that need it are counted. Without --all
only some of the packages that work so are visited. CORPUS: dumps of recipes (tests/README.md), which are compared too.
"""

import collections
import importlib
import itertools
import json
import os
import pathlib
import sys
import tempfile
import time

SOURCES = ("bridge-0.6.2", "mcore-0.19.2")
LAUNCH = pathlib.Path(__file__).resolve().parents[1] / "oracle/launch"
HOME = pathlib.Path(os.environ.get("EPWISE_ORACLE") or pathlib.Path.home() / ".cache/epwise-oracle").absolute()
TARGET = {"hw": "h100", "gpus": 64, "stack": "bridge=0.6.2,te=2.14.0,torch=2.9.1"}
PACKAGES = ("megatron.bridge.recipes.nemotronh", "megatron.bridge.recipes.olmoe")
DUMPS = 6


def enter(argv):
    """Starts this file again with the sources in front and nothing that looks at the network."""
    folders = [str(HOME / "src" / name) for name in SOURCES]
    if not all(map(os.path.isdir, folders)):
        sys.exit(f"megatron_recipes: skipped: {' or '.join(folders)} is missing")
    more = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "TORCHDYNAMO_DISABLE": "1",
            "PYTHONPATH": os.pathsep.join([*folders, os.environ["PYTHONPATH"], str(LAUNCH)]), "EPWISE_INSIDE": "1",
            "WORLD_SIZE": "8", "RANK": "0", "LOCAL_RANK": "0"}
    os.execve(sys.executable, [sys.executable, *argv], {**os.environ, **more})


def told(document):
    (file,) = document["files"]
    findings = [(each["rule"], each["severity"], each["message"], each["pointer"]) for each in file["findings"]]
    return sorted(map(str, findings)), file["launch"], file["effective"], file["open"]


def compare(container, folder):
    """Whether both say the same; a sentence where not."""
    import epwise

    ours = epwise.lint(container, **TARGET, configuration="none").data
    path = folder / "dump.yaml"
    container.to_yaml(str(path))
    # Megatron-Bridge can't read its own dump of a set; in memory one is no trouble.
    path.write_text(path.read_text().replace("!!set {}", "[]"))
    theirs = epwise.lint(path, **TARGET, configuration="none").data
    for name, mine, other in zip(("findings", "launch", "effective", "open"), told(ours), told(theirs)):
        if mine != other:
            return f"{name}: {[each for each in mine if each not in other][:3]} instead of {[each for each in other if each not in mine][:3]}"
    return ""


def containers(bases):
    """Recipes that need no network, and dumps read back by Megatron-Bridge itself."""
    from epwise._discovery import module_names, recipe_functions

    time.sleep = lambda seconds: None  # upstream waits between tries to reach the network, which there is none of
    counts = collections.Counter()
    packages = ("megatron.bridge.recipes",) if "--all" in sys.argv else PACKAGES
    for name in itertools.chain.from_iterable(map(module_names, packages)):
        try:
            module = importlib.import_module(name)
        except Exception:
            counts["modules that can't be imported here"] += 1
            continue
        for function in recipe_functions(module):
            try:
                yield f"{name}.{function.__name__}", function()
                counts["recipes"] += 1
            except Exception:
                counts["recipes that need more than Python here"] += 1
    import bridge as oracle

    dumps = sorted((bases / "bridge/0.6.2").glob("*.yaml")) if bases else []
    for path in dumps[:: max(1, len(dumps) // DUMPS)]:
        yield path.name, oracle.load(oracle.read(str(path)))
        counts["dumps"] += 1
    print("megatron_recipes:", ", ".join(f"{count} {name}" for name, count in counts.items()), file=sys.__stdout__)


def main(argv):
    if not os.environ.get("EPWISE_INSIDE"):
        enter(argv)
    import bridge as oracle

    sys.stdout = open(os.devnull, "w")  # upstream prints while it is imported
    oracle.start("0.6.2", ())
    compared, differ = 0, []
    corpus = next((pathlib.Path(word) for word in argv[1:] if not word.startswith("--")), None)
    with tempfile.TemporaryDirectory() as folder:
        for name, container in containers(corpus):
            difference = compare(container, pathlib.Path(folder))
            compared += 1
            if difference:
                differ.append(f"{name}: {difference}")
    for line in differ[:20]:
        print("megatron_recipes:", line[:600], file=sys.__stdout__)
    print(f"megatron_recipes: {compared - len(differ)} of {compared} say the same as their dumps", file=sys.__stdout__)
    return int(bool(differ) or compared < DUMPS)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
