"""What mypy --strict has to know of the package: the types of results, and which parameters there are."""

import argparse
import pathlib

import epwise


def severities(report: epwise.Report) -> list[str]:
    for finding in report.findings:
        if finding.severity == "error":
            for fix in finding.fixes:
                print(fix.title, fix.tier, [edit.value for edit in fix.edits])
        if finding.severity == "fatal":  # type: ignore[comparison-overlap]
            raise AssertionError
    return [finding.code for finding in report.errors]


def step(path: pathlib.Path) -> float:
    prediction = epwise.simulate(path, hw="h100", gpus=64, stack={"te": "2.14.0"}, inputs={"host": "40us"})
    if prediction.step_time_s is None:
        return 0.0
    return prediction.step_time_s.high - prediction.step_time_s.low


def everything(config: dict[str, object], flags: argparse.Namespace) -> tuple[int, ...]:
    fixed: epwise.FixReport = epwise.fix(config, tier="training", fail_on="warning")
    compared: epwise.Comparison = epwise.compare("a.yaml", config, names=("a", "b"), gpus=8)
    advice: epwise.Advice = epwise.advise(flags, goal="memory", may_change=["overlap"], hw="gb200", gpus=256)
    crash: epwise.Explanation = epwise.explain("slurm.out", "a.yaml")
    change: epwise.Difference = epwise.diff("a.yaml", "b.yaml", today="2026-11-22")
    gate: epwise.GateReport = epwise.gate(["recipes"], max_exposed_comm="8%", strict=True)
    epwise.lint("a.yaml", gpu=8)  # type: ignore[call-arg]
    epwise.lint("a.yaml", hw=8)  # type: ignore[arg-type]
    epwise.fix("a.yaml", tier="all")  # type: ignore[arg-type]
    return tuple(each.exit_code for each in (fixed, compared, advice, crash, change, gate))
