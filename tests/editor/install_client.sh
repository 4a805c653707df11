#!/usr/bin/env bash
# Installs the language client that session.py talks through (pytest-lsp, from PyPI) into a virtual environment:
#   bash tests/editor/install_client.sh [FOLDER]      default: build/lsp-client
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:-build/lsp-client}
python3 -m venv "$folder"
"$folder/bin/pip" --quiet --disable-pip-version-check install 'pytest-lsp>=1.0,<2'
echo "installed into $folder"
