"""Every call, on every kind of recipe, says what the command of its name says."""

import argparse
import dataclasses
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import epwise
import pytest
import yaml
from epwise import _core, _yaml

ROOT = pathlib.Path(__file__).parents[3]
SEED = ROOT / "examples/seeds/q30-ep16-off.yaml"
TARGET = {"hw": "h100", "gpus": 16, "stack": "bridge=0.6.2,te=2.14.0,torch=2.9.1", "configuration": "none"}
OPTIONS = ["--hw", "h100", "--gpus", "16", "--stack", TARGET["stack"], "--config", "none"]
LOG = "AssertionError: global batch size (1000) is not divisible by micro batch size (1) times data parallel size (16)\n"

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sample_recipes import ConfigContainer, Model, Train  # noqa: E402


def command(*words, cwd, codes=(0, 1)):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EPWISE_") and name != "COLUMNS"}
    done = subprocess.run([os.environ["EPWISE_BINARY"], *words], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode in codes, done.stderr
    return done


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.yaml").write_text(SEED.read_text())
    (tmp_path / "bad.yaml").write_text(SEED.read_text().replace("global_batch_size: 1024", "global_batch_size: 1000"))
    (tmp_path / "crash.log").write_text(LOG)
    return tmp_path


def kinds():
    yield "a path", lambda: "bad.yaml"
    yield "a PathLike", lambda: pathlib.Path("bad.yaml")
    yield "a container", lambda: ConfigContainer(model=Model(), train=Train(global_batch_size=1000))
    yield "a dict", lambda: yaml.safe_load(pathlib.Path("bad.yaml").read_text())
    yield "a namespace", lambda: argparse.Namespace(
        num_layers=8, hidden_size=1024, num_attention_heads=16, seq_length=2048, max_position_embeddings=2048,
        micro_batch_size=1, global_batch_size=100, num_experts=64, moe_router_topk=8, expert_model_parallel_size=8,
    )  # fmt: skip


CALLS = {
    "lint": lambda recipe, options: epwise.lint(recipe, **options),
    "fix": lambda recipe, options: epwise.fix(recipe, tier="training", **options),
    "simulate": lambda recipe, options: epwise.simulate(recipe, force=True, **options),
    "compare": lambda recipe, options: epwise.compare(recipe, recipe, **options),
    "advise": lambda recipe, options: epwise.advise(recipe, may_change="overlap", top=1, **options),
    "explain": lambda recipe, options: epwise.explain("crash.log", recipe, **options),
    "gate": lambda recipe, options: epwise.gate(recipe, max_exposed_comm="100%", **options),
    "diff": lambda recipe, options: epwise.diff(recipe, recipe, **options),
}


@pytest.mark.parametrize("kind", [kind for kind, _ in kinds()])
@pytest.mark.parametrize("call", CALLS)
def test_every_call_takes_every_kind_and_its_result_can_be_pickled(call, kind, folder):
    recipe = dict(kinds())[kind]()
    options = TARGET if kind != "a namespace" else {**TARGET, "stack": "mlm=0.19.0,te=2.14.0,torch=2.9.1"}
    result = CALLS[call](recipe, options)
    assert result.data["schema"].startswith("epwise.")
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert str(copy) == str(result)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.data = {}


WORDS = {
    "lint": (["lint", "bad.yaml"], lambda: epwise.lint("bad.yaml", **TARGET), ["-f", "full"]),
    "simulate": (["simulate", "good.yaml"], lambda: epwise.simulate("good.yaml", **TARGET), ["-f", "full"]),
    "compare": (["compare", "good.yaml", "bad.yaml"], lambda: epwise.compare("good.yaml", "bad.yaml", **TARGET), ["-f", "full"]),
    "advise": (
        ["advise", "bad.yaml", "--may-change", "overlap", "--top", "2"],
        lambda: epwise.advise("bad.yaml", may_change=["overlap"], top=2, **TARGET),
        ["-f", "full"],
    ),
    "explain": (["explain", "--from-log", "crash.log", "bad.yaml"], lambda: epwise.explain("crash.log", "bad.yaml", **TARGET), ["-f", "text"]),
    "gate": (
        ["gate", "good.yaml", "bad.yaml", "--min-headroom", "1GiB"],
        lambda: epwise.gate(["good.yaml", "bad.yaml"], min_headroom="1GiB", **TARGET),
        ["-f", "full"],
    ),
    "diff": (["diff", "good.yaml", "bad.yaml"], lambda: epwise.diff("good.yaml", "bad.yaml", **TARGET), ["-f", "text"]),
}


@pytest.mark.parametrize("call", WORDS)
def test_a_file_gets_the_commands_document_exit_code_and_text(call, folder):
    words, ask, full = WORDS[call]
    result = ask()
    done = command(*words, *OPTIONS, "-f", "json", cwd=folder)
    assert result.data == json.loads(done.stdout)
    assert result.exit_code == done.returncode
    assert str(result) == command(*words, *OPTIONS, *full, "--color", "never", cwd=folder).stdout


def test_fix_gives_what_the_command_writes(folder):
    before = (folder / "bad.yaml").read_bytes()
    (left,) = epwise.fix("bad.yaml", **TARGET).errors_left
    assert (left.code, left.tier) == ("PAR019", "training")
    fixed = epwise.fix("bad.yaml", tier="training", **TARGET)
    assert (folder / "bad.yaml").read_bytes() == before
    assert fixed.changed and fixed.exit_code == 0 and fixed.verdict == "undecided" and not fixed.errors_left
    assert str(fixed) == command("lint", "bad.yaml", "--fix=training", "--diff", *OPTIONS, cwd=folder).stdout
    done = command("lint", "bad.yaml", "--fix=training", *OPTIONS, "-f", "json", cwd=folder)
    assert fixed.data == json.loads(done.stdout)
    assert fixed.text == (folder / "bad.yaml").read_text()
    assert fixed.changes[0].before == "1000" and fixed.changes[0].tier == "training"
    with pytest.raises(ValueError, match="tier is one of"):
        epwise.fix("bad.yaml", tier="all", **TARGET)


def test_numbers_are_numbers(folder):
    step = epwise.simulate("good.yaml", **TARGET)
    assert step.step_time_s.low < step.step_time_s.value < step.step_time_s.high
    assert abs(sum(term.seconds for term in step.breakdown) / step.step_time_s.value - 1) < 1e-3
    assert step.memory.limit_gib > 70 and 0 <= step.memory.out_of_memory <= 1
    assert epwise.simulate("bad.yaml", **TARGET).step_time_s is None
    without = epwise.simulate("good.yaml", stack=TARGET["stack"], configuration="none")
    assert without.step_time_s is None and without.missing and without.exit_code == 1
    known = epwise.simulate("good.yaml", inputs={"host": "400us"}, **TARGET)
    assert known.step_time_s.value > step.step_time_s.value
    advice = epwise.advise("bad.yaml", may_change="overlap", top=1, **TARGET)
    assert advice.repairs[0].field.endswith("global_batch_size")
    for plan in advice.plans:
        assert epwise.lint(yaml.safe_load(plan.text), **TARGET).exit_code == 0
    with pytest.raises(epwise.UsageError, match="no hardware given"):
        epwise.advise("good.yaml", configuration="none")


def test_options_reach_the_library(folder):
    code = lambda **options: epwise.lint("bad.yaml", **{**TARGET, **options}).exit_code
    assert code() == 1
    assert code(ignore="PAR019") == 0
    assert code(select=["overlap/"]) == 0
    assert code(fail_on="never") == 0
    assert code(words=["train.global_batch_size=1024"]) == 0
    (folder / "own.yaml").write_text("severity: {PAR019: warning}\n")
    assert code(configuration=folder / "own.yaml") == 0
    text = (folder / "bad.yaml").read_text().replace("1000", "1000  # epwise: ignore[PAR019] until 2026-12-01: padded")
    (folder / "bad.yaml").write_text(text)
    assert code(today="2026-11-23") == 0
    assert code(today="2026-12-02") == 1
    assert code(today="2026-11-23", comments=False) == 1
    (accepted,) = epwise.lint("bad.yaml", today="2026-11-23", **TARGET).accepted
    assert (accepted.by, accepted.reason, accepted.finding.code) == ("comment", "padded", "PAR019")
    (folder / "two.yaml").write_text("---\n" + SEED.read_text() + "---\n" + SEED.read_text())
    assert len(epwise.lint("two.yaml", **TARGET).data["files"]) == 2
    assert len(epwise.lint("two.yaml", document=1, **TARGET).data["files"]) == 1
    assert epwise.lint(None, words=["--num-layers", "4"], configuration="none").framework == "mlm"


def test_a_printed_report_is_of_the_text_that_was_linted(folder):
    report = epwise.lint("bad.yaml", **TARGET)
    expected = str(report)
    (folder / "bad.yaml").write_text("[")
    assert str(report) == expected


def test_bytes_that_are_no_text(folder):
    (folder / "torn.yaml").write_bytes(b"model:\n  name: \xff\xfe\n")
    report = epwise.lint("torn.yaml", **TARGET)
    assert report.text.encode("utf-8", "surrogateescape") == (folder / "torn.yaml").read_bytes()
    assert str(report)


def test_gate_of_what_can_not_be_read(folder):
    report = epwise.gate(["good.yaml", "none.yaml"], **TARGET)
    assert (report.exit_code, report.passed) == (3, False)
    assert any("none.yaml" in problem for problem in report.problems)
    both = epwise.gate([yaml.safe_load(SEED.read_text()), "bad.yaml"], **TARGET)
    assert [finding.path for finding in both.findings if finding.severity == "error"] == ["bad.yaml"]


def test_explain_takes_a_text():
    assert epwise.explain(text=LOG).crashes[0].suspects[0].code == "PAR019"
    assert not epwise.explain(text=b"all is well \xff\n").known
    with pytest.raises(TypeError):
        epwise.explain()
    with pytest.raises(epwise.Error, match="cannot read none.log"):
        epwise.explain("none.log")


def test_the_version_is_the_commands():
    said = subprocess.run([os.environ["EPWISE_BINARY"], "--version"], capture_output=True, text=True).stdout
    assert epwise.__version__ in said.split()


def crash_a_call():
    """A fault in a thread that lints; ends in an assertion when the call is not told as crashed, or the process changed by it."""
    big = {"model": {"num_layers": 4}, "dataset": {"dataset_kwargs": {f"key_{i}": "x" * 40 for i in range(60000)}}}
    before = signal.getsignal(signal.SIGSEGV)
    said = []

    text = _core.Recipe("big", _yaml.yaml_of(big).encode(), [])

    def ask():
        try:
            for _ in range(50):
                _core.lint(text, _core.Options())
        except epwise.InternalError as error:
            said.append(str(error))

    worker = threading.Thread(target=ask)
    worker.start()
    time.sleep(0.3)
    signal.pthread_kill(worker.ident, signal.SIGSEGV)
    worker.join()
    assert len(said) == 1 and "segmentation fault (signal 11)" in said[0]
    assert signal.getsignal(signal.SIGSEGV) == before
    assert epwise.lint({"model": {"num_layers": 4}}).framework == "bridge"


def test_a_crash_ends_the_call_alone():
    # A signal from outside may arrive while the thread holds the allocator's lock, which a fault of a thread's own seldom does: that
    # process comes to a halt. So each attempt has a process of its own, and one of them must reach its end.
    words = [sys.executable, "-c", "import test_calls; test_calls.crash_a_call()"]
    ends = []
    for _ in range(6):
        try:
            ends.append(subprocess.run(words, cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, timeout=20))
        except subprocess.TimeoutExpired:
            continue
        if ends[-1].returncode == 0:
            break
    assert ends and ends[-1].returncode == 0, [end.stderr for end in ends]
