#!/usr/bin/env bash
# Puts what a bare GPU machine needs into one folder: the programs of a build, the libraries they link (no CUDA among
# them) and the scripts of this folder. usage: tests/device/pack.sh BUILD FOLDER
set -euo pipefail
build=$1
folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$folder/lib"
cp "$build/epwise" "$build/tests/device_kernels" "$folder/"
cp "$here/run.sh" "$here/judge.py" "$folder/"
for program in "$folder/epwise" "$folder/device_kernels"; do
  # The C and C++ libraries are the machine's own; the others travel.
  ldd "$program" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt|libstdc++|libgcc_s|ld-linux)/ { print $3 }' | xargs -I{} cp -Ln {} "$folder/lib/"
done
du -sh "$folder"
