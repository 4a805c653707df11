#!/usr/bin/env bash
# Installs what builds and tests the wheel (from PyPI) into a virtual environment:
#   bash tests/packages/install_tools.sh [FOLDER]      default: build/package-tools
exec bash "$(dirname "${BASH_SOURCE[0]}")/../support/virtual_environment.sh" "${1:-build/package-tools}" \
  'scikit-build-core>=1.1,<2' 'wheel>=0.45,<1' 'pytest>=8,<10' 'pyyaml>=6,<7' 'mypy>=1.11,<3'
