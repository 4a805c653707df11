#!/usr/bin/env bash
# Puts what a bare GPU machine needs into one folder: the programs of a build, the libraries they link (no CUDA among
# them) and the scripts of this folder. usage: tests/device/pack.sh BUILD FOLDER
set -euo pipefail
build=$1
folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$folder"
mkdir -p "$folder/lib"
cp "$build/epwise" "$build/tests/device_kernels" "$folder/"
cp "$here/run.sh" "$here/judge.py" "$folder/"
strip "$folder/epwise" "$folder/device_kernels"
if [ "$(grep -c sm_90 "$folder/epwise")" -eq 0 ]; then
  echo "pack.sh: the kernels are not in this build: nvcc was not found when it was configured" >&2
  exit 1
fi
for program in "$folder/epwise" "$folder/device_kernels"; do
  # The C and C++ libraries are the machine's own; the others travel.
  ldd "$program" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux)[.-]/ { print $3 }' |
    xargs -I{} cp -Ln {} "$folder/lib/"
done
du -sh "$folder"
