#!/usr/bin/env bash
# Packs the program and the module of a build folder into a wheel, installs it into an empty virtual environment and
# runs the tests of python/ there.
#   bash tests/packages/wheel.sh BUILD [PYTHON]      PYTHON: with the tools of install_tools.sh, which also build the module
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "$1")
python=${2:-build/package-tools/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "packages/wheel: $*" >&2
  exit 1
}

skip() {
  echo "packages/wheel: skipped: $*"
  exit 77
}

[ -x "$python" ] || skip "$python is missing: bash tests/packages/install_tools.sh"
[ -e "$build/python/_library.so" ] || skip "the build has no library of the Python package (EPWISE_PYTHON)"
"$python" -c 'import pytest, scikit_build_core, wheel, yaml' || fail "$python lacks tools: bash tests/packages/install_tools.sh"

# 1. The wheel. Its tag says from which glibc on it installs; deb.sh measures that the program keeps it.
"$python" -m pip --quiet --disable-pip-version-check wheel . --no-build-isolation --no-deps --no-index -w "$work" \
  --config-settings=build-dir="$work/cmake" --config-settings=cmake.define.EPWISE_BUILT="$build"
oldest=$(sed -n 's/^set(EPWISE_OLDEST_GLIBC \(.*\))$/\1/p' packaging/debian/package.cmake)
for needed in $(objdump -T "$build/python/_library.so" | grep -o 'GLIBC_[0-9.]*' | LC_ALL=C sort -Vu); do
  newest=${needed#GLIBC_}
done
[ "$newest" = "$(printf '%s\n' "$newest" "$oldest" | sort -V | head -n 1)" ] || fail "the module needs glibc $newest, the program $oldest"
libraries=$(readelf -d "$build/python/_library.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort | tr '\n' ' ')
[ "$libraries" = "ld-linux-x86-64.so.2 libc.so.6 libm.so.6 " ] || fail "the module needs $libraries"
"$python" -m wheel tags --platform-tag "manylinux_${oldest/./_}_x86_64" --remove "$work"/epwise-*.whl >/dev/null
wheel=$(echo "$work"/epwise-*manylinux*.whl)

# 2. An environment that holds nothing else.
"$python" -m venv --without-pip "$work/clean"
"$python" -m pip --quiet --disable-pip-version-check --python "$work/clean/bin/python" install --no-index --no-deps "$wheel"
cd "$work"
cmp <(env -i "$work/clean/bin/epwise" --version) <("$build/epwise" --version) || fail "the wheel's command is another program"
env -i "$work/clean/bin/python" -c '
import epwise
report = epwise.lint({"model": {"num_layers": 4}, "train": {"global_batch_size": 10, "micro_batch_size": 3}}, gpus=8)
assert report.framework == "bridge" and report.findings, report
' || fail "the module doesn't work in an environment of its own"

cd - >/dev/null

# 3. Its types, as a caller's mypy sees them. What mypy has read of Python's own library stays for the next run.
types=$build/mypy-cache
if "$python" -c 'import mypy' 2>/dev/null; then
  "$python" -m mypy --strict --no-error-summary --cache-dir "$types" --python-executable "$work/clean/bin/python" \
    tests/packages/typed_caller.py || fail "mypy --strict objects to tests/packages/typed_caller.py"
  "$python" -m mypy --strict --no-error-summary --cache-dir "$types" python/epwise || fail "mypy --strict objects to the module"
else
  echo "packages/wheel: types are not checked: $python has no mypy"
fi

# 4. The tests, with pytest beside it.
tools=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$tools" >"$("$work/clean/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tools.pth"
EPWISE_BINARY="$work/clean/bin/epwise" "$work/clean/bin/python" -m pytest -q -p no:cacheprovider -p pytester -c /dev/null \
  --rootdir tests/packages/python tests/packages/python

# 5. The recipes of Megatron-Bridge, where its sources are.
evidence=${EPWISE_EVIDENCE:-../shared}
oracle=${EPWISE_ORACLE:-$HOME/.cache/epwise-oracle}
version='import sys; print(sys.version_info[:2])'
if [ ! -x "$oracle/venv/bin/python" ]; then
  echo "packages/wheel: Megatron-Bridge's own recipes are skipped: $oracle is missing (tests/oracle/launch/setup.sh)"
elif [ "$("$oracle/venv/bin/python" -c "$version")" != "$("$python" -c "$version")" ]; then
  echo "packages/wheel: Megatron-Bridge's own recipes are skipped: $oracle has another Python than the wheel"
else
  "$python" -m pip --quiet --disable-pip-version-check install --no-index --no-deps --target "$work/site" "$wheel"
  corpus=$(if [ -d "$evidence/corpus" ]; then realpath "$evidence/corpus"; fi)
  PYTHONPATH=$work/site "$oracle/venv/bin/python" tests/packages/megatron_recipes.py ${corpus:+"$corpus"}
fi
echo "packages/wheel: $(basename "$wheel") of $(stat -c %s "$wheel") bytes"
