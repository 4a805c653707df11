#!/usr/bin/env bash
# On a GPU machine, beside what pack.sh put together: right results first, then rates, then two calibrations. Reads
# clocks and power, changes nothing. usage: run.sh OUT [STAGE…]; stages: small sanitize large quick full
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$1
shift
stages=${*:-small large quick}
export LD_LIBRARY_PATH="$here/lib:${LD_LIBRARY_PATH:-}"
mkdir -p "$out"
status=0

run() {  # name, command…
  local name=$1 begin=$SECONDS
  shift
  echo "== $name"
  "$@" 2>&1 | tee "$out/$name.log"
  local result=${PIPESTATUS[0]}
  echo "== $name: exit $result after $((SECONDS - begin)) s"
  [ "$result" -eq 0 ] || status=1
}

nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,power.draw,temperature.gpu --format=csv
for stage in $stages; do
  case $stage in
    small) run small timeout 120 "$here/device_kernels" ;;
    sanitize)
      for tool in memcheck racecheck synccheck; do
        run "sanitize-$tool" timeout 180 compute-sanitizer --tool "$tool" --error-exitcode 9 "$here/device_kernels"
      done
      ;;
    large) run large timeout 240 "$here/device_kernels" --large ;;
    quick)
      for number in 1 2; do
        begin=$SECONDS
        run "quick-$number" timeout 120 "$here/epwise" calibrate --backend cuda --quick --fresh -o "$out/quick-$number.yaml"
        echo $((SECONDS - begin)) >"$out/quick-$number.seconds"
      done
      run judge python3 "$here/judge.py" "$out"
      ;;
    full) run full timeout 420 "$here/epwise" calibrate --backend cuda --fresh -o "$out/full.yaml" ;;
    *) echo "no stage $stage" && status=2 ;;
  esac
done
exit $status
