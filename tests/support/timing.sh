# Sourced by .ci/run, tests/run.sh, tests/deep_checks.sh and examples/quickstart.sh: what a step costs, and how far a build is.
# shellcheck shell=bash

ticks_a_second=$(getconf CLK_TCK)

# Sets `cpu` to the CPU seconds of this shell and of all processes that it has waited for.
read_cpu() {
  local fields
  read -r -a fields <"/proc/$BASHPID/stat"
  cpu=$(((fields[13] + fields[14] + fields[15] + fields[16]) / ticks_a_second))
}

# note_time RESULT NAME WALL CPU: a row of the table at the end of .ci/run, which names the file in EPWISE_TIMES.
note_time() {
  [ -z "${EPWISE_TIMES:-}" ] || printf '%s\t%s\t%s\t%s\n' "$@" >>"$EPWISE_TIMES"
}

# timed NAME COMMAND…: runs the command, then sets `cost` to "12 s wall, 20 s CPU"; returns the command's status.
timed() {
  local name=$1 started=$SECONDS status=0 before wall
  shift
  read_cpu
  before=$cpu
  "$@" || status=$?
  read_cpu
  wall=$((SECONDS - started))
  # shellcheck disable=SC2034 # for whoever sources this
  cost="$wall s wall, $((cpu - before)) s CPU"
  local result=passed
  [ "$status" -eq 0 ] || result=FAILED
  note_time "$result" "$name" "$wall" "$((cpu - before))"
  return "$status"
}

# Adds the time left to the lines of a build whose NINJA_STATUS is "[%f/%t %es] ". On a terminal they share one line.
progress() {
  local line finished total elapsed open=no
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\ ([0-9]+)(\.[0-9]+)?s\]\ (.*)$ ]]; then
      finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} elapsed=${BASH_REMATCH[3]}
      line="[$finished/$total, $elapsed s"
      [ "$finished" -eq 0 ] || line+=", about $((elapsed * (total - finished) / finished)) s left"
      line+="] ${BASH_REMATCH[5]}"
      if [ -t 1 ]; then
        printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$line"
        open=yes
        continue
      fi
    elif [ "$open" = yes ]; then
      echo
      open=no
    fi
    printf '%s\n' "$line"
  done
  [ "$open" = no ] || echo
}

# build_in FOLDER ARGUMENT…: cmake --build with progress.
build_in() {
  (
    set -o pipefail
    NINJA_STATUS="[%f/%t %es] " cmake --build "$@" 2>&1 | progress
  )
}
