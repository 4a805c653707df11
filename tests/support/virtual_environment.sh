#!/usr/bin/env bash
# Installs packages from PyPI into a virtual environment; a relative folder lies in the root of the repository:
#   bash tests/support/virtual_environment.sh FOLDER PACKAGE…
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1
shift
python3 -m venv "$folder"
"$folder/bin/pip" --quiet --disable-pip-version-check install "$@"
touch "$folder/complete"
echo "installed into $folder"
