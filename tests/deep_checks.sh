#!/usr/bin/env bash
# The deep checks of `tests/run.sh --ci`, which installs their packages first. Each step says what it does and how
# long it took; a step that fails doesn't stop the others, and the last line counts both.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

build=build/deep
jobs=$(nproc)
fuzz_seconds=20
passed=0
failed=()

# step NAME COMMAND…
step() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then
    passed=$((passed + 1))
    echo "-- $name: passed in $((SECONDS - start)) s"
  else
    failed+=("$name")
    echo "-- $name: FAILED after $((SECONDS - start)) s"
  fi
}

# One build serves the sanitizers, clang's warnings and the fuzz targets. Without optimisation it takes half the time,
# and what runs in it is short.
configure() {
  CXX=clang++ CC=clang cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g1" -DEPWISE_CI=ON -DEPWISE_SANITIZE=ON -DEPWISE_FUZZ=ON
}

compile() {
  cmake --build "$build" --parallel "$jobs" -- -k 0  # every mistake in one run
}

# Without those that ask for thousands of verdicts; the corpus stands in for them.
sanitized_tests() {
  ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error --exclude-regex '^agreement/'
}

# Findings are no failure (exit status 1), nor are files that hold no recipe (3).
sanitized_corpus() {
  local status=0
  "$build/epwise" lint ../shared/corpus --hw h100 --gpus 64 --format concise >"$build/corpus.log" 2>&1 || status=$?
  tail -n 3 "$build/corpus.log"
  [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
}

fuzz() {
  local name=$1 work=$build/fuzz/$1
  mkdir -p "$work"
  local folders=("$work")
  [ -d "tests/fuzz/seeds/$name" ] && folders+=("tests/fuzz/seeds/$name")
  if ! "$build/tests/fuzz_$name" -max_total_time="$fuzz_seconds" -timeout=30 -rss_limit_mb=2048 -max_len=8192 -seed=1 \
    -artifact_prefix="$work-" -print_final_stats=1 "${folders[@]}" >"$work.log" 2>&1; then
    tail -n 40 "$work.log"
    return 1
  fi
  grep -E 'number_of_executed_units|peak_rss_mb' "$work.log"
}

tidy() {
  local status=0
  run-clang-tidy -quiet -j "$jobs" -p "$build" "$PWD/src/.*\.cc$" >"$build/tidy.log" 2>&1 || status=$?
  # A finding in a header comes once a file that includes it.
  sed 's/\x1b\[[0-9;]*m//g' "$build/tidy.log" | grep -E '(warning|error):' | sort -u
  return "$status"
}

formats() {
  git ls-files --cached --others --exclude-standard 'src/*.h' 'src/*.cc' 'tests/*.h' 'tests/*.cc' |
    xargs clang-format --dry-run --Werror
}

scripts() {
  git ls-files --cached --others --exclude-standard '*.sh' .ci/run | xargs shellcheck -x
}

step "shell scripts (shellcheck)" scripts
step "formatting (clang-format)" formats
step "configuring for clang with sanitizers" configure
step "building with clang, warnings as errors" compile
step "every test under the address and undefined-behaviour sanitizers" sanitized_tests
if [ -d ../shared/corpus ]; then
  step "the recipes of ../shared/corpus under the sanitizers" sanitized_corpus
else
  printf '\n== the recipes of ../shared/corpus: skipped, it is absent\n'
fi
for target in tests/fuzz/*_fuzzer.cc; do
  name=$(basename "$target" _fuzzer.cc)
  step "fuzzing $name for $fuzz_seconds s" fuzz "$name"
done
# Told, not counted: nobody has seen it go through every file yet (it takes as long as all the rest together).
printf '\n== clang-tidy over src, for information\n'
tidy || echo "-- clang-tidy over src: has findings"

for name in "${failed[@]}"; do
  echo "failed: $name"
done
printf '\n%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ ${#failed[@]} -eq 0 ]
