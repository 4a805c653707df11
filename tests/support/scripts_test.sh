#!/usr/bin/env bash
# The scripts of the tests: the quickstart installs every library whose code the program holds (those whose licences are packed with
# it), and a soak counts what ran without a finding, known parts apart from bytes, and gives slow targets more time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tests/support/packages.sh
. tests/support/packages.sh

libraries=$(sed -n 's/^foreach(library IN ITEMS \(.*\))$/\1/p' packaging/install.cmake)
[ -n "$libraries" ] || { echo "packaging/install.cmake names no libraries"; exit 1; }
status=0
for library in $libraries; do
  [ "$library" = libstdc++-12-dev ] && library=g++ # brings it along
  if [[ " ${build_packages[*]} " != *" $library "* ]]; then
    echo "$library is not among the packages of a build"
    status=1
  fi
done

# A soak with targets that are scripts: quick of bytes, slow of known parts, one with a finding at once and one with a finding later.
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir -p "$work/tests/fuzz" "$work/build/soak/tests" "$work/bin"
cp tests/fuzz/soak.sh "$work/tests/fuzz/"
printf '# head\nquick\t0\t7\t2026-01-01\nbroken\t0\t3\t2026-01-01\n' >"$work/tests/fuzz/soaked.tsv"
for tool in cmake clang++; do
  ln -s "$(type -P true)" "$work/bin/$tool"
done

# target NAME EXECUTIONS STRUCTURED FAILS: FAILS is of which call on.
target() {
  cat >"$work/build/soak/tests/fuzz_$1" <<END
#!/bin/bash
echo "\$1" >>"$work/$1.calls"
echo "stat::number_of_executed_units: $2" >&2
[ "$3" = 0 ] || echo "structured_executions: $3" >&2
[ "\$(wc -l <"$work/$1.calls")" -lt "$4" ]
END
  chmod +x "$work/build/soak/tests/fuzz_$1"
}
target quick 100000 0 9
target slow 10 8 9
target broken 1000 0 1
target later 1000 900 2
if told=$(PATH=$work/bin:$PATH bash "$work/tests/fuzz/soak.sh" 1 quick slow broken later); then
  echo "a soak with findings ends with 0"
  status=1
fi
expected=$(printf '# head\nbroken\t0\t3\t2026-01-01\nquick\t0\t200007\tTODAY\nslow\t16\t4\tTODAY')
found=$(sed "s/$(date -u +%F)/TODAY/" "$work/tests/fuzz/soaked.tsv")
if [ "$found" != "$expected" ] || [[ $told != *"soak: 16 structured executions and 200014 of bytes in all" ]]; then
  printf 'a soak counts:\n%s\nnot:\n%s\nand says:\n%s\n' "$found" "$expected" "$told"
  status=1
fi
if [ "$(wc -l <"$work/broken.calls")" -ne 1 ]; then
  echo "a soak runs a target with a finding again"
  status=1
fi
seconds() { sed -n '2s/-max_total_time=//p' "$work/$1.calls"; }
if [ "$(seconds slow)" -le "$(seconds quick)" ]; then # one of two rounds: hundreds of times, but for a machine with many cores
  echo "a soak gives a slow target $(seconds slow) s, a quick one $(seconds quick) s"
  status=1
fi
exit "$status"
