"""What a gate over many recipes costs, and what verifying a receipt costs.

usage: gate.py EPWISE [COUNT]

COUNT recipes (10000) and a tenth of that in folders of their own: time must grow as the number does (at most 12 times), the
largest run must stay below 200 MB and keep two cores busy (user time at least 1.5 times the wall time; told, not judged, where the
machine is shared). `gate --verify-receipt` may cost 1 ms of user time beyond `epwise --version`; where perf can count them,
instructions are told as well.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import many_recipes  # noqa: E402

SWITCHES = """  moe_grouped_gemm: true
  bf16: true
comm_overlap:
  tp_comm_overlap: false
ddp:
  overlap_grad_reduce: true
"""


def write(folder: pathlib.Path, count: int) -> None:
    for number in range(count):
        place = folder / f"{number // 100:03}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.yaml").write_text(many_recipes.recipe(number, widths=2, model=SWITCHES))


def user_time(*command: str, folder: str, times: int = 200) -> float:
    """Milliseconds of user time of one call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    for _ in range(times):
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) / times * 1000


def instructions(*command: str, folder: str) -> str:
    try:
        done = subprocess.run(["valgrind", "--tool=none", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "not counted: there is no valgrind"
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], cwd=folder,
                          capture_output=True, text=True, check=True)
    counted = [line.split(":")[1].strip() for line in done.stderr.splitlines() if "Collected" in line]
    return f"{int(counted[0]):,}" if counted else "not counted"


def main() -> int:
    epwise = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        walls = {}
        for part in (count // 10, count):
            place = pathlib.Path(folder) / str(part)
            write(place, part)
            command = [epwise, "gate", "--hw", "h100", "--gpus", "64", "--format", "sarif=out.sarif", "-q", "--stack",
                       "bridge=0.6.2,te=2.14.0,torch=2.9.1", "--fail-on", "never"]
            code, wall, user, memory = many_recipes.measure(command, place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            walls[part] = user
            print(f"{part} recipes: {wall:.2f} s, user {user:.2f} s ({user / wall:.2f} cores), {memory} MB, exit {code}")
            failures += code != 0 or memory > 200
        growth = walls[count] / walls[count // 10]
        print(f"ten times the recipes take {growth:.1f} times as long")
        failures += growth > 12
        recipe = pathlib.Path(folder) / "one.yaml"
        recipe.write_text(many_recipes.recipe(0, widths=2, model=SWITCHES))
        subprocess.run([epwise, "gate", "one.yaml", "--gpus", "64", "--receipt", "receipt.json", "--fail-on", "never"], cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        calls = {"--version": [epwise, "--version"],
                 "gate --verify-receipt": [epwise, "gate", "--verify-receipt", "receipt.json"]}
        cost = {name: user_time(*call, folder=folder) for name, call in calls.items()}
        for name, call in calls.items():
            print(f"{name}: {cost[name]:.2f} ms user, instructions: {instructions(*call, folder=folder)}")
        beyond = cost["gate --verify-receipt"] - cost["--version"]
        print(f"verifying costs {beyond:.2f} ms beyond --version")
        failures += beyond > 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
