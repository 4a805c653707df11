#!/usr/bin/env bash
# Makes the .deb of a build folder and installs it with dpkg into a root that holds glibc and nothing else; there the
# program has to lint a recipe. Also says what the program needs: its libraries, and the oldest glibc.
#   bash tests/packages/deb.sh BUILD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "packages/deb: $*" >&2
  exit 1
}

skip() {
  echo "packages/deb: skipped: $*"
  exit 77
}

for tool in cpack dpkg dpkg-deb readelf objdump chroot; do
  command -v "$tool" >/dev/null || skip "there is no $tool"
done
if readelf -d "$build/epwise" | grep NEEDED | grep -q libstdc++; then
  skip "the build links shared libraries (EPWISE_PORTABLE)"
fi
[ "$(uname -m)" = x86_64 ] || skip "what is needed was measured on x86_64"

# 1. What it needs.
needed=$(readelf -d "$build/epwise" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort | tr '\n' ' ')
[ "$needed" = "ld-linux-x86-64.so.2 libc.so.6 libm.so.6 " ] || fail "the program needs $needed"
glibc=$(objdump -T "$build/epwise" | grep -o 'GLIBC_[0-9.]*' | LC_ALL=C sort -Vu | tail -n 1)
said=$(sed -n 's/^set(EPWISE_OLDEST_GLIBC \(.*\))$/GLIBC_\1/p' packaging/debian/package.cmake)
[ "$glibc" = "$said" ] || fail "the program needs $glibc, and packaging/debian/package.cmake says $said"
grep -q "glibc ${glibc#GLIBC_} or newer" README.md || fail "README.md doesn't say \"glibc ${glibc#GLIBC_} or newer\""

# 2. The package.
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/out" >"$work/log" 2>&1 || { cat "$work/log"; fail "cpack failed"; }
deb=("$work"/out/*.deb)
[ -e "${deb[0]}" ] || fail "cpack made no package"
[ "$(dpkg-deb -f "${deb[0]}" Depends)" = "libc6 (>= ${glibc#GLIBC_})" ] || fail "it depends on $(dpkg-deb -f "${deb[0]}" Depends)"

# 3. An empty root: what dpkg writes down, and glibc as this system has it.
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates} "$root/lib64" "$root/lib/x86_64-linux-gnu"
dpkg-query --status libc6 >"$root/var/lib/dpkg/status"
for name in libc.so.6 libm.so.6 ld-linux-x86-64.so.2; do
  cp -L "/lib/x86_64-linux-gnu/$name" "$root/lib/x86_64-linux-gnu/"
done
ln -s ../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$root/lib64/"
cp examples/first_look.yaml "$root/recipe.yaml"
if [ "$(id -u)" -eq 0 ]; then
  dpkg --root="$root" --install "${deb[0]}" >"$work/log" 2>&1 || { cat "$work/log"; fail "dpkg refused it"; }
  inside=(chroot "$root")
else
  dpkg-deb -x "${deb[0]}" "$root"
  inside=(unshare -r chroot "$root")
  "${inside[@]}" /usr/bin/epwise --version >/dev/null 2>&1 || skip "only root can enter a root of its own here"
fi

# 4. It works there, and says the same as here.
arguments=(--hw gb200 --gpus 64 --stack "bridge=0.6.2,te=2.14.0,torch=2.9.1" --format json)
there=0
here=0
"${inside[@]}" /usr/bin/epwise lint recipe.yaml "${arguments[@]}" >"$work/there.json" || there=$?
(cd "$root" && "$build/epwise" lint recipe.yaml "${arguments[@]}" >"$work/here.json") || here=$?
[ "$there $here" = "1 1" ] || fail "exit code $there in the empty root, $here outside, 1 was expected"
cmp "$work/there.json" "$work/here.json" || fail "the installed program says something else"
grep -q '"code":"PAR019"' "$work/there.json" || fail "the installed program misses the indivisible batch"

# 5. What stands beside it.
share=$root/usr/share
"$build/epwise" help --man | cmp - <(gzip -dc "$share/man/man1/epwise.1.gz") || fail "the manual page is stale"
"$build/epwise" completions bash | cmp - "$share/bash-completion/completions/epwise" || fail "bash's completions are stale"
"$build/epwise" completions zsh | cmp - "$share/zsh/vendor-completions/_epwise" || fail "zsh's completions are stale"
"$build/epwise" completions fish | cmp - "$share/fish/vendor_completions.d/epwise.fish" || fail "fish's completions are stale"
for name in copyright changelog.gz changelog.Debian.gz third-party-licenses.gz; do
  [ -s "$share/doc/epwise/$name" ] || fail "doc/epwise/$name is missing"
done
if command -v groff >/dev/null; then
  complaints=$(groff -man -ww -z <(gzip -dc "$share/man/man1/epwise.1.gz") 2>&1)
  [ -z "$complaints" ] || fail "groff says of the manual page: $complaints"
fi
if command -v lintian >/dev/null; then
  # That a first upload closes Debian's bug about a missing package is no concern of ours.
  lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "${deb[0]}" || fail "lintian complains"
fi
echo "packages/deb: $(basename "${deb[0]}") of $(stat -c %s "${deb[0]}") bytes runs beside ${glibc/_/ } alone"
