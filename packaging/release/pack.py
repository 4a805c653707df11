"""Packs a build of packaging/release.sh: tarball, .deb, wheel, SBOM. The same files give the same bytes: names are sorted, and times,
owners and modes come from here."""

import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import uuid
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}

# What the program holds: (name, Debian package, licence). A binary package of headers, or "source:NAME" where libraries.sh builds it.
LIBRARIES = (
    ("boost", "libboost-dev", "BSL-1.0"),
    ("cli11", "libcli11-dev", "BSD-3-Clause"),
    ("eigen", "libeigen3-dev", "MPL-2.0"),
    ("fmt", "source:fmtlib", "MIT"),
    ("mustache", "libkainjow-mustache-dev", "BSL-1.0"),
    ("nlohmann-json", "nlohmann-json3-dev", "MIT"),
    ("sqlite3", "source:sqlite3", "blessing"),
    ("yaml-cpp", "source:yaml-cpp", "MIT"),
)

INSTALL = """#!/bin/sh
# Installs epwise:  sh install.sh [PREFIX]        default: $HOME/.local as a user, /usr/local as root
#                   sh install.sh --remove [PREFIX]
set -eu
remove=no
if [ "${1:-}" = --remove ]; then
  remove=yes
  shift
fi
if [ "$(id -u)" -eq 0 ]; then default=/usr/local; else default=$HOME/.local; fi
prefix=${1:-$default}
cd "$(dirname "$0")"
if [ "$(uname -m)" != @ARCHITECTURE@ ]; then
  echo "install.sh: these files are for @ARCHITECTURE@, this machine is $(uname -m)" >&2
  [ -n "${EPWISE_ANY_MACHINE:-}" ] || exit 1
fi
while read -r file; do
  if [ "$remove" = yes ]; then
    rm -f "$prefix/$file"
  else
    mkdir -p "$prefix/$(dirname "$file")"
    cp "$file" "$prefix/$file.new.$$"
    mv -f "$prefix/$file.new.$$" "$prefix/$file"
  fi
done <files
[ "$remove" = yes ] || echo "installed: $prefix/bin/epwise"
"""


def staged(build: pathlib.Path, folder: pathlib.Path) -> None:
    """What `cmake --install` lays out, without the leading prefix."""
    subprocess.run(["cmake", "--install", build, "--component", "epwise", "--prefix", folder], check=True, stdout=subprocess.DEVNULL)


def files_below(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted((each for each in folder.rglob("*") if each.is_file()), key=lambda each: each.relative_to(folder).as_posix())


def mode_of(path: pathlib.Path) -> int:
    return 0o755 if path.stat().st_mode & 0o100 else 0o644


def tarball(stage: pathlib.Path, top: str, target: pathlib.Path, options: argparse.Namespace) -> None:
    rows = [(each.relative_to(stage).as_posix(), each.read_bytes(), mode_of(each)) for each in files_below(stage)]
    listing = "".join(f"{name}\n" for name, _, _ in rows)
    rows += [("files", listing.encode(), 0o644), ("install.sh", INSTALL.replace("@ARCHITECTURE@", options.architecture).encode(), 0o755)]
    with target.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=options.epoch) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for name, content, mode in sorted(rows):
                entry = tarfile.TarInfo(f"{top}/{name}")
                entry.size, entry.mode, entry.mtime = len(content), mode, options.epoch
                entry.uname = entry.gname = "root"
                archive.addfile(entry, io.BytesIO(content))


def debian(work: pathlib.Path, options: argparse.Namespace) -> pathlib.Path:
    """cpack's package, packed anew: with times of the commit, and its list of sums in order."""
    made = work / "cpack"
    architecture = DEBIAN[options.architecture]
    subprocess.run(["cpack", "-G", "DEB", "--config", options.build / "CPackConfig.cmake", "-B", made, "-D", "CPACK_STRIP_FILES=OFF",
                    "-D", f"CPACK_DEBIAN_PACKAGE_ARCHITECTURE={architecture}",
                    "-D", f"CPACK_DEBIAN_PACKAGE_DEPENDS=libc6 (>= {options.glibc})"], check=True, stdout=subprocess.DEVNULL)
    (package,) = made.glob("*.deb")
    tree = work / "deb"
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    sums = tree / "DEBIAN/md5sums"
    sums.write_text("".join(sorted(sums.read_text().splitlines(keepends=True), key=lambda line: line.split("  ", 1)[1])))
    for each in [tree, *tree.rglob("*")]:
        os.utime(each, (options.epoch, options.epoch), follow_symlinks=False)
    target = options.out / f"epwise_{options.version}-1_{architecture}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, target], check=True, stdout=subprocess.DEVNULL)
    return target


def readme_and_fields() -> str:
    """The fields of pyproject.toml that a wheel's METADATA has."""
    text = (ROOT / "pyproject.toml").read_text()
    field = {name: re.search(rf'^{name} = "(.*)"$', text, re.M).group(1) for name in ("description", "license", "requires-python")}
    return (f"Summary: {field['description']}\nLicense-Expression: {field['license']}\nLicense-File: LICENSE\n"
            f"Requires-Python: {field['requires-python']}\nDescription-Content-Type: text/markdown\n\n{(ROOT / 'README.md').read_text()}")


def wheel(stage: pathlib.Path, options: argparse.Namespace) -> pathlib.Path:
    tag = f"py3-none-manylinux_{options.glibc.replace('.', '_')}_{options.architecture}"
    name = f"epwise-{options.version}"
    rows = {}
    for path in files_below(ROOT / "python/epwise"):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            rows[f"epwise/{path.relative_to(ROOT / 'python/epwise').as_posix()}"] = (path.read_bytes(), 0o644)
    rows["epwise/_library.so"] = ((options.build / "python/_library.so").read_bytes(), 0o755)
    rows[f"{name}.data/scripts/epwise"] = ((stage / "bin/epwise").read_bytes(), 0o755)
    rows[f"{name}.data/data/share/man/man1/epwise.1"] = ((stage / "share/man/man1/epwise.1").read_bytes(), 0o644)
    rows[f"{name}.dist-info/METADATA"] = (f"Metadata-Version: 2.4\nName: epwise\nVersion: {options.version}\n{readme_and_fields()}".encode(), 0o644)
    rows[f"{name}.dist-info/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: epwise packaging/release\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644)
    rows[f"{name}.dist-info/entry_points.txt"] = (b"[pytest11]\nepwise = epwise.pytest_plugin\n", 0o644)
    rows[f"{name}.dist-info/licenses/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), 0o644)
    rows[f"{name}.dist-info/licenses/third-party-licenses"] = ((options.build / "documents/third-party-licenses").read_bytes(), 0o644)
    record = f"{name}.dist-info/RECORD"
    sums = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
                   for path, (content, _) in sorted(rows.items()))
    rows[record] = (f"{sums}{record},,\n".encode(), 0o644)
    target = options.out / f"{name}-{tag}.whl"
    when = time.gmtime(max(options.epoch, 315532800))[:6]  # a zip knows no year before 1980
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, (content, mode) in sorted(rows.items(), key=lambda row: (row[0] == record, row[0])):
            entry = zipfile.ZipInfo(path, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return target


def installed_version(package: str, libraries: pathlib.Path) -> str:
    if package.startswith("source:"):
        name = package.removeprefix("source:")
        (description,) = (libraries / "sources").glob(f"{name}_*.dsc")
        return description.stem.split("_", 1)[1]
    return subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], check=True, capture_output=True, text=True).stdout


def bill(targets: list[pathlib.Path], stage: pathlib.Path, options: argparse.Namespace) -> pathlib.Path:
    """CycloneDX 1.5: the program, what it holds, and the sums of the packages."""
    def component(name: str, version: str, licence: str, url: str) -> dict:
        return {"type": "library", "bom-ref": name, "name": name, "version": version, "licenses": [{"license": {"id": licence}}], "purl": url}

    components = []
    for name, package, licence in LIBRARIES:
        version = installed_version(package, options.libraries)
        kind = "?arch=source" if package.startswith("source:") else ""
        components.append(component(name, version, licence, f"pkg:deb/debian/{package.removeprefix('source:')}@{version}{kind}"))
    zig = subprocess.run([options.libraries / "zig/ziglang/zig", "version"], check=True, capture_output=True, text=True).stdout.strip()
    components.append({**component("libc++", zig, "Apache-2.0", f"pkg:pypi/ziglang@{zig}"),
                       "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}], "description": f"of LLVM, as ziglang {zig} brings it"})
    sums = [{"type": "file", "name": each.name, "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(each.read_bytes()).hexdigest()}]}
            for each in targets]
    program = hashlib.sha256((stage / "bin/epwise").read_bytes()).hexdigest()
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, program)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(options.epoch)),
            "component": {"type": "application", "bom-ref": "epwise", "name": "epwise", "version": options.version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}], "hashes": [{"alg": "SHA-256", "content": program}],
                          "properties": [{"name": "epwise:architecture", "value": options.architecture},
                                         {"name": "epwise:glibc", "value": options.glibc}]},
        },
        "components": components + sums,
        "dependencies": [{"ref": "epwise", "dependsOn": [each["bom-ref"] for each in components]}],
    }
    target = options.out / f"epwise-{options.version}-linux-{options.architecture}.cdx.json"
    target.write_text(json.dumps(document, indent=2) + "\n")
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--libraries", type=pathlib.Path, required=True)
    parser.add_argument("--architecture", choices=sorted(DEBIAN), required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--glibc", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    options = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        stage = work / "stage"
        staged(options.build, stage)
        top = f"epwise-{options.version}-linux-{options.architecture}"
        packed = options.out / f"{top}.tar.gz"
        tarball(stage, top, packed, options)
        targets = [packed, debian(work, options), wheel(stage, options)]
        for each in [*targets, bill(targets, stage, options)]:
            print(f"{each.name}: {each.stat().st_size:,} bytes")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
