#!/usr/bin/env bash
# Installs what sample.py runs hooks with (pre-commit, from PyPI) into a virtual environment:
#   bash tests/ci/install_tools.sh [FOLDER]      default: build/ci-tools
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:-build/ci-tools}
python3 -m venv "$folder"
"$folder/bin/pip" --quiet --disable-pip-version-check install 'pre-commit>=4,<5'
echo "installed into $folder"
