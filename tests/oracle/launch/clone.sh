#!/usr/bin/env bash
# Fetches commits of an upstream repository from GitHub, without their history, into build/oracle, and prints the git directory.
#   clone.sh NVIDIA/Megatron-LM core_v0.19.0 …          tags or whole hashes; those that are there already are not fetched again
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
git_dir=$root/build/oracle/$(basename "$1").git
[ -d "$git_dir" ] || git init --quiet --bare "$git_dir"
for commit in "${@:2}"; do
  if git --git-dir "$git_dir" cat-file -e "$commit^{commit}" 2>/dev/null; then continue; fi
  names=refs/tags/$commit:refs/tags/$commit
  [[ ! $commit =~ ^[0-9a-f]{40}$ ]] || names=$commit:refs/fetched/$commit
  echo "fetching $commit of https://github.com/$1 into $git_dir" >&2
  git --git-dir "$git_dir" fetch --quiet --depth 1 "https://github.com/$1" "$names" >&2
done
echo "$git_dir"
