"""epwise.lint says what the command says of the same recipe."""

import argparse
import dataclasses
import enum
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import threading
import time

import epwise
import pytest
import yaml
from epwise import _core, _tree, _yaml

ROOT = pathlib.Path(__file__).parents[3]
TARGET = {"hw": "gb200", "gpus": 64, "stack": {"bridge": "0.6.2", "te": "2.14.0", "torch": "2.9.1"}}
OPTIONS = ["--hw", "gb200", "--gpus", "64", "--stack", "bridge=0.6.2,te=2.14.0,torch=2.9.1"]

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sample_recipes import ConfigContainer, Model, Train  # noqa: E402


def command(*words, cwd=None):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        [os.environ["EPWISE_BINARY"], "lint", *words], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def told(findings):
    return [(each["rule"], each["severity"], each["message"], each["pointer"]) for each in findings]


def recipes():
    yield yaml.safe_load((ROOT / "examples/first_look.yaml").read_text())
    yield ConfigContainer()
    yield ConfigContainer(model=Model(expert_model_parallel_size=7), train=Train(global_batch_size=1000))
    yield {"MODEL_ARGS": {"--num-layers": 4, "--num-experts": 8, "--moe-router-topk": 16}}
    yield {"model": {"num_layers": "four", "moe_token_dispatcher_typ": "alltoall"}}
    yield argparse.Namespace(num_layers=4, num_experts=64, expert_model_parallel_size=7)


@pytest.mark.parametrize("recipe", list(recipes()))
def test_the_document_is_the_commands(recipe, tmp_path):
    report = epwise.lint(recipe, **TARGET, name="recipe.yaml", configuration="none")
    (tmp_path / "recipe.yaml").write_text(report.text)
    words = ["recipe.yaml", *OPTIONS, "--config", "none"]
    assert report.data == json.loads(command(*words, "--format", "json", cwd=tmp_path))
    assert str(report) == command(*words, "--format", "full", cwd=tmp_path)
    assert report.findings and report.exit_code == report.data["summary"]["exit_code"]


def test_a_tree_says_what_its_file_says():
    path = ROOT / "examples/first_look.yaml"
    report = epwise.lint(yaml.safe_load(path.read_text()), **TARGET, configuration="none")
    file = json.loads(command(str(path), *OPTIONS, "--config", "none", "--format", "json"))["files"][0]
    assert sorted(told(report.data["files"][0]["findings"])) == sorted(told(file["findings"]))
    assert report.verdict == file["launch"]["verdict"] == "rejects"
    assert list(report.effective) == file["effective"]
    (batch,) = [finding for finding in report.errors if finding.code == "PAR019"]
    assert (batch.field, batch.severity) == ("train.global_batch_size", "error")
    assert report.text.splitlines()[batch.line - 1].strip() == "global_batch_size: 1000"
    assert {fix.tier for fix in batch.fixes} == {"training"}
    assert batch.fixes[0].edits[0].field == "train.global_batch_size"


def test_a_namespace_says_what_its_flags_say():
    flags = {
        "num_layers": 8, "hidden_size": 1024, "num_attention_heads": 16, "seq_length": 2048, "max_position_embeddings": 2048,
        "micro_batch_size": 1, "global_batch_size": 100, "num_experts": 64, "moe_router_topk": 8, "lr": 1e-05,
        "expert_model_parallel_size": 7, "moe_layer_freq": [0, 1, 1, 1, 1, 1, 1, 1], "moe_grouped_gemm": True,
        "recompute_modules": ["moe_act", "layernorm"], "add_bias_linear": False, "mock_data": True, "swiglu": False,
    }
    words = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if name == "recompute_modules":
            words += [flag, *value]
        elif name == "add_bias_linear":
            words += ["--disable-bias-linear"]
        elif value is not False:
            words += [flag] if value is True else [flag, str(value).replace(" ", "")]
    report = epwise.lint(argparse.Namespace(**flags, rank=3), hw="h100", gpus=64, stack="mlm=0.19.0", configuration="none")
    file = json.loads(
        command("--hw", "h100", "--gpus", "64", "--stack", "mlm=0.19.0", "--config", "none", "--format", "json", "--", *words)
    )["files"][0]
    short = lambda findings: sorted((each["rule"], each["message"]) for each in findings)
    assert short(report.data["files"][0]["findings"]) == short(file["findings"])
    assert report.data["files"][0]["launch"] == file["launch"]
    assert report.left_out == ("rank",)
    assert "swiglu" not in report.text
    by_name = epwise.lint(flags, hw="h100", gpus=64, stack="mlm=0.19.0", configuration="none", framework="mlm")
    assert by_name.text == report.text


def test_defaults_of_a_parser_are_not_written_down():
    defaults = {row["attribute"]: row["default"] for row in _core.flags("0.19.0") if "default" in row and not row["required"]}
    assert len(defaults) > 500
    report = epwise.lint(argparse.Namespace(**defaults), stack="mlm=0.19.0", configuration="none")
    assert report.text == "MODEL_ARGS: {}\n"


class Kind(enum.Enum):
    first = 1


class Fabric:
    def to_cfg_dict(self):
        return {"_target_": "megatron.x.Fabric", "width": 3}


def test_values_that_are_no_trees():
    tree = _tree.tree_of({"kind": Kind.first, "part": functools.partial(math.pow, 2), "call": math.prod, "of": Fabric(), 3: (1,)})
    assert tree["kind"] == {"_target_": "test_lint.Kind", "_call_": True, "_args_": [1], "_name_": "first"}
    assert tree["part"] == {"_target_": "math.pow", "_partial_": True, "_args_": [2]}
    assert tree["call"] == {"_target_": "math.prod", "_call_": False}
    assert tree["of"] == {"_target_": "megatron.x.Fabric", "width": 3}
    assert tree[3] == [1]
    circle = {}
    circle["circle"] = circle
    with pytest.raises(ValueError, match="contains itself"):
        _tree.tree_of(circle)


def test_text_reads_back_as_the_same_tree():
    tree = {
        "text": ["plain", "yes", "No", "null", "1", "1e5", "", " a", "a: b", "#", "-", "Zürich", "\n\t\\\"", "\u2028", "😀", "--flag"],
        "numbers": [0, -3, 1e-05, 1e22, 0.1, 12345678901234567890, math.inf, -math.inf],
        "deep": {"list": [[1, [2, {}]], [], {"a": 1, "b": [3]}, {"c": {"d": None}}], "true": True, "none": None},
        7: "seven",
    }
    assert yaml.safe_load(_yaml.yaml_of(tree)) == tree
    assert math.isnan(yaml.safe_load(_yaml.yaml_of({"x": math.nan}))["x"])


def test_what_is_wrong_with_the_call_is_an_exception():
    with pytest.raises(epwise.UsageError, match="did you mean `h100`"):
        epwise.lint({"model": {}}, hw="h10")
    with pytest.raises(ValueError):
        epwise.lint({"model": {}}, select="nonsense/rule")
    for thing in (3, None, b"", [], ConfigContainer, object()):
        with pytest.raises(TypeError):
            epwise.lint(thing)
    with pytest.raises(TypeError, match="unexpected keyword argument 'hardware'"):
        epwise.lint({"model": {}}, hardware="h100")
    with pytest.raises(epwise.Error, match="cannot read none.yaml"):
        epwise.lint("none.yaml")
    with pytest.raises(epwise.UsageError, match="gpus takes a number"):
        epwise.lint({"model": {}}, gpus="many")


def test_variables_of_the_shell_do_not_count(monkeypatch):
    monkeypatch.setenv("EPWISE_FIX", "training")
    monkeypatch.setenv("EPWISE_HW", "nonsense")
    assert epwise.lint({"model": {"num_layers": 4}}).framework == "bridge"


def test_other_threads_run_meanwhile():
    big = {"model": {"num_layers": 4}, "dataset": {"dataset_kwargs": {f"key_{i}": "x" * 40 for i in range(20000)}}}
    recipe = _core.Recipe("big", _yaml.yaml_of(big).encode(), [])
    worker = threading.Thread(target=_core.lint, args=(recipe, _core.Options()))
    begin = last = time.perf_counter()
    longest = 0.0
    worker.start()
    while worker.is_alive():
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    assert longest < (last - begin) / 2, f"the interpreter stood still for {longest} of {last - begin} s"


def test_many_threads_say_the_same():
    alone = epwise.lint(ConfigContainer(), **TARGET).data
    answers = [None] * 8

    def ask(place):
        answers[place] = epwise.lint(ConfigContainer(), **TARGET).data

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [alone] * len(answers)


def test_results_are_values():
    report = epwise.lint(ConfigContainer(train=Train(global_batch_size=1000)), **TARGET)
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.errors[0].code = "X"
    assert (pathlib.Path(epwise.__file__).parent / "py.typed").exists()
