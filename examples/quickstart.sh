#!/usr/bin/env bash
# Builds epwise and lints a recipe that holds five mistakes. Works from any directory, again and again:
#   bash examples/quickstart.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tests/support/packages.sh
. tests/support/packages.sh
# shellcheck source=tests/support/timing.sh
. tests/support/timing.sh

build=build/quickstart
need_packages "${build_packages[@]}"
say "Configuring $build: Release at -Og; what ships is built with -O3 (docs/install.md)"
# -Og takes four fifths of the time of -O1.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DEPWISE_OPTIMISATION=g \
  -DEPWISE_PRECOMPILE=ON
say "Building with $(nproc) cores; the first time takes a few minutes"
timed "building" build_in "$build" --parallel "$(nproc)" --target epwise
echo "-- built in $cost"

lint=("$build/epwise" lint examples/qwen3_moe_h100.yaml --hw h100 --gpus 16 --stack "bridge=0.6.2,te=2.14.0,torch=2.9.1")
say "Linting a recipe with five mistakes: ${lint[*]}"
status=0
"${lint[@]}" || status=$?
case $status in
  0) say "The recipe is clean, which it should not be: please report this." && exit 1 ;;
  1) say "Exit code 1: there are errors to mend before the job is submitted. Now try your own recipe." ;;
  *) say "epwise ended with exit code $status, which it should not: please report this." && exit "$status" ;;
esac
