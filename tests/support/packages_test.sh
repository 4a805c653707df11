#!/usr/bin/env bash
# The quickstart installs every library whose code the program holds: those whose licences are packed with it.
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
exit "$status"
