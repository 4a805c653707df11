"""Holds our own files and outputs against the schemas that `epwise schema` prints, and further formats against theirs.

usage: own_files.py EPWISE

Every schema must also refuse something. 77: Python's jsonschema or yaml is missing.
"""

import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from evidence import EVIDENCE  # noqa: E402
from sampling import complete, share  # noqa: E402

CORPUS = EVIDENCE / "corpus"
EPWISE = str(pathlib.Path(sys.argv[1]).resolve())
PROBLEMS: list[str] = []
XMLLINT = shutil.which("xmllint")
if XMLLINT is None:
    print("xmllint is not installed: JUnit reports are parsed, and not held against junit.xsd")

# What GitLab and reviewdog document of their formats, as far as a report of ours goes.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "not": {"pattern": "^(/|\\./)"}},
                    "lines": {"type": "object", "required": ["begin"],
                              "properties": {"begin": {"type": "integer", "minimum": 1}}}}}}}}
POSITION = {"type": "object", "required": ["line"], "additionalProperties": False,
            "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}}}
RANGE = {"type": "object", "required": ["start"], "additionalProperties": False,
         "properties": {"start": POSITION, "end": POSITION}}
RDJSON = {
    "type": "object",
    "required": ["diagnostics"],
    "additionalProperties": False,
    "properties": {
        "source": {"type": "object", "properties": {"name": {"type": "string"}, "url": {"type": "string"}}},
        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message", "location"],
                "additionalProperties": False,
                "properties": {
                    "message": {"type": "string"},
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": {"type": "object", "required": ["value"], "additionalProperties": False,
                             "properties": {"value": {"type": "string"}, "url": {"type": "string"}}},
                    "location": {"type": "object", "required": ["path"], "additionalProperties": False,
                                 "properties": {"path": {"type": "string"}, "range": RANGE}},
                    "suggestions": {"type": "array", "items": {
                        "type": "object", "required": ["range", "text"], "additionalProperties": False,
                        "properties": {"range": RANGE, "text": {"type": "string"}}}}}}}}}

# One of each: nothing found, something, much, odd letters, no position, accepted, undecided, unreadable.
INPUTS = {
    "clean.yaml": "model: {num_layers: 4}\n",
    "bad.yaml": "model: {num_layers: 4, tensor_model_parallel_size: 3}\ntrain: {global_batch_size: 10, micro_batch_size: 4}\n",
    "odd.yaml": "model: {num_layers: 4, tensor_model_parallel_size: 3}\nlogger: {wandb_exp_name: \"<é&\\u0001>\"}\nmodell: {a: 1}\n",
    "accepted.yaml": "# epwise: ignore-file[shape/world-size]: <it> & \"that\"\nmodel: {num_layers: 4, tensor_model_parallel_size: 3}\n",
    "broken.yaml": "model: {a: [1\n",
    "none.yaml": "",
    "bytes.yaml": b"model: {num_layers: 4, tensor_model_parallel_size: 3}\nlogger: {wandb_exp_name: \"\xff\xfe\"}\n",
    "run.sh": "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-experts 3 --bf16\n",
}


def run(folder: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([EPWISE, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)


CHECKED: set[str] = set()


def schema(*words: str) -> dict:
    found = json.loads(subprocess.run([EPWISE, "schema", *words], capture_output=True, text=True, check=True).stdout)
    # The schemas of recipes take seconds each and differ by little: a share holds the first of a name against the schema of schemas.
    if complete() or words[0] not in CHECKED:
        jsonschema.Draft202012Validator.check_schema(found)
        CHECKED.add(words[0])
    return found


def check(what: str, value: object, by: dict) -> None:
    errors = list(jsonschema.Draft202012Validator(by).iter_errors(value))
    if errors:
        first = errors[0]
        PROBLEMS.append(f"{what}: {'/'.join(map(str, first.absolute_path))}: {first.message[:200]}")


def must_fail(what: str, value: object, by: dict) -> None:
    if jsonschema.Draft202012Validator(by).is_valid(value):
        PROBLEMS.append(f"{what} is accepted")


def texts(node: object) -> object:
    """YAML as a loader of texts sees it: dates are texts."""
    if isinstance(node, dict):
        return {str(key): texts(value) for key, value in node.items()}
    if isinstance(node, list):
        return [texts(item) for item in node]
    return node if isinstance(node, (str, int, float, bool)) or node is None else str(node)


def check_rules() -> None:
    by = schema("rule")
    files = [path for path in sorted(ROOT.glob("rules/*/*.yaml"))[:: share(18)]
             if path.parent.name not in ("vocabulary", "tables", "launch", "history")]
    for path in files:
        check(str(path.relative_to(ROOT)), texts(yaml.load(path.read_text(), yaml.CSafeLoader)), by)
    rule = texts(yaml.load(files[0].read_text(), yaml.CSafeLoader))
    for key, value in (("severity", "fatal"), ("colour", "red"), ("code", "x")):
        must_fail(f"a rule with {key}: {value}", {**rule, key: value}, by)
    print(f"{len(files)} rules")


def check_profiles() -> None:
    by = schema("profile")
    files = sorted(ROOT.glob("hwprofiles/*.yaml"))
    for path in files:
        check(str(path.relative_to(ROOT)), texts(yaml.load(path.read_text(), yaml.CSafeLoader)), by)
    must_fail("a profile without numbers", {"name": "x", "title": "X", "architecture": "X", "sources": {}}, by)
    print(f"{len(files)} profiles")


def check_config() -> None:
    by = schema("config")
    for path in ROOT.glob("examples/**/.epwise.yaml"):
        check(str(path.relative_to(ROOT)), texts(yaml.load(path.read_text(), yaml.CSafeLoader)), by)
    check("a configuration", {"hw": "h100", "gpus": 8, "stack": {"te": "2.14.0"},
                              "targets": [{"name": "x", "gpus": 16}], "fail_on": "warning",
                              "extend_select": ["memory/"], "extend_ignore": "EPO001"}, by)
    for wrong in ({"gpsu": 8}, {"targets": [{"gpus": 8}]}, {"fail_on": "all"}):
        must_fail(str(wrong), wrong, by)


def check_outputs(folder: str) -> None:
    options = ["--gpus", "8", "--baseline", "known.yaml", "--min-headroom", "6GiB", "--receipt", "receipt.json"]
    written = run(folder, "baseline", "write", "known.yaml", "bad.yaml", "--gpus", "8", "--reason", "a \"reason\"")
    assert written.returncode == 0, written.stderr
    known = yaml.safe_load((pathlib.Path(folder) / "known.yaml").read_text())
    check("known.yaml", known, schema("baseline"))
    must_fail("a baseline without version", {"findings": []}, schema("baseline"))
    for inputs in ([], ["clean.yaml"], ["bad.yaml", "clean.yaml"], ["."], ["missing.yaml", "odd.yaml"]):
        outputs = {}
        for name in ("json", "gitlab", "rdjson", "junit", "markdown"):
            outputs[name] = run(folder, "gate", *inputs, *options, "--format", name).stdout
        what = " ".join(inputs) or "nothing"
        check(f"json of {what}", json.loads(outputs["json"]), schema("lint"))
        check(f"gitlab of {what}", json.loads(outputs["gitlab"]), GITLAB)
        check(f"rdjson of {what}", json.loads(outputs["rdjson"]), RDJSON)
        check_junit(what, outputs["junit"])
        if not outputs["markdown"].startswith("### epwise: "):
            PROBLEMS.append(f"markdown of {what}")
        check(f"receipt of {what}", json.loads((pathlib.Path(folder) / "receipt.json").read_text()), schema("receipt"))
    whole = json.loads(run(folder, "gate", *options, "--format", "json").stdout)
    assert any(file["findings"] for file in whole["files"]) and any("accepted" in file for file in whole["files"])
    broken = copy.deepcopy(whole)
    broken["files"][0]["launch"]["verdict"] = "perhaps"
    must_fail("another verdict", broken, schema("lint"))


def check_diffs(folder: str) -> None:
    place = pathlib.Path(folder)
    by = schema("diff")
    text = (ROOT / "tests/cli/diff-coupled.scenario").read_text()
    for name, end in (("old.yaml", "--- new.yaml"), ("new.yaml", "--- stdout")):
        (place / name).write_text(text.split(f"--- {name}\n")[1].split(end)[0])
    target = ["--hw", "h100", "--gpus", "64", "--stack", "bridge=0.6.2,te=2.14.0,torch=2.9.1", "--format", "json"]
    whole = json.loads(run(folder, "diff", "old.yaml", "new.yaml", *target).stdout)
    assert whole["wanted"] and whole["stopped"]["after"] and whole["predicted"] is None, whole
    check("a diff with a side that would not start", whole, by)
    (place / "larger.yaml").write_text((place / "old.yaml").read_text().replace("micro_batch_size: 1", "micro_batch_size: 2"))
    predicted = json.loads(run(folder, "diff", "old.yaml", "larger.yaml", *target).stdout)
    assert predicted["predicted"]["step_time_ratio"], predicted
    check("a diff with a prediction", predicted, by)
    check("a diff without a prediction", json.loads(run(folder, "diff", "clean.yaml", "bad.yaml", "--format", "json").stdout), by)
    check("several", {"schema": "epwise.diffs/1", "recipes": [whole, {"schema": "epwise.diff/1", "path": "a.yaml", "only": "removed", "introduced": [],
                                                                              "stopped": None, "named_by": ["run.sh"]}]}, by)
    whole["changed"][0]["effect"] = "none"
    must_fail("another effect", whole, by)


def check_junit(what: str, text: str) -> None:
    if XMLLINT is not None:
        by = pathlib.Path(__file__).parent / "junit.xsd"
        done = subprocess.run([XMLLINT, "--noout", "--schema", str(by), "-"], input=text.encode(), capture_output=True, check=False)
        if done.returncode != 0:
            PROBLEMS.append(f"junit of {what}: {done.stderr.decode(errors='replace')[:300]}")
        wrong = text.replace("<testcase ", "<testcase colour=\"red\" ", 1)
        done = subprocess.run([XMLLINT, "--noout", "--schema", str(by), "-"], input=wrong.encode(), capture_output=True, check=False)
        if wrong != text and done.returncode == 0:
            PROBLEMS.append("junit.xsd accepts an unknown attribute")
    suites = ElementTree.fromstring(text)
    for suite in suites.iter("testsuite"):
        cases = suite.findall("testcase")
        counted = (len(cases), sum(case.find("failure") is not None for case in cases),
                   sum(case.find("error") is not None for case in cases))
        if counted != tuple(int(suite.get(name)) for name in ("tests", "failures", "errors")):
            PROBLEMS.append(f"junit of {what}: {counted}")
        for case in cases:
            if not case.get("name") or not case.get("classname"):
                PROBLEMS.append(f"junit of {what}: a case without name")


def check_recipe() -> None:
    by = schema("recipe")
    good = {"model": {"num_layers": 4, "moe_token_dispatcher_type": "flex"}, "train": {"global_batch_size": 8}}
    check("a recipe", good, by)
    for path in ROOT.glob("examples/*.yaml"):
        check(path.name, texts(yaml.load(path.read_text(), yaml.CSafeLoader)), by)
    check("fields of a class of the user's own", {"model": {"_target_": "my.Provider", "mine": 3}, "mine": {"_target_": "my.Section"}}, by)
    bridge = by["else"]["properties"]
    for wrong in ({"model": {"num_layer": 4}}, {"model": {"num_layers": "four"}}, {"modl": {"num_layers": 4}},
                  {"model": {"moe_token_dispatcher_type": "alltoal"}}, {"model": {"bf16": "yes please"}},
                  {"model": {"_target_": bridge["model"]["if"]["properties"]["_target_"]["not"]["enum"][0], "num_layer": 4}}):
        must_fail(str(wrong), wrong, by)
    check_dumps()


def check_dumps() -> None:
    """Every configuration that upstream ships fits the schema of its release."""
    folders = [("bridge", path.name, path) for path in sorted(CORPUS.glob("bridge/*"))]
    folders += [("mlm", "head", CORPUS / name) for name in ("megatron-lm", "modelzoo") if (CORPUS / name).is_dir()]
    if not folders:
        print(f"no data at {CORPUS}: the schema of recipes is held against our own examples alone")
    for framework, version, folder in folders:
        by = jsonschema.Draft202012Validator(schema("recipe", "--stack", f"{framework}={version}"))
        for path in sorted(folder.glob("*.yaml"))[:: share(18)]:
            first = next(by.iter_errors(texts(yaml.load(path.read_text(), yaml.CSafeLoader))), None)
            if first is not None:
                PROBLEMS.append(f"{path.name} ({version}): {'/'.join(map(str, first.absolute_path))}: {first.message[-200:]}")


def main() -> int:
    check_rules()
    check_profiles()
    check_config()
    check_recipe()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in INPUTS.items():
            (pathlib.Path(folder) / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        check_outputs(folder)
        check_diffs(folder)
    for problem in PROBLEMS:
        print(problem)
    return 1 if PROBLEMS else 0


if __name__ == "__main__":
    sys.exit(main())
