# Sourced by tests/run.sh and examples/quickstart.sh: installs Debian packages that are missing.
# shellcheck shell=bash disable=SC2034

# What a build of the program needs, and what its tests need beside it.
build_packages=(cmake ninja-build g++ libboost-dev libcli11-dev libfmt-dev libkainjow-mustache-dev libsqlite3-dev libyaml-cpp-dev nlohmann-json3-dev libeigen3-dev)
test_packages=(doctest-dev libxml2-utils mkdocs neovim python3-jsonschema python3-venv python3-yaml)
# Tests skip without these: where they cannot be installed, the others still run.
optional_packages=(chromium)
# What the deep checks of `tests/run.sh --ci` need beside that.
deep_packages=(clang clang-format clang-tidy libclang-rt-14-dev shellcheck)

say() {
  printf '\n== %s\n' "$*"
}

# need_packages NAME…: returns when all are installed; else says what to do, with status 2.
need_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "This script installs Debian packages, and this system has no apt-get."
    echo "Install what Debian calls: $*"
    echo "then build with: cmake -S . -B build && cmake --build build"
    return 2
  fi
  local missing=() package
  for package in "$@"; do
    # shellcheck disable=SC2016 # dpkg-query expands ${Status}, the shell must not
    if [ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" != "install ok installed" ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "All $# Debian packages are installed"
    return 0
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "Packages are missing, and installing them takes root or sudo."
      echo "As root, run: apt-get update && apt-get install ${missing[*]}"
      return 2
    fi
    as_root=(sudo)
  fi
  say "Installing Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get -q update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 \
      install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log"
    say "apt-get could not install them; its last words stand above."
    rm -f "$log"
    return 2
  fi
  rm -f "$log"
}
