#!/usr/bin/env bash
# The unit tests, the examples of the rules and the sessions, built by the release's compiler for another architecture and run under
# qemu-user: every program but the four that take longest; with EPWISE_COMPLETE=1 those too.
#   bash tests/packages/emulated.sh ARCHITECTURE WORK      WORK: the folder of `packaging/release.sh --work`, after it
# Exit status 77: something is missing, and is named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
architecture=$1
work=$(realpath "$2")
prefix=$work/$architecture
build=$work/build-$architecture
slowest=(unit_advise unit_commands unit_fix rules)
# It forbids threads to a child process, and the emulator starts one.
excluded="Without threads the work is done in this one"

skip() {
  echo "emulated: skipped: $*" >&2
  exit 77
}

command -v "qemu-$architecture" >/dev/null || skip "there is no qemu-$architecture"
[ -d "$build" ] || skip "no build at $build: packaging/release.sh makes it"
config=$(find /usr/lib /usr/share -name doctestConfig.cmake 2>/dev/null | head -n 1)
[ -n "$config" ] || skip "there is no doctest (Debian: doctest-dev)"

# Of this machine's headers only this one is to be seen.
ln -sfn "/usr/include/doctest" "$prefix/include/doctest"
rm -rf "$prefix/share/cmake/doctest"
cp -rL "$(dirname "$config")" "$prefix/share/cmake/doctest"
sed -i "s|^set(_IMPORT_PREFIX \"/usr\")|set(_IMPORT_PREFIX \"$prefix\")|" "$prefix"/share/cmake/doctest/doctestTargets.cmake

cmake -S . -B "$build" -DBUILD_TESTING=ON >"$build.tests.log" 2>&1 || { tail -n 20 "$build.tests.log" >&2; exit 1; }
programs=(scenarios)
for folder in tests/unit/*/; do
  ! compgen -G "$folder*_test.cc" >/dev/null || programs+=("unit_$(basename "$folder")")
done
programs+=(rules)
chosen=()
for program in "${programs[@]}"; do
  if [ -z "${EPWISE_COMPLETE:-}" ] && [[ " ${slowest[*]} " == *" $program "* ]]; then
    echo "emulated: $program: left to a complete run"
  else
    chosen+=("$program")
  fi
done
cmake --build "$build" --parallel "$(nproc)" --target "${chosen[@]}" >>"$build.tests.log" 2>&1 ||
  { grep -A 5 'error:' "$build.tests.log" | head -n 60 >&2; tail -n 5 "$build.tests.log" >&2; exit 1; }

# run PROGRAM: its own last words, and its log where it fails.
run() {
  local log=$build/tests/$1.log
  if ! "qemu-$architecture" -L "/usr/$architecture-linux-gnu" "$build/tests/$1" --test-case-exclude="$excluded" >"$log" 2>&1; then
    echo "emulated: $1: FAILED"
    grep -B 6 -A 8 -E 'ERROR|FATAL' "$log" | head -n 60
    tail -n 3 "$log"
    return 1
  fi
  awk -v name="$1" -F '[|:]' '/test cases:/ {gsub(/ +/, " ", $3); print "emulated: " name ":" $3; found = 1} END {exit !found}' "$log"
}
export -f run
export architecture build excluded

printf '%s\n' "${chosen[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run {}'
