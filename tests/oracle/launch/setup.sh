#!/usr/bin/env bash
# Lays out what oracle.py needs under ${EPWISE_ORACLE:-$HOME/.cache/epwise-oracle}: a virtual environment, the released
# wheels and, from git directories, the sources that no wheel holds. What stands already is kept; run it again to add.
#
#   setup.sh [MEGATRON_LM_GIT [MEGATRON_BRIDGE_GIT]]          (or the environment variables of these names)
#
# Each is a git repository, bare or not, that has the upstream history. Without one, the commits that are needed are fetched from
# GitHub into build/oracle (clone.sh). Versions whose sources cannot be had are skipped with a line.
# PYTHON  the interpreter (3.11: the megatron-core wheels hold compiled helpers)     TORCH  another torch, as pip names it
# ONLY    regular expression of the versions to lay out, e.g. ONLY='bridge-0.6.2|mlm-0.19.0'
set -euo pipefail
export GIT_NO_LAZY_FETCH=1 # a blob that a mirror lacks is skipped, not fetched
here=$(cd "$(dirname "$0")" && pwd)
home=${EPWISE_ORACLE:-$HOME/.cache/epwise-oracle}
lm_git=${1:-${MEGATRON_LM_GIT:-}}
bridge_git=${2:-${MEGATRON_BRIDGE_GIT:-}}
only=${ONLY:-.}
for name in lm_git bridge_git; do
  [ ! -d "${!name}/.git" ] || declare "$name=${!name}/.git" # a checkout does too
done
lm_head=${MEGATRON_LM_HEAD:-d98e8a64ddf34856e74b24714e3bedb2f5a39553} # what `head` means
bridge_head=${MEGATRON_BRIDGE_HEAD:-067f987df03b8355b03192d88d70f1709fedf51a}
mkdir -p "$home/wheels" "$home/src"

[ -x "$home/venv/bin/python" ] || "${PYTHON:-python3.11}" -m venv "$home/venv"
python=$home/venv/bin/python
"$python" -c 'import torch' 2>/dev/null || "$python" -m pip install --quiet "${TORCH:-torch==2.9.1}"
if ! cmp -s "$here/requirements.txt" "$home/requirements.installed"; then
  "$python" -m pip install --quiet --no-deps -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$home/requirements.installed"
fi

# wheel NAME VERSION FOLDER: a released wheel, unpacked but not installed, so that versions can stand side by side
wheel() {
  [ -d "$home/src/$3" ] && return
  "$python" -m pip download --quiet --no-deps --ignore-requires-python --only-binary :all: -d "$home/wheels" "$1==$2" ||
    { echo "skipped $3: no wheel of $1 $2"; return; }
  rm -rf "$home/src/$3.part"
  "$python" -m zipfile -e "$home/wheels/${1//-/_}-$2-"*.whl "$home/src/$3.part"
  mv "$home/src/$3.part" "$home/src/$3"
}

# git_of GITDIR REPOSITORY COMMIT: the git directory that was given, or one with the commit from GitHub
git_of() {
  if [ -n "$1" ]; then echo "$1"; else "$here/clone.sh" "$2" "$3" || true; fi
}

# from_git FOLDER GITDIR COMMIT STRIP PREFIX…: the files of a commit under some prefixes, STRIP taken off their paths.
# Not `git archive`, which fails where a mirror lacks even one blob of the tree.
from_git() {
  [ -d "$home/src/$1" ] && return
  if [ -z "$2" ] || ! git --git-dir "$2" cat-file -e "$3^{commit}" 2>/dev/null; then
    echo "skipped $1: no git directory has $3"
    return
  fi
  rm -rf "$home/src/$1.part"
  "$python" - "$home/src/$1.part" "${@:2}" <<'PYTHON'
import os, subprocess, sys
folder, git_dir, commit, strip, *prefixes = sys.argv[1:]
git = ['git', '--git-dir', git_dir]
listing = subprocess.run([*git, 'ls-tree', '-r', '-z', commit], capture_output=True, check=True, text=True).stdout
files = [(line.split('\t')[0].split()[2], line.split('\t')[1]) for line in listing.split('\0') if line.startswith('100')]
files = [(blob, path) for blob, path in files if path.startswith(tuple(prefixes))]
missing = []
with subprocess.Popen([*git, 'cat-file', '--batch'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat:
    for blob, path in files:
        cat.stdin.write(f'{blob}\n'.encode()); cat.stdin.flush()
        header = cat.stdout.readline().split()
        if header[1] != b'blob': missing.append(path); continue
        text = cat.stdout.read(int(header[2])); cat.stdout.read(1)
        target = os.path.join(folder, path.removeprefix(strip))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, 'wb') as out: out.write(text)
    cat.stdin.close()
print(f'{os.path.basename(folder)[:-5]}: {len(files) - len(missing)} files of {commit}', *(['; not in the mirror:', *missing[:5]] if missing else []))
PYTHON
  mv "$home/src/$1.part" "$home/src/$1"
}
wanted() { [[ $1 =~ $only ]]; }
absent() { [ ! -d "$home/src/$1" ]; }

# Megatron-Bridge: the wheel and the megatron-core wheel closest to the commit that the release pins
for pair in 0.4.0:0.17.0 0.5.0:0.18.0 0.6.2:0.19.2; do
  wanted "bridge-${pair%:*}" || continue
  wheel megatron-bridge "${pair%:*}" "bridge-${pair%:*}"
  wheel megatron-core "${pair#*:}" "mcore-${pair#*:}"
done
if wanted bridge-head && { absent bridge-head || absent mcore-head; }; then
  git_dir=$(git_of "$bridge_git" NVIDIA-NeMo/Megatron-Bridge "$bridge_head")
  from_git bridge-head "$git_dir" "$bridge_head" src/ src/megatron/
  pin=$(git --git-dir "${git_dir:-/nowhere}" ls-tree "$bridge_head" 3rdparty/Megatron-LM 2>/dev/null | awk '{print $3}') || true
  [ -z "$pin" ] || from_git mcore-head "$(git_of "$lm_git" NVIDIA/Megatron-LM "$pin")" "$pin" '' megatron/
fi

# Megatron-LM: megatron/training is in no wheel, so the whole package comes from git
for version in 0.15.3 0.16.1 0.17.1 0.18.2 0.19.0 head; do
  if ! wanted "mlm-$version" || ! absent "mlm-$version"; then continue; fi
  commit=core_v$version
  [ "$version" = head ] && commit=$lm_head
  from_git "mlm-$version" "$(git_of "$lm_git" NVIDIA/Megatron-LM "$commit")" "$commit" '' megatron/ model_provider.py \
    pretrain_gpt.py pretrain_hybrid.py pretrain_mamba.py gpt_builders.py hybrid_builders.py mamba_builders.py
done
echo "ready: $home; versions: $(find "$home/src" -mindepth 1 -maxdepth 1 -regex '.*/\(bridge\|mlm\)-[^/]*' -printf '%f ' | tr -d '\n')"
