#!/usr/bin/env bash
# Lays out what a release is built with, for one architecture: the cross compiler (zig, of PyPI) and the libraries that the
# program holds, built with it from Debian's source packages. Headers of header-only libraries come from the machine.
#   bash packaging/release/libraries.sh ARCHITECTURE FOLDER      x86_64 or aarch64 → FOLDER/ARCHITECTURE
# Needs a network for the first call of each FOLDER; exit status 77 where it, or a tool, is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
architecture=$1
mkdir -p "$2"
folder=$(realpath "$2")
prefix=$folder/$architecture
zig_version=0.15.2
glibc=$(cat "$here/glibc")

skip() {
  echo "release: skipped: $*" >&2
  exit 77
}

case $architecture in
  x86_64 | aarch64) ;;
  *)
    echo "usage: libraries.sh x86_64|aarch64 FOLDER" >&2
    exit 2
    ;;
esac
for tool in python3 cmake ninja tclsh dpkg-source apt-get; do
  command -v "$tool" >/dev/null || skip "there is no $tool"
done

# 1. The compiler: a wheel, unpacked.
zig=$folder/zig/ziglang/zig
if [ ! -x "$zig" ]; then
  rm -rf "$folder/zig" "$folder/download"
  python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$folder/download" "ziglang==$zig_version" >&2 ||
    skip "ziglang $zig_version could not be downloaded"
  python3 -m zipfile -e "$folder"/download/ziglang-*.whl "$folder/zig"
  chmod +x "$zig"
fi

# 2. Sources: Debian's, of the release that this machine runs, without touching what its apt reads.
sources=$folder/sources
if [ ! -e "$sources/complete" ]; then
  mkdir -p "$sources/apt"/{parts,lists/partial,cache/archives/partial}
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian*.sources /etc/apt/sources.list.d/debian*.list; do
    [ -e "$file" ] || continue
    sed -E 's/^deb( |$)/deb-src\1/; s/^Types:.*/Types: deb-src/' "$file" >"$sources/apt/parts/$(basename "$file")"
  done
  private=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$sources/apt/parts"
    -o Dir::State::Lists="$sources/apt/lists" -o Dir::Cache="$sources/apt/cache" -o APT::Sandbox::User=root)
  { apt-get -q "${private[@]}" update &&
    (cd "$sources" && apt-get -q "${private[@]}" source --download-only yaml-cpp sqlite3 fmtlib); } >"$sources/log" 2>&1 ||
    { tail -n 5 "$sources/log" >&2; skip "Debian's source packages could not be downloaded"; }
  for description in "$sources"/*.dsc; do
    name=$(basename "${description%%_*}")
    rm -rf "${sources:?}/$name"
    dpkg-source --no-check -x "$description" "$sources/$name" >>"$sources/log" 2>&1
  done
  touch "$sources/complete"
fi

[ ! -e "$prefix/complete" ] || exit 0
rm -rf "$prefix"
mkdir -p "$prefix"/{bin,include,lib,share/cmake}

# 3. The compiler's names. `zig` would trap undefined behaviour and add instructions of the machine that builds.
for language in cc c++; do
  cat >"$prefix/bin/$language" <<EOF
#!/bin/sh
exec "$zig" $language -target $architecture-linux-gnu.$glibc -fno-sanitize=undefined "\$@"
EOF
done
for tool in ar ranlib; do
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" >"$prefix/bin/$tool"
done
chmod +x "$prefix"/bin/*

# 4. Header-only libraries.
for name in boost CLI nlohmann kainjow eigen3; do
  [ -d "/usr/include/$name" ] || skip "/usr/include/$name is missing: bash examples/quickstart.sh installs it"
  ln -s "/usr/include/$name" "$prefix/include/$name"
done
for package in "CLI11" "nlohmann_json" "eigen3"; do
  found=$(find /usr/share /usr/lib -type d -name "$package" -path '*cmake*' 2>/dev/null | head -n 1)
  [ -n "$found" ] || found=$(find /usr/share/"$package" -type d -name cmake 2>/dev/null | head -n 1)
  [ -n "$found" ] || skip "CMake's files of $package are missing"
  cp -rL "$found" "$prefix/share/cmake/$package"
done

# 5. Libraries.
make_library() {
  configure_and_install "$@" >"$prefix/$2.log" 2>&1 || { tail -n 30 "$prefix/$2.log" >&2; exit 1; }
}
configure_and_install() {
  cmake -S "$1" -B "$prefix/build/$2" -G Ninja --toolchain "$here/toolchain.cmake" -DEPWISE_ARCHITECTURE="$architecture" \
    -DEPWISE_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DBUILD_SHARED_LIBS=OFF "${@:3}" &&
    cmake --build "$prefix/build/$2" --target install
}
make_library "$sources/yaml-cpp" yaml-cpp -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF
make_library "$sources/fmtlib" fmt -DFMT_TEST=OFF -DFMT_DOC=OFF
if [ ! -e "$sources/amalgamation/sqlite3.c" ]; then
  mkdir -p "$sources/amalgamation"
  (cd "$sources/amalgamation" && "$sources/sqlite3/configure" --disable-tcl >log 2>&1 && make sqlite3.c >>log 2>&1) ||
    { tail -n 20 "$sources/amalgamation/log" >&2; exit 1; }
fi
"$prefix/bin/cc" -O2 -fPIC "-ffile-prefix-map=$folder=." -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_THREADSAFE=1 -c "$sources/amalgamation/sqlite3.c" \
  -o "$prefix/sqlite3.o"
"$prefix/bin/ar" rcsD "$prefix/lib/libsqlite3.a" "$prefix/sqlite3.o"
cp "$sources/amalgamation/sqlite3.h" "$prefix/include/"
touch "$prefix/complete"
