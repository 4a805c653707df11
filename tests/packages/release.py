"""What packaging/release.sh made: every symbol version, every package's contents, and the programs themselves, those of another
architecture under qemu-user.

    python3 tests/packages/release.py BUILD OUT        BUILD: with the program of this machine; OUT: of release.sh

Exit status 77, with the reason, where there are no packages or no tools.
"""

import base64
import csv
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS = os.uname().machine
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
MACHINES = {"x86_64": 62, "aarch64": 183}  # e_machine of ELF
GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
TARGET = ["--hw", "h100", "--gpus", "64", "--stack", "bridge=0.6.2,te=2.14.0,torch=2.9.1"]
TODAY = {"EPWISE_TODAY": "2026-11-24", "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
WORK = pathlib.Path(tempfile.mkdtemp())
failures = []


def expect(what: str, holds: bool, more: object = "") -> None:
    if not holds:
        failures.append(f"{what} {more}".strip())


def skip(reason: str) -> None:
    print(f"packages/release: skipped: {reason}")
    sys.exit(77)


def versions(path: pathlib.Path) -> set[tuple[str, tuple[int, ...]]]:
    """Every symbol version that a program or library asks for: ("GLIBC", (2, 28))."""
    said = subprocess.run(["readelf", "--version-info", "--wide", path], check=True, capture_output=True, text=True).stdout
    return {(name, tuple(map(int, number.split(".")))) for name, number in re.findall(r"Name: ([A-Z]\w*?)_(\d[\d.]*)", said)}


def check_elf(path: pathlib.Path, architecture: str, glibc: tuple[int, ...]) -> None:
    head = path.read_bytes()[:20]
    expect(f"{path.name} is of {architecture}:", int.from_bytes(head[18:20], "little") == MACHINES[architecture], head)
    asked = versions(path)
    expect(f"{path.name} of {architecture} asks for versions", bool(asked))
    expect(f"{path.name} of {architecture} needs glibc {glibc} at most:", all(name == "GLIBC" and number <= glibc for name, number in asked),
           sorted(asked)[-3:])
    said = subprocess.run(["readelf", "--dynamic", "--wide", path], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))
    expect(f"{path.name} of {architecture} needs nothing but glibc:", needed <= GLIBC, needed - GLIBC)
    expect(f"{path.name} of {architecture} has no search path:", "RUNPATH" not in said and "RPATH" not in said)
    text = path.read_bytes()
    expect(f"{path.name} of {architecture} names no folder of the build:", str(ROOT).encode() not in text)


def command(program: pathlib.Path, architecture: str) -> list[str]:
    return [str(program)] if architecture == OURS else [f"qemu-{architecture}", "-L", f"/usr/{architecture}-linux-gnu", str(program)]


def said(program: list[str], *arguments: str, folder: pathlib.Path = ROOT / "examples") -> tuple[int, str]:
    done = subprocess.run([*program, *arguments], capture_output=True, text=True, cwd=folder, env=TODAY, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout


def nearly(mine: object, other: object) -> bool:
    """Equal, numbers to nine digits: mathematical functions of another libm differ in the last."""
    if isinstance(mine, dict) and isinstance(other, dict):
        return mine.keys() == other.keys() and all(nearly(mine[name], other[name]) for name in mine)
    if isinstance(mine, list) and isinstance(other, list):
        return len(mine) == len(other) and all(map(nearly, mine, other))
    if isinstance(mine, float) or isinstance(other, float):
        return isinstance(mine, (int, float)) and abs(mine - other) <= 1e-9 * max(abs(mine), abs(other), 1e-9)
    return mine == other


def session_of(path: pathlib.Path) -> tuple[list[str], dict[str, str], dict[str, str], str]:
    """Words, variables, files and standard input of a session (tests/support/scenario.h)."""
    lines = path.read_text().splitlines(keepends=True)
    command = next(line for line in lines if line.startswith("$ "))[2:].strip()
    words = shlex.split(command)
    start = words.index("epwise")
    sections: dict[str, str] = {}
    name = None
    for line in lines[lines.index(f"$ {command}\n") + 1:]:
        if line.startswith("--- "):
            name = line[4:].strip()
            sections[name] = ""
        elif name is not None:
            sections[name] += line[1:] if re.match(r"\\+--- ", line) else line
    files = {name: text for name, text in sections.items() if not re.match(r"(stdout|stderr|stdin|exit|forbidden|written)\b", name)}
    return words[start + 1:], dict(word.split("=", 1) for word in words[:start]), files, sections.get("stdin", "")


def played(program: list[str], session: pathlib.Path) -> tuple[int, str, str, dict[str, bytes]]:
    """Exit code, both streams, and every file afterwards."""
    words, variables, files, stdin = session_of(session)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            place = pathlib.Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        done = subprocess.run([*program, *words], capture_output=True, text=True, errors="replace", cwd=folder, env={**TODAY, **variables}, input=stdin)
        after = {str(each.relative_to(folder)): each.read_bytes() for each in pathlib.Path(folder).rglob("*") if each.is_file()}
    return done.returncode, done.stdout.replace(folder, ""), done.stderr.replace(folder, ""), after


def check_sessions(program: pathlib.Path, architecture: str, build: pathlib.Path) -> int:
    """The sessions of tests/cli as processes: the program of this machine's compiler, which tests hold to the written answers, and
    the released one give the same."""
    sessions = sorted((ROOT / "tests/cli").glob("*.scenario"))
    if not os.environ.get("EPWISE_COMPLETE"):
        sessions = sessions[::20]
    for session in sessions:
        if any(name.startswith("forbidden") for name in re.findall(r"^--- (.*)$", session.read_text(), re.M)):
            continue  # root reads what is forbidden
        ours, theirs = played([str(build / "epwise")], session), played(command(program, architecture), session)
        expect(f"{architecture}: tests/cli/{session.name} ends the same:", ours == theirs,
               next((f"{a!r:.200} but {b!r:.200}" for a, b in zip(ours, theirs) if a != b), ""))
    return len(sessions)


def check_answers(program: pathlib.Path, architecture: str, build: pathlib.Path) -> int:
    """As the program of this machine's own compiler says it: recipes, scripts, logs, a prediction."""
    released, ours = command(program, architecture), [str(build / "epwise")]
    recipes = sorted(str(each.relative_to(ROOT / "examples")) for pattern in ("*.yaml", "slurm/*.sh", "slurm/*.sbatch", "seeds/**/*.yaml")
                     for each in (ROOT / "examples").glob(pattern))
    if architecture != OURS and not os.environ.get("EPWISE_COMPLETE"):
        recipes = recipes[:4]
    questions = [["lint", each, *TARGET, "--format", "json"] for each in recipes]
    questions += [["simulate", "qwen3_moe_h100.yaml", *TARGET, "--format", "json"], ["compare", "qwen3_moe_h100.yaml", "qwen3_moe_h100.yaml", *TARGET, "--format", "json"]]
    questions += [["rules", "list"], ["explain", "PAR019"], ["help", "--man"], ["hw"]]
    for question in questions:
        (there, answer), (here, expected) = said(released, *question), said(ours, *question)
        same = answer == expected
        if not same and question[-1] == "json" and answer and expected:
            same = nearly(json.loads(answer), json.loads(expected))
        expect(f"{architecture}: `epwise {' '.join(question)}` says the same:", there == here and same, f"exit codes {there} and {here}")
    code, text = said(released, "lint", "first_look.yaml", "--hw", "gb200", *TARGET[2:], "--format", "json")
    expect(f"{architecture}: the indivisible batch is found:", code == 1 and '"code":"PAR019"' in text)
    return len(questions) + 1


def check_tarball(path: pathlib.Path, architecture: str, folder: pathlib.Path) -> pathlib.Path:
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        expect(f"{path.name} is in order:", [each.name for each in members] == sorted(each.name for each in members))
        expect(f"{path.name} has one time and owner:", len({(each.mtime, each.uid, each.gid, each.uname) for each in members}) == 1)
        archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
    (top,) = folder.iterdir()
    prefix = folder / "prefix"
    environment = {**TODAY, "EPWISE_ANY_MACHINE": "1"}
    for arguments in ([str(prefix)], [str(prefix)]):  # twice: over itself
        done = subprocess.run(["sh", str(top / "install.sh"), *arguments], capture_output=True, text=True, env=environment)
        expect(f"{path.name} installs:", done.returncode == 0 and (prefix / "bin/epwise").exists(), done.stderr)
    program = folder / "epwise"
    shutil.copy(prefix / "bin/epwise", program)
    subprocess.run(["sh", str(top / "install.sh"), "--remove", str(prefix)], env=environment, check=True)
    expect(f"{path.name} removes what it installed:", not [each for each in prefix.rglob("*") if each.is_file()])
    if architecture != OURS:
        done = subprocess.run(["sh", str(top / "install.sh"), str(prefix)], capture_output=True, text=True, env=TODAY)
        expect(f"{path.name} does not install on another machine:", done.returncode == 1 and architecture in done.stderr)
    return program


def check_deb(path: pathlib.Path, architecture: str, glibc: str, program: pathlib.Path) -> None:
    def field(name: str) -> str:
        return subprocess.run(["dpkg-deb", "-f", path, name], check=True, capture_output=True, text=True).stdout.strip()

    expect(f"{path.name} is of its architecture:", field("Architecture") == DEBIAN[architecture], field("Architecture"))
    expect(f"{path.name} depends on glibc alone:", field("Depends") == f"libc6 (>= {glibc})", field("Depends"))
    folder = WORK / f"deb-{architecture}"
    subprocess.run(["dpkg-deb", "-x", path, folder], check=True)
    expect(f"{path.name} holds the program of the tarball:", (folder / "usr/bin/epwise").read_bytes() == program.read_bytes())
    for name in ("doc/epwise/copyright", "doc/epwise/third-party-licenses.gz", "man/man1/epwise.1.gz", "bash-completion/completions/epwise"):
        expect(f"{path.name} holds {name}", (folder / "usr/share" / name).exists())


def check_wheel(path: pathlib.Path, architecture: str, glibc: tuple[int, ...], program: pathlib.Path) -> None:
    folder = WORK / f"wheel-{architecture}"
    with zipfile.ZipFile(path) as archive:
        expect(f"{path.name} is whole:", archive.testzip() is None)
        names = archive.namelist()
        (record,) = [each for each in names if each.endswith("/RECORD")]
        rows = {row[0]: row[1] for row in csv.reader(archive.read(record).decode().splitlines())}
        expect(f"{path.name} records every file:", set(rows) == set(names), set(rows) ^ set(names))
        for name, digest in rows.items():
            sum_of = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
            expect(f"{path.name}: sum of {name}", digest == f"sha256={sum_of}" or name == record)
        archive.extractall(folder)
    expect(f"{path.name} holds the program of the tarball:", next(folder.glob("*.data/scripts/epwise")).read_bytes() == program.read_bytes())
    check_elf(folder / "epwise/_library.so", architecture, glibc)
    if architecture != OURS:
        return
    clean = WORK / "clean"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", clean], check=True)
    done = subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", clean / "bin/python", "install", "--no-index",
                           "--no-deps", path], capture_output=True, text=True)
    if "No module named pip" in done.stderr:
        print("packages/release: the wheel is not installed: this Python has no pip")
        return
    expect(f"{path.name} installs without a compiler:", done.returncode == 0, done.stderr)
    script = ('import epwise; r = epwise.lint({"model": {"num_layers": 4}, "train": {"global_batch_size": 10, "micro_batch_size": 3}}, gpus=8); '
              'print(r.framework, bool(r.findings), epwise.__version__)')
    done = subprocess.run([clean / "bin/python", "-I", "-c", script], capture_output=True, text=True, env={})
    expect(f"{path.name}: the module answers:", done.stdout.startswith("bridge True "), done.stdout + done.stderr)
    done = subprocess.run([clean / "bin/epwise", "--version"], capture_output=True, text=True, env={})
    expect(f"{path.name}: so does the command:", done.returncode == 0 and "epwise" in done.stdout)


def check_bill(path: pathlib.Path, packages: list[pathlib.Path]) -> None:
    document = json.loads(path.read_text())
    expect(f"{path.name} is CycloneDX:", (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5"))
    sums = {each["name"]: each["hashes"][0]["content"] for each in document["components"] if each["type"] == "file"}
    expect(f"{path.name} has the packages' sums:", sums == {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in packages})
    names = {each["name"] for each in document["components"] if each["type"] == "library"}
    expect(f"{path.name} names what the program holds:", {"yaml-cpp", "sqlite3", "fmt", "libc++", "boost"} <= names, names)
    expect(f"{path.name} gives each a version and a licence:", all(each["version"] and each["licenses"] for each in document["components"] if each["type"] == "library"))


def main() -> None:
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    glibc_text = (ROOT / "packaging/release/glibc").read_text().strip()
    glibc = tuple(map(int, glibc_text.split(".")))
    for tool in ("readelf", "dpkg-deb"):
        if shutil.which(tool) is None:
            skip(f"there is no {tool}")
    if not (out / "SHA256SUMS").exists():
        skip(f"no packages at {os.path.relpath(out, ROOT)}: `bash packaging/release.sh {os.path.relpath(out, ROOT)}` makes them")
    done = subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=out, capture_output=True, text=True)
    expect("SHA256SUMS", done.returncode == 0, done.stdout)
    asked = 0
    for bill in sorted(out.glob("*.cdx.json")):
        architecture = re.search(r"linux-(\w+)\.cdx", bill.name).group(1)
        (packed,) = out.glob(f"*-linux-{architecture}.tar.gz")
        (package,) = out.glob(f"*_{DEBIAN[architecture]}.deb")
        (wheel,) = out.glob(f"*_{architecture}.whl")
        expect(f"{wheel.name} is for every Python 3:", f"-py3-none-manylinux_{glibc_text.replace('.', '_')}_" in wheel.name)
        folder = WORK / architecture
        folder.mkdir()
        program = check_tarball(packed, architecture, folder)
        check_elf(program, architecture, glibc)
        check_deb(package, architecture, glibc_text, program)
        check_wheel(wheel, architecture, glibc, program)
        check_bill(bill, [packed, package, wheel])
        if architecture == OURS or shutil.which(f"qemu-{architecture}") and pathlib.Path(f"/usr/{architecture}-linux-gnu/lib").exists():
            asked += check_answers(program, architecture, build) + check_sessions(program, architecture, build)
        else:
            print(f"packages/release: the program of {architecture} is not run: no qemu-{architecture} or no libc6-arm64-cross")
    expect("an answer was compared", asked > 0)
    for line in failures:
        print(f"packages/release: FAILED: {line[:500]}")
    print(f"packages/release: {asked} answers compared, {len(failures)} failures")
    sys.exit(bool(failures))


try:
    main()
finally:
    shutil.rmtree(WORK)
