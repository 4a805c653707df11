#!/usr/bin/env bash
# On a GPU machine, beside what pack.sh put together: right results first, then rates, then two calibrations. Reads
# clocks and power, changes nothing. usage: run.sh OUT [STAGE…]; stages: small sanitize large quick full
# OUT gets one file, device.tar.gz, written anew after every stage: a run that is cut short keeps what it had.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$1
shift
stages=${*:-small large quick}
mkdir -p "$out" || exit 2
work=$(mktemp -d)
status=0

run() { # seconds, name, command…
  local limit=$1 name=$2 begin=$SECONDS
  shift 2
  echo "== $name"
  # Ours alone get the libraries that travelled: other programs have their own.
  timeout -k 10 "$limit" env LD_LIBRARY_PATH="$here/lib:${LD_LIBRARY_PATH:-}" "$@" 2>&1 | tee "$work/$name.log"
  local result=${PIPESTATUS[0]}
  echo "== $name: exit $result after $((SECONDS - begin)) s"
  [ "$result" -eq 0 ] || status=1
  return "$result"
}

calibrate() { # seconds, name, options…
  local limit=$1 name=$2 begin=$SECONDS
  shift 2
  run "$limit" "$name" "$here/epwise" calibrate --backend cuda --fresh -o "$work/$name.yaml" "$@"
  echo $((SECONDS - begin)) >"$work/$name.seconds"
}

{
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,power.draw,temperature.gpu --format=csv
  nvidia-smi --query-compute-apps=pid,used_memory --format=csv
  uname -r
  for library in libcublasLt.so.13 libcublasLt.so.12 libnccl.so.2; do
    ldconfig -p | grep -m1 "$library" || echo "$library: not where the loader looks"
  done
} 2>&1 | tee "$work/machine.log"

for stage in $stages; do
  case $stage in
    small) run 120 small "$here/device_kernels" ;;
    sanitize)
      for tool in memcheck racecheck synccheck; do
        run 150 "sanitize-$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 "$here/device_kernels" --check
      done
      ;;
    large) run 150 large "$here/device_kernels" --large ;;
    quick)
      calibrate 90 quick-1 --quick
      calibrate 90 quick-2 --quick
      run 20 judge python3 "$here/judge.py" "$work"
      ;;
    full) calibrate 400 full ;;
    *) echo "no stage $stage" && status=2 ;;
  esac
  tar -C "$work" -czf "$out/device.tar.gz" .
done
rm -rf "$work"
exit $status
