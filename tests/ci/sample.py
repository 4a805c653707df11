"""The sample repository examples/ci passes and fails as its README says.

usage: sample.py EPWISE

The repository is a copy with a git history of its own. What GitHub and GitLab would run are the steps of action.yml and examples/gitlab, one
after the other; the upload to code scanning is left out. Without pre-commit (tests/ci/install_tools.sh) that part says so and is skipped.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sampling import complete  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build" / "ci-tools" / "bin"


class Sample:
    """A copy of the sample repository, and commands in it."""

    def __init__(self, folder: pathlib.Path, epwise: pathlib.Path):
        self.folder = folder
        shutil.copytree(ROOT / "examples" / "ci", folder, dirs_exist_ok=True)
        self.epwise = epwise
        self.bin_folder = bin_folder = folder.parent / "bin"
        bin_folder.mkdir()
        (bin_folder / "epwise").symlink_to(epwise)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("EPWISE_", "GIT_", "GITHUB_"))},
            "PATH": f"{bin_folder}:{os.environ['PATH']}:{TOOLS}",
            "HOME": str(folder.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (folder.parent / ".gitconfig").write_text("[user]\nemail = a@example.org\nname = a\n")
        self.run("git init -q -b main")
        self.commit()

    def run(self, command: str, **more) -> subprocess.CompletedProcess:
        environment = {**self.environment, **more}
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", command],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def commit(self) -> None:
        done = self.run("git add -A && git commit -q -m x --allow-empty --no-verify")
        assert done.returncode == 0, done.stderr

    def replace(self, name: str, old: str, fresh: str) -> None:
        path = self.folder / name
        text = path.read_text()
        assert text.count(old) == 1, (name, old)
        path.write_text(text.replace(old, fresh))


FAILURES: list[str] = []


def expect(what: str, done: subprocess.CompletedProcess, code: int, words: str = "") -> None:
    said = done.stdout + done.stderr
    if done.returncode == code and words in said:
        print(f"ok: {what}")
        return
    FAILURES.append(what)
    print(f"FAILED: {what}: exit {done.returncode}, not {code}\n{said}")


def break_batch(sample: Sample) -> None:
    sample.replace("recipes/good.yaml", "global_batch_size: 512", "global_batch_size: 500")


def break_job(sample: Sample) -> None:
    sample.replace("train.sbatch", "--tensor-model-parallel-size 2", "--tensor-model-parallel-size 3")


def restore(sample: Sample) -> None:
    done = sample.run("git reset -q --hard && git clean -qfd")
    assert done.returncode == 0, done.stderr


def check_gate(sample: Sample) -> None:
    expect("the repository passes", sample.run("epwise gate"), 0)
    expect("what is accepted is told", sample.run("epwise gate -v"), 0, "accepted[batch/indivisible]")
    expect("without comments it fails", sample.run("epwise gate --no-ignores"), 1, "recipes/known.yaml")
    expect("the condition ends it", sample.run("epwise gate --gpus 20"), 1, "suppression/lapsed")
    break_batch(sample)
    expect("a broken recipe fails", sample.run("epwise gate"), 1, "recipes/good.yaml")
    expect("changed since main", sample.run("epwise gate --since main"), 1)
    expect("nothing is staged", sample.run("epwise gate --staged"), 0)
    sample.run("git add -A")
    expect("it is staged now", sample.run("epwise gate --staged"), 1)
    sample.replace("recipes/good.yaml", "global_batch_size: 500", "global_batch_size: 512")
    expect("and mended, but not staged", sample.run("epwise gate --staged"), 1)
    restore(sample)
    expect("a revision that is none", sample.run("epwise gate --since nowhere"), 2)


def check_pre_commit(sample: Sample) -> None:
    if shutil.which("pre-commit", path=sample.environment["PATH"]) is None:
        print("skipped: pre-commit is not installed; `bash tests/ci/install_tools.sh` does it")
        return
    expect("pre-commit passes", sample.run("pre-commit run --all-files"), 0, "Passed")
    break_batch(sample)
    expect("pre-commit fails", sample.run("pre-commit run --all-files"), 1, "batch/indivisible")
    sample.run("git add -A")
    expect("so does a commit", sample.run("pre-commit install && git commit -m x"), 1, "batch/indivisible")
    sample.run("rm -f .git/hooks/pre-commit")
    restore(sample)
    break_job(sample)
    expect("pre-commit fails at a job script", sample.run("pre-commit run --all-files"), 1, "attention heads")
    restore(sample)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in hooks} == {"epwise", "epwise-staged", "epwise-system", "epwise-staged-system"}
    expect("the manifest is valid", sample.run(f"pre-commit validate-manifest {ROOT / '.pre-commit-hooks.yaml'}"), 0)
    try_hook(sample, "epwise-system")
    # Who has no epwise: the hook builds the wheel. What this build has compiled is packed, to save half an hour.
    if not complete():  # packages/wheel packs and installs one
        return
    build = sample.epwise.parent
    if not (build / "python/_library.so").exists():
        print("skipped: a hook that builds the wheel: the build has no library of the Python package (EPWISE_PYTHON)")
        return
    bare = {"PATH": os.pathsep.join(each for each in sample.environment["PATH"].split(os.pathsep) if each != str(sample.bin_folder)),
            "SKBUILD_CMAKE_DEFINE": f"EPWISE_BUILT={build}"}
    expect("there is no epwise on the PATH", sample.run("! command -v epwise", **bare), 0)
    try_hook(sample, "epwise", **bare)


def try_hook(sample: Sample, name: str, **more) -> None:
    """A hook as the repository offers it, by a repository that names it and a revision. Its working tree may have changed since."""
    source = sample.folder.parent / "source"
    if not source.exists():
        shutil.copytree(ROOT, source, symlinks=True, ignore=lambda folder, names: (
            [each for each in names if each == ".git" or (pathlib.Path(folder) == ROOT and each.startswith(("build", ".device")))]))
        done = sample.run(f"cd {source} && git init -q -b main && git add -A && git commit -q -m x")
        assert done.returncode == 0, done.stderr
    revision = sample.run(f"git -C {source} rev-parse HEAD").stdout.strip()
    config = [{"repo": str(source), "rev": revision, "hooks": [{"id": name}]}]
    (sample.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": config}))
    sample.commit()
    expect(f"hook {name} passes", sample.run("pre-commit run --all-files", **more), 0, "Passed")
    break_batch(sample)
    expect(f"hook {name} fails", sample.run("pre-commit run --all-files", **more), 1, "batch/indivisible")
    sample.run("git add -A")
    staged = name.replace("epwise", "epwise-staged")
    config[0]["hooks"] = [{"id": staged}]
    (sample.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": config}))
    sample.run("git add -A")
    expect(f"hook {staged} fails", sample.run("pre-commit run", **more), 1, "batch/indivisible")
    restore(sample)
    check_names(sample, config, (name, staged), more)
    sample.run("git reset -q --hard HEAD~")


def check_names(sample: Sample, config: list, hooks: tuple, more: dict) -> None:
    """Job scripts as they lie in repositories: not executable, whatever their names end in."""
    script = (sample.folder / "train.sbatch").read_text()
    broken = script.replace("--tensor-model-parallel-size 2", "--tensor-model-parallel-size 3")
    assert broken != script
    for name in ("train.sbatch", "jobs/train.slurm", "jobs/TRAIN.SBATCH", "jobs/train.sub", "jobs/train"):
        for hook in hooks:
            (sample.folder / "jobs").mkdir(exist_ok=True)
            (sample.folder / name).write_text(broken)
            (sample.folder / name).chmod(0o644)
            config[0]["hooks"] = [{"id": hook}]
            (sample.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": config}))
            sample.run("git add -A")
            if name == "jobs/train" and "staged" in hook:  # of what is staged, only names that end like a recipe's are read
                continue
            expect(f"hook {hook} reads {name}", sample.run("pre-commit run", **more), 1, "shape/")
            restore(sample)


def action_steps(sample: Sample, **given) -> subprocess.CompletedProcess:
    """The steps of the composite action by hand, with its default inputs where none are given."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name: given.get(name, str(value["default"])) for name, value in action["inputs"].items()}
    done = None
    for step in action["runs"]["steps"]:
        if "run" not in step:
            continue
        environment = {}
        for name, value in step.get("env", {}).items():
            for key, default in inputs.items():
                value = value.replace("${{ inputs." + key + " }}", default)
            environment[name] = value
        done = sample.run(step["run"], GITHUB_ACTIONS="true", **environment)
        if done.returncode != 0:
            break
    return done


def check_github(sample: Sample) -> None:
    expect("the action's steps pass", action_steps(sample), 0)
    assert json.loads((sample.folder / "epwise.sarif").read_text())["runs"][0]["invocations"][0]["exitCode"] == 0
    break_batch(sample)
    expect("the action's steps fail", action_steps(sample), 1, "::error file=recipes/good.yaml,line=")
    results = json.loads((sample.folder / "epwise.sarif").read_text())["runs"][0]["results"]
    found = [result for result in results if result["ruleId"] == "batch/indivisible" and "suppressions" not in result]
    assert len(found) == 1, results
    expect("with paths in lines", action_steps(sample, paths="train.sbatch\nrecipes/known.yaml\n", arguments="--gpus 16\n"), 0)
    expect("one of them broken", action_steps(sample, paths="train.sbatch\nrecipes\n", arguments="--fail-on\nerror"), 1)
    (sample.folder / "epwise.sarif").unlink()
    expect("a wrong option", action_steps(sample, arguments="--no-such-option"), 2)
    assert not (sample.folder / "epwise.sarif").exists()
    restore(sample)
    workflow = yaml.safe_load((sample.folder / ".github" / "workflows" / "epwise.yml").read_text())
    (call,) = [step for step in workflow["jobs"]["gate"]["steps"] if "epwise" in step["uses"]]
    expect("as the workflow calls it", action_steps(sample, **call["with"]), 0)
    restore(sample)


def check_gitlab(sample: Sample) -> None:
    job = yaml.safe_load((ROOT / "examples" / "gitlab" / "epwise.gitlab-ci.yml").read_text())["epwise"]
    script = "\n".join(job["script"])
    expect("GitLab's job passes", sample.run(script, **job["variables"]), 0)
    break_batch(sample)
    expect("GitLab's job fails", sample.run(script, **job["variables"]), 1)
    quality = json.loads((sample.folder / "epwise-quality.json").read_text())
    assert [entry for entry in quality if entry["check_name"] == "batch/indivisible"], quality
    suites = ElementTree.parse(sample.folder / "epwise-tests.xml").getroot()
    assert int(suites.get("failures")) >= 1
    restore(sample)


def check_slurm(sample: Sample) -> None:
    prolog = str(ROOT / "examples" / "slurm" / "prolog.sh")
    expect("before sbatch", sample.run("epwise gate train.sbatch --receipt receipt.json"), 0)
    expect("the job starts", sample.run(prolog, SLURM_SUBMIT_DIR=str(sample.folder)), 0)
    sample.replace("train.sbatch", "--global-batch-size 512", "--global-batch-size 256")
    expect("not with another script", sample.run(prolog, SLURM_SUBMIT_DIR=str(sample.folder)), 1, "has changed since")
    sample.replace("train.sbatch", "--tensor-model-parallel-size 2", "--tensor-model-parallel-size 3")
    expect("a wrong script fails", sample.run("epwise gate train.sbatch --receipt receipt.json"), 1)
    expect("and its receipt is worth nothing", sample.run(prolog, SLURM_SUBMIT_DIR=str(sample.folder)), 1)
    restore(sample)
    expect("no receipt, no job", sample.run(prolog, SLURM_SUBMIT_DIR=str(sample.folder)), 3)


def check_templates(sample: Sample) -> None:
    """What the services would refuse before anything runs."""
    if shutil.which("check-jsonschema", path=sample.environment["PATH"]) is None:
        print("skipped: check-jsonschema is not installed; `bash tests/ci/install_tools.sh` does it")
        return
    for name, schema in (("action.yml", "github-actions"), ("examples/gitlab/epwise.gitlab-ci.yml", "gitlab-ci"),
                         ("examples/ci/.github/workflows/epwise.yml", "github-workflows"), ("examples/ci/.gitlab-ci.yml", "gitlab-ci")):
        expect(f"{name} is valid", sample.run(f"check-jsonschema --builtin-schema vendor.{schema} {ROOT / name}"), 0)


def main() -> int:
    epwise = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        sample = Sample(pathlib.Path(folder) / "sample", epwise)
        for check in (check_gate, check_pre_commit, check_github, check_gitlab, check_slurm, check_templates):
            check(sample)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
