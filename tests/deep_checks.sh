#!/usr/bin/env bash
# The deep checks of `tests/run.sh --ci`, which installs their packages first. Each step says what it does and what it took in
# wall and CPU seconds; a step that fails doesn't stop the others, and the last line counts both. EPWISE_DEEP_UNTIL, in
# seconds since 1970, ends them: the step that runs then, and those that never ran, have failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=tests/support/timing.sh
. tests/support/timing.sh

build=build/asan # of the preset
jobs=$(nproc)
fuzz_seconds=20
evidence=${EPWISE_EVIDENCE:-../shared} # tests/README.md, "Data that is not in the repository"

scripts() {
  git ls-files --cached --others --exclude-standard '*.sh' .ci/run | xargs shellcheck -x
}

formats() {
  git ls-files --cached --others --exclude-standard 'src/*.h' 'src/*.cc' 'tests/*.h' 'tests/*.cc' 'kernels/*.cu' 'kernels/*.cuh' |
    xargs clang-format --dry-run --Werror
}

# One build serves the sanitizers, clang's warnings, the fuzz targets, clang-tidy, clashes of names within a module and headers
# that do not compile alone.
configure() {
  cmake --preset asan
}

compile() {
  build_in "$build" --parallel "$jobs" -- -k 0 # every mistake in one run
}

# Without those that ask for thousands of verdicts or outputs (the corpus and the sessions stand in), and without fits.
sanitized_tests() {
  ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error \
    --exclude-regex '^(agreement/|evidence/|fit/|schemas/o)' \
    >"$build/ctest.log" 2>&1
  local status=$?
  # The slowest tell where time can be saved.
  awk '/ Test +#[0-9]+:.* sec *$/ {
    seconds = $(NF - 1); sub(/^.* Test +#[0-9]+: /, ""); sub(/ *\.\.+ *[A-Z*].*$/, ""); print seconds " s  " $0
  }' "$build/ctest.log" | sort -rn | head -n 5
  # The output of those that failed stands below their lines.
  [ "$status" -eq 0 ] ||
    awk '/^ *[0-9]+\/[0-9]+ +Test +#/ {shown = !/(Passed|\*\*\*Skipped) +[0-9.]+ sec/} /^ *Start +[0-9]+:/ {shown = 0} shown' "$build/ctest.log" |
    tail -n 300
  sed -n '/% tests passed/,$p' "$build/ctest.log"
  return "$status"
}

# Findings are no failure (exit status 1), nor are files that hold no recipe (3).
sanitized_corpus() {
  local status=0
  "$build/epwise" lint "$evidence/corpus" --hw h100 --gpus 64 --format concise >"$build/corpus.log" 2>&1 || status=$?
  tail -n 3 "$build/corpus.log"
  [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
}

# The file .done is there when the target was run to its end and found nothing.
fuzz() {
  local name=$1 work=$build/fuzz/$1
  mkdir -p "$work"
  local folders=("$work")
  [ -d "tests/fuzz/seeds/$name" ] && folders+=("tests/fuzz/seeds/$name")
  # The time-out is of the wall clock: a second of work took 30 on a machine that others kept busy.
  if ! "$build/tests/fuzz_$name" -max_total_time="$fuzz_seconds" -timeout=120 -rss_limit_mb=2048 -max_len=8192 -seed=1 \
    -artifact_prefix="$work-" -print_final_stats=1 "${folders[@]}" >"$work.log" 2>&1; then
    # What CI keeps of its output is the end: the finding and its input are told again there.
    {
      grep -m1 -E '^(SUMMARY|==[0-9]+== *ERROR|.*: runtime error|.*: what must hold does not)' "$work.log" || echo "no message"
      find "$build/fuzz" -maxdepth 1 -name "$name-*" -exec sh -c 'echo "input $1: $(base64 -w0 "$1" | head -c 3000)"' sh {} ';'
    } >"$work.why"
    echo "fuzzing $name: FAILED"
    tail -n 40 "$work.log"
    return 1
  fi
  touch "$work.done"
  echo "fuzzing $name: $(awk '/number_of_executed_units/ {units = $2} /peak_rss_mb/ {peak = $2}
    END {print units " inputs, " peak " MB"}' "$work.log")"
}

fuzz_targets() {
  basename -a -s _fuzzer.cc tests/fuzz/*_fuzzer.cc
}

# One on each core.
fuzz_all() {
  rm -f "$build"/fuzz/*.done "$build"/fuzz/*.why
  fuzz_targets | xargs -P "$jobs" -I{} bash tests/deep_checks.sh --step fuzz {}
}

# The translation units of src/: the batches of a module, and sources that stand alone; the longest first.
tidy_units() {
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | grep -E "^$PWD/($build/)?src/.*\.(cc|cxx)$" |
    sort -u | xargs wc -l | grep -v ' total$' | sort -rn | awk '{print $2}'
}

tidy() {
  local found status=0
  found=$(clang-tidy --quiet -p "$build" "$1" 2>/dev/null) || status=$?
  [ -z "$found" ] || printf '%s\n' "$found"
  [ "$status" -ne 0 ] || echo "$1" >>"$build/tidy.done"
  return "$status"
}

tidy_all() {
  : >"$build/tidy.done"
  tidy_units | xargs -P "$jobs" -n 1 bash tests/deep_checks.sh --step tidy
}

# A cross build of the packages, and the program under qemu-user; skipped, visibly, where tools, the network or the time are missing.
released_packages() {
  # shellcheck source=tests/support/packages.sh
  . tests/support/packages.sh
  local status=0 left=$((${EPWISE_DEEP_UNTIL:-$((EPOCHSECONDS + 1000000))} - EPOCHSECONDS)) needed=1800
  if [ "$left" -lt "$needed" ]; then
    echo "packages: skipped: $left s are left, and a cross build may take $needed"
    return 0
  fi
  need_packages python3-pip qemu-user libc6-arm64-cross tcl dpkg-dev >/dev/null || true # release.sh names what is missing
  local options=()
  command -v nvcc >/dev/null || options=(--no-kernels)
  bash packaging/release.sh --architecture aarch64 --optimisation 1 "${options[@]}" build/packages || status=$?
  [ "$status" -ne 77 ] || return 0
  [ "$status" -eq 0 ] || return "$status"
  EPWISE_COMPLETE=1 python3 tests/packages/release.py build/release-ci build/packages || return 1
  bash tests/packages/emulated.sh aarch64 build/release-packages || status=$?
  [ "$status" -eq 77 ] || return "$status"
}

if [ "${1:-}" = --step ]; then
  shift
  "$@"
  exit
fi

passed=0
failed=()
deadline=${EPWISE_DEEP_UNTIL:-$((EPOCHSECONDS + 1000000))}

# step NAME FUNCTION: in a process of its own, so that it can be ended at the deadline. Returns 2 when no time was left for it.
step() {
  local name=$1 status=0 left=$((deadline - EPOCHSECONDS))
  printf '\n== %s\n' "$name"
  if [ "$left" -le 0 ]; then
    failed+=("$name: out of time before it began")
    echo "-- $name: FAILED, no time was left"
    note_time FAILED "$name: out of time before it began" 0 0
    return 2
  fi
  timed "$name" timeout --kill-after=20 "$left" bash tests/deep_checks.sh --step "$2" || status=$?
  case $status in
    0)
      passed=$((passed + 1))
      echo "-- $name: passed in $cost"
      ;;
    124 | 137)
      failed+=("$name: out of time")
      echo "-- $name: FAILED, out of time after $cost"
      ;;
    *)
      failed+=("$name")
      echo "-- $name: FAILED after $cost"
      ;;
  esac
}

step "shell scripts (shellcheck)" scripts
step "formatting (clang-format)" formats
step "configuring for clang with sanitizers" configure
step "building with clang, warnings as errors" compile
step "every test under the address and undefined-behaviour sanitizers" sanitized_tests
if [ -d "$evidence/corpus" ]; then
  step "the recipes of $evidence/corpus under the sanitizers" sanitized_corpus
else
  printf '\n== the recipes of the corpus: skipped, no data at %s\n' "$evidence/corpus"
fi
if step "fuzzing every target for $fuzz_seconds s" fuzz_all; then
  for target in $(fuzz_targets); do
    [ -e "$build/fuzz/$target.done" ] || failed+=("fuzzing $target: $(cat "$build/fuzz/$target.why" 2>/dev/null || echo "did not end")")
  done
fi
if step "clang-tidy over src, warnings as errors" tidy_all; then
  for unit in $(tidy_units); do
    grep -qxF "$unit" "$build/tidy.done" || failed+=("clang-tidy over ${unit#"$PWD/"}: has findings or did not end")
  done
fi

release_seconds=3000 # of a cross build with two cores, beside other work
if [ $((deadline - EPOCHSECONDS)) -ge "$release_seconds" ]; then
  step "packages for aarch64, under qemu-user" released_packages
else
  printf '\n== packages for aarch64: skipped, a cross build takes up to %s s and fewer are left\n' "$release_seconds"
fi

printf '\n'
for name in "${failed[@]}"; do
  echo "failed: $name"
done
printf '\n%d steps passed, %d failures\n' "$passed" "${#failed[@]}"
[ ${#failed[@]} -eq 0 ]
