#!/usr/bin/env bash
# Installs the language client that session.py talks through (pytest-lsp, from PyPI) into a virtual environment:
#   bash tests/editor/install_client.sh [FOLDER]      default: build/lsp-client
exec bash "$(dirname "${BASH_SOURCE[0]}")/../support/virtual_environment.sh" "${1:-build/lsp-client}" 'pytest-lsp>=1.0,<2'
