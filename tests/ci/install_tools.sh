#!/usr/bin/env bash
# Installs what sample.py runs hooks with (pre-commit) and holds templates against (check-jsonschema, which brings the published
# schemas of GitHub's actions and GitLab's jobs), from PyPI, into a virtual environment:
#   bash tests/ci/install_tools.sh [FOLDER]      default: build/ci-tools
exec bash "$(dirname "${BASH_SOURCE[0]}")/../support/virtual_environment.sh" "${1:-build/ci-tools}" \
  'pre-commit>=4,<5' 'check-jsonschema>=0.30,<1'
