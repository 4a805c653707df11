#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#   bash tests/run.sh         Release at -O1, warnings as errors, every test through ctest
#   bash tests/run.sh --ci    the deep checks: clang, sanitizers, fuzz targets, clang-tidy, formats
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tests/support/packages.sh
. tests/support/packages.sh
# shellcheck source=tests/support/timing.sh
. tests/support/timing.sh

# Where ccache stands, a second clone compiles only what has changed.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros # without it nothing that reads a precompiled header is kept
fi

case "${1:-}" in
  "") ;;
  --ci)
    need_packages "${build_packages[@]}" "${test_packages[@]}" "${deep_packages[@]}"
    exec bash tests/deep_checks.sh
    ;;
  *)
    echo "usage: bash tests/run.sh [--ci]" >&2
    exit 2
    ;;
esac

build=build/release-ci
jobs=$(nproc)
need_packages "${build_packages[@]}" "${test_packages[@]}"
need_packages "${optional_packages[@]}" ||
  say "Chromium could not be installed: the page of epwise explore will be skipped"
# The session with a language client skips without one; no network is no failure.
[ -x build/lsp-client/bin/python ] || bash tests/editor/install_client.sh >/dev/null 2>&1 ||
  say "No language client could be installed: the editor session will be skipped"
# So do pre-commit's hooks, and the wheel.
[ -x build/ci-tools/bin/pre-commit ] || bash tests/ci/install_tools.sh >/dev/null 2>&1 ||
  say "pre-commit could not be installed: its hooks will be skipped"
[ -e build/package-tools/complete ] || bash tests/packages/install_tools.sh >/dev/null 2>&1 ||
  say "What packs the wheel could not be installed: the wheel will be skipped"
say "Configuring $build: Release, warnings as errors"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEPWISE_CI=ON -DEPWISE_OPTIMISATION=1 \
  -DEPWISE_PYTHON=ON -DEPWISE_PRECOMPILE=ON
say "Building with $jobs cores"
timed "building" build_in "$build" --parallel "$jobs"
echo "-- built in $cost (limit: 900 s CPU without ccache)"

# shellcheck disable=SC2317 # timed calls it
run_tests() {
  # One more than there are cores: some tests wait for servers, terminals and time-outs.
  ctest --test-dir "$build" --parallel "$((jobs + 1))" --output-on-failure --no-tests=error 2>&1 | tee "$log"
}

say "Running every test"
log=$build/ctest.log
status=0
timed "the tests" run_tests || status=$?
echo "-- tests ran in $cost (limit: 120 s wall)"
# Last, so that whoever reads only the end sees the result: "100% tests passed, 0 tests failed out of 38".
grep -E '^[0-9]+% tests passed' "$log" || echo "no tests were run"
exit "$status"
