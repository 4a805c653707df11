#!/usr/bin/env python3
"""Holds two quick calibrations of one GPU (quick-1.yaml, quick-2.yaml, *.seconds) against what issue 7 asks for.

usage: judge.py FOLDER. Prints one line a demand; exit 1 when one is missed, or can't be judged."""

import re
import sys
from pathlib import Path

PEAK_GBS = {"H200": 4800.0, "H100": 3350.0}  # of the datasheet; HBM copy: at least 85 %
LEAST_GEMM_TFLOPS = 650.0
MOST_APART = 0.03
MOST_SECONDS = 60


def points_of(path):
    """id → median seconds, bytes of memory and status; reads the one layout that epwise writes."""
    points, current = {}, None
    for line in path.read_text().splitlines():
        found = re.match(r'  - id: "?([^"]+)"?$', line)
        if found:
            current = points.setdefault(found[1], {})
        if current is None:
            continue
        for key, pattern in (
            ("median", r"    time_us: \{median: ([-+.\deE]+)"),
            ("memory", r"    bytes: \{memory: ([-+.\deE]+)"),
            ("status", r"    status: (\w+)"),
        ):
            found = re.match(pattern, line)
            if found:
                current[key] = found[1]
    return points


def seconds_of(point):
    return float(point["median"]) * 1e-6


class Judge:
    def __init__(self):
        self.good = True

    def say(self, what, value, demand, met):
        print(f"{'met   ' if met else 'MISSED'} {what}: {value} (demanded {demand})")
        self.good = self.good and met


def main():
    folder = Path(sys.argv[1])
    absent = [name for name in ("quick-1.yaml", "quick-2.yaml") if not (folder / name).exists()]
    if absent:
        print(f"MISSED {' and '.join(absent)}: no calibration was written, the logs say why")
        return 1
    runs = [points_of(folder / f"quick-{number}.yaml") for number in (1, 2)]
    text = (folder / "quick-1.yaml").read_text()
    name = re.search(r'device: \{name: "?([^",]+)', text)[1]
    judge = Judge()
    peak = next((rate for chip, rate in PEAK_GBS.items() if chip in name.upper()), None)

    copies = [p for i, p in runs[0].items() if i.startswith("memory.hbm_copy") and "median" in p]
    best = max((float(p["memory"]) / seconds_of(p) * 1e-9 for p in copies), default=0.0)
    judge.say("HBM copy, GB/s", f"{best:.0f}", f"85 % of {peak}", peak is not None and best >= 0.85 * peak)

    square = runs[0].get("gemm.bf16.m8192.n8192.k8192", {})
    rate = 2 * 8192**3 / seconds_of(square) * 1e-12 if "median" in square else 0.0
    judge.say("bf16 GEMM 8192^3, TFLOP/s", f"{rate:.0f}", LEAST_GEMM_TFLOPS, rate >= LEAST_GEMM_TFLOPS)

    both = [i for i in runs[0] if "median" in runs[0][i] and "median" in runs[1].get(i, {})]
    apart = sorted(abs(seconds_of(runs[1][i]) / seconds_of(runs[0][i]) - 1) for i in both)
    worst = max(both, key=lambda i: abs(seconds_of(runs[1][i]) / seconds_of(runs[0][i]) - 1), default="none")
    middle = apart[len(apart) // 2] if apart else 1.0
    far = sum(1 for value in apart if value > MOST_APART)
    judge.say("two runs apart", f"median {middle:.2%}, worst {apart[-1] if apart else 1:.2%} at {worst}, {far} of {len(apart)} beyond",
              f"{MOST_APART:.0%}", bool(apart) and far == 0)

    for number in (1, 2):
        seconds = int((folder / f"quick-{number}.seconds").read_text())
        judge.say(f"wall time of quick run {number}, s", seconds, MOST_SECONDS, seconds < MOST_SECONDS)

    missing = [i for i, p in runs[0].items() if p.get("status") == "not_measured"]
    print(f"not measured: {len(missing)} points{': ' + ', '.join(missing[:12]) if missing else ''}")
    return 0 if judge.good else 1


if __name__ == "__main__":
    sys.exit(main())
