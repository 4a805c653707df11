#!/usr/bin/env bash
# Which checks, fields, defaults and flags a newer commit of upstream adds, removes or moves, and which rules they touch.
#   tests/oracle/new_release.sh GIT [NEW [OLD]]
# GIT: a git directory of Megatron-LM or Megatron-Bridge. NEW: a commit or tag, by default its HEAD. OLD: by default the commit that the
# rules cite for that repository. What to do with the answer: src/README.md, "A framework version, step by step".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
git_dir=${1:?usage: new_release.sh GIT [NEW [OLD]]}
new=${2:-HEAD}
if [[ -n ${3:-} ]]; then
  old=$3
else
  # The commit that most references name and that this repository has.
  old=$(grep -rhoE '@[0-9a-f]{8}' "$here/../../rules" | sort | uniq -c | sort -rn | while read -r _ at; do
    if git --git-dir "$git_dir" cat-file -e "${at#@}^{commit}" 2> /dev/null; then echo "${at#@}"; break; fi
  done)
fi
[[ -n $old ]] || { echo "new_release.sh: no commit that the rules cite is in $git_dir; give OLD" >&2; exit 2; }
exec python3 "$here/upstream_changes.py" "$git_dir" "$old" "$new" "${@:4}"
