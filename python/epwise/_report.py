"""Results: frozen dataclasses that can be pickled. `data` is the document of the command's `--format json`; `print(result)` prints
the command's text."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from . import _core
from ._options import core_options
from ._recipes import Source

Severity = Literal["error", "warning", "note"]
Tier = Literal["neutral", "performance", "training"]
Verdict = Literal["starts", "rejects", "undecided"]
Faster = Literal["a", "b", "too_close"]
Effect = Literal["neutral", "performance", "training-changing", "legality-changing"]
BudgetState = Literal["kept", "broken", "undecided"]

Json = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Edit:
    """One change of a fix."""

    action: Literal["set", "add", "remove", "rename"]
    field: str
    value: str | None  # as the recipe would write it; None: the key goes
    line: int | None
    column: int | None


@dataclasses.dataclass(frozen=True)
class Fix:
    """One way to settle a finding."""

    title: str
    tier: Tier  # what it touches: nothing, speed and memory, or the mathematics too
    tried: bool  # the recipe with it was linted
    edits: tuple[Edit, ...]  # none: advice in words


@dataclasses.dataclass(frozen=True)
class Finding:
    """One finding. `field` names the value that it is about, as far as it is about one."""

    rule: str  # "batch/indivisible"
    code: str  # "PAR019"
    severity: Severity
    confidence: Literal["proven", "likely", "heuristic"]
    message: str
    field: str  # "train.global_batch_size"; of Megatron-LM "--global-batch-size"; may be empty
    path: str
    line: int | None  # of Report.text, from 1; None: nothing in the text belongs to it
    column: int | None
    help: str
    fixes: tuple[Fix, ...]
    data: Json = dataclasses.field(repr=False)  # its JSON


@dataclasses.dataclass(frozen=True)
class Accepted:
    """A finding that a comment or a baseline accepts."""

    finding: Finding
    by: Literal["comment", "baseline"]
    source: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Asked:
    """What a text is made from when somebody prints it."""

    source: tuple[Source, ...]
    options: Json

    def lint_text(self) -> str:
        return _core.lint_text(self.source[0].core(), core_options(self.options))


@dataclasses.dataclass(frozen=True)
class Report:
    """What became of one recipe. `print(report)` shows it as the command does."""

    name: str
    framework: Literal["bridge", "mlm"]
    framework_version: str
    target: str  # "h100 x 64, te 2.14.0 (--hw, --gpus, --stack)"
    verdict: Verdict  # whether the framework starts it
    launch: Json  # the verdict with the check that fires
    findings: tuple[Finding, ...]
    accepted: tuple[Accepted, ...]
    effective: tuple[Json, ...]  # values that the framework rewrites: field, written, executed, why
    open: tuple[Json, ...]  # rules that could not be decided, with what they need
    left_out: tuple[str, ...]  # of a namespace: attributes that no flag of Megatron-LM gives
    exit_code: int  # that the command would end with
    text: str = dataclasses.field(repr=False)  # the recipe as it was linted
    data: Json = dataclasses.field(repr=False)  # the whole document of `--format json`
    _asked: Asked = dataclasses.field(repr=False, compare=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return self.of("error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return self.of("warning")

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def __str__(self) -> str:
        return self._asked.lint_text()


@dataclasses.dataclass(frozen=True)
class FixedField:
    field: str
    before: str | None  # None: it was not there
    after: str | None  # None: it goes
    rule: str  # that asks for it
    tier: Tier


@dataclasses.dataclass(frozen=True)
class UnsettledError:
    rule: str
    code: str
    tier: Tier | None  # of the least fix that settles it; None: none does


@dataclasses.dataclass(frozen=True)
class FixReport:
    """What fixes make of a recipe. Nothing was written. `print(report)` shows the diff."""

    changed: bool
    text: str = dataclasses.field(repr=False)  # the recipe with the fixes
    words: tuple[str, ...]
    diff: str = dataclasses.field(repr=False)
    changes: tuple[FixedField, ...]
    errors_left: tuple[UnsettledError, ...]
    bounded: bool  # the search was cut short: fewer changes may do
    verdict: Verdict  # of the changed recipe
    findings: tuple[Finding, ...]  # in the changed recipe
    exit_code: int
    data: Json = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return self.diff


@dataclasses.dataclass(frozen=True)
class Interval:
    """A predicted figure; the interval holds the truth with 80 %."""

    value: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Term:
    name: str  # "compute", "dispatch", "combine", ...
    seconds: float


@dataclasses.dataclass(frozen=True)
class Input:
    """What a prediction rests on."""

    name: str
    value: str
    status: Literal["written", "default", "profile", "measured", "assumed"]
    why: str


@dataclasses.dataclass(frozen=True)
class Memory:
    peak_gib: Interval  # of the fullest GPU, as the framework reports it
    needed_gib: Interval  # with all that the framework does not count
    limit_gib: float | None
    out_of_memory: float | None  # chance
    fullest_stage: int


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The time of a step and where it goes; None where nothing is predicted."""

    path: str
    framework: Literal["bridge", "mlm"]
    target: str
    lint_errors: int
    step_time_s: Interval | None
    tokens_per_s_per_gpu: Interval | None
    tflops_per_gpu: Interval | None
    memory: Memory | None
    breakdown: tuple[Term, ...]  # sums to the step time
    inputs: tuple[Input, ...]
    missing: tuple[str, ...]  # facts without which nothing is predicted
    exit_code: int
    data: Json = dataclasses.field(repr=False)
    _text: str = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


@dataclasses.dataclass(frozen=True)
class ComparedRecipe:
    path: str
    lint_errors: int
    step_time_s: Interval | None
    missing: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Cause:
    name: str
    a_seconds: float
    b_seconds: float
    saved_seconds: float  # positive: b saves it


@dataclasses.dataclass(frozen=True)
class Comparison:
    target: str
    a: ComparedRecipe
    b: ComparedRecipe
    speedup: Interval | None  # T(a)/T(b): above 1, b is faster
    b_is_faster: float | None  # chance
    faster: Faster | None
    causes: tuple[Cause, ...]  # the largest first
    exit_code: int
    data: Json = dataclasses.field(repr=False)
    _text: str = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


@dataclasses.dataclass(frozen=True)
class PlanChange:
    field: str
    before: str | None
    after: str | None
    tier: Tier
    why: str  # "dispatcher", or the rule that asks for it


@dataclasses.dataclass(frozen=True)
class Plan:
    """A short list of edits with what they bring."""

    changes: tuple[PlanChange, ...]
    speedup: Interval
    verdict: Literal["faster", "slower", "too_close"]
    step_time_s: Interval
    memory_gib: float
    risk: Literal["low", "medium", "high"]
    risks: tuple[str, ...]
    environment: Mapping[str, str]
    diff: str = dataclasses.field(repr=False)
    text: str = dataclasses.field(repr=False)  # the recipe with the plan
    data: Json = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Wall:
    """What binds the step."""

    name: str
    share: float
    sure: float
    helps: str


@dataclasses.dataclass(frozen=True)
class Dispatcher:
    name: str
    present: bool
    legal: bool
    reason: str
    step_time_s: Interval | None
    rank: int | None
    tie: bool


@dataclasses.dataclass(frozen=True)
class Advice:
    path: str
    target: str
    goal: Literal["speed", "memory", "safe"]
    repairs: tuple[FixedField, ...]  # that came first
    errors_left: tuple[str, ...]  # codes
    missing: tuple[str, ...]
    step_time_s: Interval | None  # of the recipe; None: no advice
    wall: Wall | None
    dispatchers: tuple[Dispatcher, ...]
    plans: tuple[Plan, ...]  # surely better, the best first
    too_close: tuple[Plan, ...]
    exit_code: int
    data: Json = dataclasses.field(repr=False)
    _text: str = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


@dataclasses.dataclass(frozen=True)
class Suspect:
    rule: str
    code: str
    what: str
    basis: Literal["words", "code", "alike", "place"]
    sure: bool
    found: bool | None  # whether the recipe breaks it; None without a recipe
    grounds: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Crash:
    exception: str
    message: str
    line: int  # of the log
    trouble: str | None  # a known one of running jobs
    suspects: tuple[Suspect, ...]  # the best first


@dataclasses.dataclass(frozen=True)
class Explanation:
    known: bool
    crashes: tuple[Crash, ...]  # the cause first
    exit_code: int
    data: Json = dataclasses.field(repr=False)
    _text: str = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


@dataclasses.dataclass(frozen=True)
class ChangedField:
    field: str
    before: str  # as executed; "-" where it has no value
    after: str
    effect: Effect
    about: str
    rules: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Told:
    rule: str
    severity: Severity
    message: str


@dataclasses.dataclass(frozen=True)
class Difference:
    before: str
    after: str
    target: str
    changed: tuple[ChangedField, ...]
    introduced: tuple[Told, ...]
    removed: tuple[Told, ...]
    stopped_before: str | None  # why it does not start; None: it does
    stopped_after: str | None
    exit_code: int
    data: Json = dataclasses.field(repr=False)
    _text: str = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


@dataclasses.dataclass(frozen=True)
class Budget:
    path: str
    option: str
    limit: str
    state: BudgetState
    text: str


@dataclasses.dataclass(frozen=True)
class GateReport:
    passed: bool
    exit_code: int  # 3 and 4 too, as the command's
    findings: tuple[Finding, ...]
    budgets: tuple[Budget, ...]
    problems: tuple[str, ...]
    data: Json = dataclasses.field(repr=False)
    _asked: Asked = dataclasses.field(repr=False, compare=False)
    _limits: Json = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        recipes = [source.core() for source in self._asked.source]
        return _core.gate_text(recipes, core_options(self._asked.options), gate_options(self._limits))


def gate_options(limits: Mapping[str, Any]) -> _core.GateOptions:
    how = _core.GateOptions()
    for name, value in limits.items():
        if value is not None:
            setattr(how, name, value)
    return how


def _field_of(pointer: str) -> str:
    """JSON Pointer -> dotted path: "/train/global_batch_size" -> "train.global_batch_size"."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return ".".join(parts[1:] if parts[:1] == ["MODEL_ARGS"] else parts)


def _fix_of(data: Json) -> Fix:
    edits = (Edit(each["action"], each["field"], each["value"], each["line"], each["column"]) for each in data["edits"])
    return Fix(data["title"], data["tier"], data["tried"], tuple(edits))


def finding_of(data: Json) -> Finding:
    return Finding(
        rule=data["rule"],
        code=data["code"],
        severity=data["severity"],
        confidence=data["confidence"],
        message=data["message"],
        field=_field_of(data.get("pointer") or ""),
        path=data["path"],
        line=data["line"],
        column=data["column"],
        help=data.get("help") or "",
        fixes=tuple(map(_fix_of, data["fixes"])),
        data=data,
    )


def _all(files: Iterable[Json], name: str) -> tuple[Any, ...]:
    return tuple(each for file in files for each in file.get(name, ()))


WORST = {"starts": 0, "undecided": 1, "rejects": 2}


def _launch_of(files: list[Json]) -> Json:
    launches: list[Json] = [file["launch"] for file in files]
    return max(launches, key=lambda launch: WORST[launch["verdict"]])


def text_of(source: bytes) -> str:
    return source.decode("utf-8", "surrogateescape")


def report_of(source: Source, options: Json, document: str, text: bytes) -> Report:
    data: Json = json.loads(document)
    files = data["files"]
    launch = _launch_of(files)
    linted = dataclasses.replace(source, text=text) if source.name else source
    return Report(
        name=source.name,
        framework=files[0]["framework"],
        framework_version=files[0]["framework_version"],
        target=files[0]["target"],
        verdict=launch["verdict"],
        launch=launch,
        findings=tuple(map(finding_of, _all(files, "findings"))),
        accepted=tuple(
            Accepted(finding_of(each), each["accepted"]["by"], each["accepted"]["source"], each["accepted"]["reason"])
            for each in _all(files, "accepted")
        ),
        effective=_all(files, "effective"),
        open=_all(files, "open"),
        left_out=source.left_out,
        exit_code=data["summary"]["exit_code"],
        text=text_of(text),
        data=data,
        _asked=Asked((linted,), options),
    )


def fix_report_of(document: str, text: bytes, words: list[str], diff: str, changed: bool) -> FixReport:
    data: Json = json.loads(document)
    files = data["files"]
    fixes = [file["fix"] for file in files if "fix" in file]
    return FixReport(
        changed=changed,
        text=text_of(text),
        words=tuple(words),
        diff=diff,
        changes=tuple(
            FixedField(each["field"], each["before"], each["after"], each["rule"], each["tier"]) for each in _all(fixes, "changes")
        ),
        errors_left=tuple(UnsettledError(each["rule"], each["code"], each["tier"]) for each in _all(fixes, "errors_left")),
        bounded=any(fix["bounded"] for fix in fixes),
        verdict=_launch_of(files)["verdict"],
        findings=tuple(map(finding_of, _all(files, "findings"))),
        exit_code=data["summary"]["exit_code"],
        data=data,
    )


def _interval(data: Json) -> Interval:
    return Interval(data["value"], data["low"], data["high"])


def _interval_in(data: Json, name: str) -> Interval | None:
    return _interval(data[name]) if data.get(name) is not None else None


def _missing(data: Json) -> tuple[str, ...]:
    missing = data.get("missing") or ()
    return tuple(each["message"] + (f"; {each['help']}" if each.get("help") else "") for each in missing)


def _memory(data: Json) -> Memory:
    return Memory(
        peak_gib=_interval(data["peak_gib"]),
        needed_gib=_interval(data["needed_gib"]),
        limit_gib=data.get("limit_gib"),
        out_of_memory=data.get("out_of_memory"),
        fullest_stage=data["fullest_stage"],
    )


def prediction_of(document: str, text: str, exit_code: int) -> Prediction:
    data: Json = json.loads(document)
    (file,) = data["files"]
    return Prediction(
        path=file["path"],
        framework=file["framework"],
        target=file["target"],
        lint_errors=file["lint_errors"],
        step_time_s=_interval_in(file, "step_time_s"),
        tokens_per_s_per_gpu=_interval_in(file, "tokens_per_s_per_gpu"),
        tflops_per_gpu=_interval_in(file, "tflops_per_gpu"),
        memory=_memory(file["memory"]) if "memory" in file else None,
        breakdown=tuple(Term(each["name"], each["seconds"]) for each in file.get("breakdown", ())),
        inputs=tuple(
            Input(each["name"], each["value"], each["status"], each.get("why", ""))
            for each in file.get("inputs", {}).get("list", ())
        ),
        missing=_missing(file),
        exit_code=exit_code,
        data=data,
        _text=text,
    )


def _compared(data: Json) -> ComparedRecipe:
    return ComparedRecipe(data["path"], data["lint_errors"], _interval_in(data, "step_time_s"), _missing(data))


def comparison_of(document: str, text: str, exit_code: int) -> Comparison:
    data: Json = json.loads(document)
    return Comparison(
        target=data["target"],
        a=_compared(data["a"]),
        b=_compared(data["b"]),
        speedup=_interval_in(data, "speedup"),
        b_is_faster=data.get("b_is_faster"),
        faster=data.get("verdict"),
        causes=tuple(
            Cause(each["name"], each["a_seconds"], each["b_seconds"], each["saved_seconds"]) for each in data.get("causes", ())
        ),
        exit_code=exit_code,
        data=data,
        _text=text,
    )


def _plan(data: Json, text: bytes) -> Plan:
    return Plan(
        changes=tuple(
            PlanChange(each["field"], each["from"], each["to"], each["tier"], each["why"]) for each in data["changes"]
        ),
        speedup=_interval(data["speedup"]),
        verdict=data["verdict"],
        step_time_s=_interval(data["step_time_s"]),
        memory_gib=data["memory"]["needed_gib"],
        risk=data["risk"]["level"],
        risks=tuple(data["risk"]["because"]),
        environment=data["environment"],
        diff=data["diff"],
        text=text_of(text),
        data=data,
    )


def _dispatcher(data: Json) -> Dispatcher:
    return Dispatcher(
        name=data["name"],
        present=data["present"],
        legal=data["legal"],
        reason=data.get("reason", ""),
        step_time_s=_interval_in(data, "step_time_s"),
        rank=data["rank"],
        tie=data["tie"],
    )


def advice_of(document: str, text: str, exit_code: int, texts: list[bytes]) -> Advice:
    data: Json = json.loads(document)
    plans = data.get("plans", [])
    close = data.get("too_close", [])
    made = [_plan(plan, after) for plan, after in zip([*plans, *close], texts, strict=True)]
    wall = data.get("wall")
    return Advice(
        path=data["path"],
        target=data["target"],
        goal=data["goal"],
        repairs=tuple(
            FixedField(each["field"], each["from"], each["to"], repair["rule"], repair["tier"])
            for repair in data["repairs"]
            for each in repair["changes"]
        ),
        errors_left=tuple(data["errors_left"]),
        missing=_missing(data),
        step_time_s=_interval_in(data, "step_time_s"),
        wall=Wall(wall["name"], wall["share"], wall["sure"], wall["helps"]) if wall else None,
        dispatchers=tuple(map(_dispatcher, data.get("dispatchers", ()))),
        plans=tuple(made[: len(plans)]),
        too_close=tuple(made[len(plans) :]),
        exit_code=exit_code,
        data=data,
        _text=text,
    )


def _suspect(data: Json) -> Suspect:
    return Suspect(
        rule=data["rule"],
        code=data["code"],
        what=data["what"],
        basis=data["basis"],
        sure=data["sure"],
        found=data.get("found"),
        grounds=tuple(data["grounds"]),
    )


def explanation_of(document: str, text: str, exit_code: int) -> Explanation:
    data: Json = json.loads(document)
    return Explanation(
        known=exit_code == 0,
        crashes=tuple(
            Crash(
                exception=each["exception"],
                message=each["message"],
                line=each["line"],
                trouble=each["trouble"]["name"] if each["trouble"] else None,
                suspects=tuple(map(_suspect, each["suspects"])),
            )
            for each in data["crashes"]
        ),
        exit_code=exit_code,
        data=data,
        _text=text,
    )


def _told(data: Json) -> Told:
    return Told(data["rule"], data["severity"], data["message"])


def difference_of(document: str, text: str, exit_code: int) -> Difference:
    data: Json = json.loads(document)
    return Difference(
        before=data["before"],
        after=data["after"],
        target=data["target"],
        changed=tuple(
            ChangedField(each["field"], each["before"], each["after"], each["effect"], each.get("about") or "", tuple(each["rules"]))
            for each in data["changed"]
        ),
        introduced=tuple(map(_told, data["introduced"])),
        removed=tuple(map(_told, data["removed"])),
        stopped_before=data["stopped"]["before"],
        stopped_after=data["stopped"]["after"],
        exit_code=exit_code,
        data=data,
        _text=text,
    )


def gate_report_of(
    sources: tuple[Source, ...], options: Json, limits: Json, document: str, exit_code: int, problems: list[str]
) -> GateReport:
    data: Json = json.loads(document)
    return GateReport(
        passed=exit_code == 0,
        exit_code=exit_code,
        findings=tuple(map(finding_of, _all(data["files"], "findings"))),
        budgets=tuple(
            Budget(each["path"], each["option"], each["limit"], each["state"], each["text"])
            for each in data["summary"].get("budgets", ())
        ),
        problems=tuple(problems),
        data=data,
        _asked=Asked(sources, options),
        _limits=limits,
    )
