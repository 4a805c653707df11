#!/usr/bin/env bash
# Installs the library into a new prefix, builds a program against it with find_package, and compares what the program
# says with what `epwise` says.
#   bash tests/library/consumer.sh BUILD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "library/consumer: $*" >&2
  exit 1
}

# The compiler and the sanitizers of that build: a sanitized archive links with nothing else.
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}
flags=
[ "$(cached EPWISE_SANITIZE)" != ON ] || flags=-fsanitize=address,undefined
[ "$(cached EPWISE_FUZZ)" != ON ] || flags+=",fuzzer-no-link"

cmake --install "$build" --component library --prefix "$work/prefix" >/dev/null
headers=$(cd "$work/prefix/include" && find . -type f)
[ "$headers" = "./epwise/epwise.h" ] || fail "installed headers: $headers"
cmake -S tests/library/consumer -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" -DCMAKE_CXX_FLAGS="$flags" >"$work/log" 2>&1 ||
  fail "$(cat "$work/log")"
cmake --build "$work/build" >"$work/log" 2>&1 || fail "$(cat "$work/log")"

sed 's/global_batch_size: 1024/global_batch_size: 1000/' examples/seeds/q30-ep16-off.yaml >"$work/broken.yaml"
target=(--hw h100 --gpus 16 --stack "bridge=0.6.2,te=2.14.0,torch=2.9.1" --config none -f json)
for recipe in examples/seeds/q30-ep16-off.yaml "$work/broken.yaml"; do
  code=0
  "$work/build/consumer" "$recipe" >"$work/library" || code=$?
  expected=0
  env -i "$build/epwise" lint "$recipe" "${target[@]}" >"$work/program" || expected=$?
  env -i "$build/epwise" simulate "$recipe" "${target[@]}" >>"$work/program" || true
  [ "$code" = "$expected" ] || fail "$recipe: exit $code, epwise says $expected"
  cmp "$work/library" "$work/program" || fail "$recipe: another answer than epwise's"
done
"$work/build/consumer" "$work/missing.yaml" 2>/dev/null && fail "a missing file is no error" || [ $? = 3 ] || fail "a missing file ends in another code"
strip -o "$work/stripped" "$work/build/consumer"
echo "library/consumer: libepwise.a of $(stat -c %s "$work"/prefix/lib*/libepwise.a "$work"/prefix/lib/*/libepwise.a 2>/dev/null | head -n 1) bytes, the program of $(stat -c %s "$work/stripped")"
