#!/usr/bin/env bash
# Installs what builds and tests the wheel (from PyPI) into a virtual environment:
#   bash tests/packages/install_tools.sh [FOLDER]      default: build/package-tools
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:-build/package-tools}
python3 -m venv "$folder"
"$folder/bin/pip" --quiet --disable-pip-version-check install \
  'scikit-build-core>=1.1,<2' 'nanobind>=3.1,<4' 'wheel>=0.45,<1' 'pytest>=8,<10' 'pyyaml>=6,<7'
touch "$folder/complete"
echo "installed into $folder"
