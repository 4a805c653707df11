"""Findings as Python has them. Everything that `epwise lint --format json` says stands in `data`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Finding:
    """One finding. `field` names the value that it is about, as far as it is about one."""

    rule: str  # "batch/indivisible"
    code: str  # "PAR019"
    severity: str  # "error", "warning" or "note"
    confidence: str
    message: str
    field: str  # "train.global_batch_size"; of Megatron-LM "--global-batch-size"; may be empty
    line: int  # of Report.text, from 1
    column: int
    help: str
    fixes: tuple[dict[str, Any], ...]
    data: dict[str, Any] = dataclasses.field(repr=False)  # all that JSON says of it


@dataclasses.dataclass(frozen=True)
class Report:
    """What became of one recipe. `print(report)` shows it as the command does."""

    name: str
    framework: str  # "bridge" or "mlm"
    framework_version: str
    target: str  # "h100 x 64, te 2.14.0 (--hw, --gpus, --stack)"
    verdict: str  # whether the framework starts it: "starts", "rejects" or "undecided"
    launch: dict[str, Any]  # the verdict with the check that fires
    findings: tuple[Finding, ...]
    effective: tuple[dict[str, Any], ...]  # values that the framework rewrites: field, written, executed, why
    open: tuple[dict[str, Any], ...]  # rules that could not be decided, with what they need
    left_out: tuple[str, ...]  # of a namespace: attributes that no flag of Megatron-LM gives
    exit_code: int  # that the command would end with
    text: str = dataclasses.field(repr=False)  # the recipe as it was linted
    data: dict[str, Any] = dataclasses.field(repr=False)  # the whole document of `--format json`
    _full: Callable[[], str] = dataclasses.field(repr=False, compare=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return self.of("error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return self.of("warning")

    def of(self, severity: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def __str__(self) -> str:
        return self._full()


def _field_of(pointer: str) -> str:
    """JSON Pointer -> dotted path: "/train/global_batch_size" -> "train.global_batch_size"."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return ".".join(parts[1:] if parts[:1] == ["MODEL_ARGS"] else parts)


def finding_of(data: dict[str, Any]) -> Finding:
    return Finding(
        rule=data["rule"],
        code=data["code"],
        severity=data["severity"],
        confidence=data["confidence"],
        message=data["message"],
        field=_field_of(data.get("pointer") or ""),
        line=data["line"],
        column=data["column"],
        help=data.get("help") or "",
        fixes=tuple(data["fixes"]),
        data=data,
    )


def report_of(
    name: str, text: str, document: dict[str, Any], left_out: tuple[str, ...], full: Callable[[], str]
) -> Report:
    (file,) = document["files"]
    return Report(
        name=name,
        framework=file["framework"],
        framework_version=file["framework_version"],
        target=file["target"],
        verdict=file["launch"]["verdict"],
        launch=file["launch"],
        findings=tuple(map(finding_of, file["findings"])),
        effective=tuple(file["effective"]),
        open=tuple(file["open"]),
        left_out=left_out,
        exit_code=document["summary"]["exit_code"],
        text=text,
        data=document,
        _full=full,
    )
