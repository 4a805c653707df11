#!/usr/bin/env bash
# Builds the packages of a release for x86_64 and aarch64, with glibc 2.28 or newer (RHEL 8): a tarball with an install script, a
# .deb, a wheel for every Python 3, an SBOM (CycloneDX) each, and SHA256SUMS. The same commit gives the same bytes.
#   bash packaging/release.sh [OPTION]… OUT
#     --architecture A    one of x86_64 and aarch64, instead of both
#     --work FOLDER       compiler, libraries and builds; default: build/release-packages
#     --optimisation N    of the compiler; default: 3, what ships
#     --jobs N            default: the cores of this machine
#     --no-kernels        without the GPU kernels of `epwise calibrate`; otherwise nvcc 12.8 or newer must be there
# Needs Debian's build packages (tests/support/packages.sh), tcl and dpkg-dev, for aarch64 qemu-user and libc6-arm64-cross, and, once, a network.
# Exit status 77: something is missing, and is named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
architectures=(x86_64 aarch64)
work=build/release-packages
optimisation=3
jobs=$(nproc)
kernels=ON
out=

usage() {
  sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --architecture | --work | --optimisation | --jobs)
      [ $# -ge 2 ] || usage
      case $1 in
        --architecture) architectures=("$2") ;;
        --work) work=$2 ;;
        --optimisation) optimisation=$2 ;;
        --jobs) jobs=$2 ;;
      esac
      shift 2
      ;;
    --no-kernels)
      kernels=OFF
      shift
      ;;
    -*) usage ;;
    *)
      [ -z "$out" ] || usage
      out=$1
      shift
      ;;
  esac
done
[ -n "$out" ] || usage

skip() {
  echo "release: skipped: $*" >&2
  exit 77
}

for tool in cpack dpkg-deb git python3; do
  command -v "$tool" >/dev/null || skip "there is no $tool"
done
for architecture in "${architectures[@]}"; do
  [ "$architecture" = "$(uname -m)" ] || command -v "qemu-$architecture" >/dev/null || skip "there is no qemu-$architecture (Debian: qemu-user)"
  [ "$architecture" = "$(uname -m)" ] || [ -d "/usr/$architecture-linux-gnu/lib" ] ||
    skip "there is no glibc of $architecture for the emulator (Debian: libc6-arm64-cross)"
done

[ "$kernels" = OFF ] || command -v nvcc >/dev/null || [ -x "${CUDA_HOME:-${CUDA_PATH:-}}/bin/nvcc" ] ||
  skip "there is no nvcc for the kernels of calibrate (CUDA toolkit 12.8 or newer); --no-kernels builds without them"

mkdir -p "$work" "$out"
work=$(realpath "$work")
out=$(realpath "$out")
# Times in archives; what the program, zig and dpkg-deb write down too.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8 ZIG_GLOBAL_CACHE_DIR=$work/zig-cache
umask 022
if command -v ccache >/dev/null && [ -n "${CMAKE_CXX_COMPILER_LAUNCHER:-}" ]; then
  export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=content CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
version=$(sed -n 's/^project(epwise VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
glibc=$(cat packaging/release/glibc)

for architecture in "${architectures[@]}"; do
  echo "== $architecture: compiler and libraries"
  bash packaging/release/libraries.sh "$architecture" "$work"
  build=$work/build-$architecture
  echo "== $architecture: epwise $version at -O$optimisation, $([ "$kernels" = ON ] && echo with || echo without) the kernels of calibrate"
  cmake -S . -B "$build" -G Ninja --toolchain "$PWD/packaging/release/toolchain.cmake" -DEPWISE_ARCHITECTURE="$architecture" \
    -DEPWISE_PREFIX="$work/$architecture" -DCMAKE_BUILD_TYPE=Release -DEPWISE_OPTIMISATION="$optimisation" -DBUILD_TESTING=OFF \
    -DEPWISE_PORTABLE=ON -DEPWISE_PYTHON=ON -DEPWISE_CUDA="$kernels" >"$build.log" 2>&1 || { tail -n 20 "$build.log" >&2; exit 1; }
  cmake --build "$build" --parallel "$jobs" >>"$build.log" 2>&1 || { grep -A 5 'error:' "$build.log" | head -n 60 >&2; tail -n 5 "$build.log" >&2; exit 1; }
  echo "== $architecture: packages"
  python3 packaging/release/pack.py --build "$build" --libraries "$work" --architecture "$architecture" --version "$version" \
    --glibc "$glibc" --epoch "$SOURCE_DATE_EPOCH" "$out"
done
(cd "$out" && sha256sum -- *.tar.gz *.deb *.whl *.json >SHA256SUMS && cat SHA256SUMS)
