#!/usr/bin/env bash
# Runs every fuzz target under the address and undefined-behaviour sanitizers for HOURS in all, one on each core, and adds what was
# executed without a finding to tests/fuzz/soaked.tsv: inputs made of known parts (tests/support/choices.h) apart from those of any
# bytes. After a twentieth of the time in equal parts, slow targets get more of the rest than fast ones. Inputs that were found
# stay in build/soak/inputs and are the start of the next run. Without targets, it then lints all verdict vectors and recipes of
# the corpus under the same sanitizers (tests/README.md, "Data that is not in the repository"; skipped without), and runs what
# works in many threads under the thread sanitizer.
#   bash tests/fuzz/soak.sh HOURS [TARGET]…         HOURS: also 0.5; targets: structure, launch, …
# Exit status 1: a finding; its input and its message are named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/soak
count_file=tests/fuzz/soaked.tsv

# soak_one TARGET SECONDS: appends "TARGET<tab>structured executions<tab>of bytes<tab>seconds" to $build/inputs/counts, or TARGET to
# $build/inputs/failed.
soak_one() {
  local name=$1 seconds=$2 work=$build/inputs/$1 status=0
  mkdir -p "$work"
  local folders=("$work")
  [ -d "tests/fuzz/seeds/$name" ] && folders+=("tests/fuzz/seeds/$name")
  "$build/tests/fuzz_$name" -max_total_time="$seconds" -entropic=0 -timeout=60 -rss_limit_mb=3072 -max_len=8192 -artifact_prefix="$work-" \
    -print_final_stats=1 "${folders[@]}" >"$work.log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    echo "$name" >>"$build/inputs/failed"
    echo "soak: $name: FAILED, see $work.log and $work-*"
    tail -n 5 "$work.log"
    return 1
  fi
  local executions structured
  executions=$(awk '/number_of_executed_units/ {print $2}' "$work.log")
  structured=$(awk '/^structured_executions:/ {print $2}' "$work.log")
  printf '%s\t%d\t%d\t%d\n' "$name" "${structured:-0}" "$((executions - ${structured:-0}))" "$seconds" >>"$build/inputs/counts"
  echo "soak: $name: $executions executions in $seconds s, ${structured:-0} of them structured"
}

# What each target gets of a number of seconds, by what it has executed so far, the longest first: "TARGET<tab>seconds". Ten times as
# slow: three times as long. Four times as long for known parts, which reach further than bytes. At most WALL seconds.
shares() {
  local rest=$1 wall=$2
  awk -F '\t' -v rest="$rest" -v wall="$wall" '
    {executions[$1] += $2 + $3; structured[$1] += $2; seconds[$1] += $4}
    END {
      for (name in executions) {
        weight[name] = sqrt(seconds[name] / (executions[name] + 1)) * (structured[name] > 0 ? 4 : 1)
        sum += weight[name]
      }
      for (name in weight) {
        share = rest * weight[name] / sum
        printf "%s\t%d\n", name, (share < wall ? share : wall) + 1
      }
    }' "$build/inputs/counts" | LC_ALL=C sort -t "$(printf '\t')" -k2,2nr -k1,1
}

# The recipes that the real validators judged, under the sanitizers. Findings of lint (exit status 1) and files that are none of
# ours (3) are usual.
recipes_sanitized() {
  local evidence=${EPWISE_EVIDENCE:-../shared} status=0
  if [ ! -d "$evidence/vectors" ]; then
    echo "soak: vectors and corpus: skipped, no data at $evidence"
    return 0
  fi
  python3 tests/agreement/vectors.py "$build/epwise" --all >"$build/inputs/vectors.log" 2>&1 || {
    echo "soak: vectors: FAILED, see $build/inputs/vectors.log"
    return 1
  }
  echo "soak: vectors: none failed under the sanitizers"
  "$build/epwise" lint "$evidence/corpus" --hw h100 --gpus 64 -f concise >"$build/inputs/corpus.log" 2>&1 || status=$?
  if [ "$status" -ne 0 ] && [ "$status" -ne 1 ] && [ "$status" -ne 3 ]; then
    echo "soak: corpus: FAILED with status $status, see $build/inputs/corpus.log"
    return 1
  fi
  echo "soak: corpus: no finding of the sanitizers"
}

# Many files at once, the language server, the page of `epwise explore`, and `epwise watch`.
threads_sanitized() {
  cmake --preset tsan >/dev/null
  cmake --build build/tsan --parallel "$(nproc)" --target epwise >/dev/null
  TSAN_OPTIONS="halt_on_error=1 exitcode=66" ctest --test-dir build/tsan --output-on-failure --no-tests=error \
    -R '^(ci/many|editor/session|explore/server|session/watch)$' >"$build/inputs/threads.log" 2>&1 || {
    echo "soak: threads: FAILED, see $build/inputs/threads.log"
    return 1
  }
  echo "soak: threads: no finding of the thread sanitizer"
}

if [ "${1:-}" = --one ]; then
  soak_one "$2" "$3"
  exit
fi
case "${1:-}" in
  '' | *[!0-9.]*)
    sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
hours=$1
shift
targets=("$@")
all=$([ $# -eq 0 ] && echo yes || echo no)
if [ ${#targets[@]} -eq 0 ]; then
  for source in tests/fuzz/*_fuzzer.cc; do
    targets+=("$(basename -s _fuzzer.cc "$source")")
  done
fi
command -v clang++ >/dev/null || {
  echo "soak: skipped: there is no clang++" >&2
  exit 77
}
# Preset asan compiles fastest (-O0); here the programs run for hours.
cmake --preset asan -B "$build" -D CMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]/#/fuzz_}" >/dev/null
mkdir -p "$build/inputs"
: >"$build/inputs/counts"
: >"$build/inputs/failed"
wall=$(awk -v hours="$hours" 'BEGIN {printf "%d", hours * 3600 * 19 / 20}')
rest=$((wall * $(nproc)))
equal=$((rest / 19 / ${#targets[@]} + 1))
status=0
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash tests/fuzz/soak.sh --one {} "$equal" || status=1
# A target with a finding is not run again.
shares "$rest" "$wall" | xargs -r -P "$(nproc)" -L 1 bash tests/fuzz/soak.sh --one || status=1

if [ "$all" = yes ]; then
  recipes_sanitized || status=1
  threads_sanitized || status=1
fi

# The sums so far, without those of a target that failed in either round.
today=$(date -u +%F)
touch "$count_file"
sums=$(awk -F '\t' -v today="$today" '
  FILENAME == ARGV[1] {failed[$1] = 1; next}
  FILENAME == ARGV[2] {if ($1 !~ /^#/) {structured[$1] = $2; bytes[$1] = $3; day[$1] = $4}; next}
  !($1 in failed) {structured[$1] += $2; bytes[$1] += $3; day[$1] = today}
  END {for (name in day) printf "%s\t%d\t%d\t%s\n", name, structured[name], bytes[name], day[name]}' \
  "$build/inputs/failed" "$count_file" "$build/inputs/counts" | LC_ALL=C sort)
{
  sed -n '/^#/p' "$count_file"
  printf '%s\n' "$sums"
} >"$count_file.new"
mv "$count_file.new" "$count_file"
awk -F '\t' '
  !/^#/ {structured += $2; bytes += $3}
  END {printf "soak: %d structured executions and %d of bytes in all\n", structured, bytes}' "$count_file"
exit "$status"
