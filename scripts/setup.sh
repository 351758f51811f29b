# Sourced by run and test: installs the Debian packages that are missing, then builds preset release.
# shellcheck shell=bash
# Everything said here goes to stderr: stdout belongs to the program that is run afterwards.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build="$root/build/release"
me=scripts/$(basename "$0")

# A tool counts as present when its command is there, from wherever it came: package:command.
tools=(g++:g++ cmake:cmake ninja-build:ninja)
packages=(libeigen3-dev libopenblas-dev libhwy-dev libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev zlib1g-dev
  liblzma-dev libgtest-dev libgmock-dev)
if [[ -d $root/python || -d $root/tests/python ]]; then
  tools+=(python3:python3)
  packages+=(python3-venv)
fi

say() { printf '%s: %s\n' "$me" "$*" >&2; }
fail() { say "$@"; exit 1; }

# Prints the names of the packages that are not there, one per line.
missing_packages() {
  local tool package status installed=" "
  for tool in "${tools[@]}"; do
    command -v "${tool#*:}" >/dev/null || printf '%s\n' "${tool%:*}"
  done
  while read -r package status; do
    [[ $status == installed ]] && installed+="$package "
  done < <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null)
  for package in "${packages[@]}"; do
    [[ $installed == *" $package "* ]] || printf '%s\n' "$package"
  done
}

install_missing() {
  local tool as_root=() missing=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    for tool in "${tools[@]}"; do
      command -v "${tool#*:}" >/dev/null ||
        fail "${tool#*:}: must be installed; this is not Debian or Ubuntu, so please install" \
          "what corresponds to: ${tools[*]%:*} ${packages[*]}"
    done
    return # the libraries are for CMake to find
  fi
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "packages are missing and this user cannot install them; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
  say "installing ${missing[*]}"
  "${apt[@]}" update </dev/null >&2 || say "apt-get update failed; trying with the lists that are there"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2 ||
    fail "could not install; by hand: apt-get install ${missing[*]}"
}

# quietly NAME COMMAND: its output goes to NAME.log and is seen only if it fails; a word if it takes long.
quietly() {
  local log="$build/$1.log" notice result=0
  # The sleep holds no stream and no lock, for it may outlive this script by a second or two.
  (sleep 2 >/dev/null 2>&1 9>&- && say "$1 ... (minutes the first time)") &
  notice=$!
  shift
  "$@" >"$log" 2>&1 </dev/null || result=$?
  kill "$notice" 2>/dev/null || true
  ((result == 0)) || cat "$log" >&2
  return "$result"
}

# build_release [TARGET]: one at a time, since two builds in one folder would spoil each other.
build_release() {
  local target=${1:-all} jobs first=""
  jobs=$(nproc)
  mkdir -p "$build"
  (
    if command -v flock >/dev/null; then flock 9; fi
    cd "$root" || exit
    if [[ ! -f $build/build.ninja ]]; then
      first=yes
      quietly configure cmake --preset release ||
        fail "could not configure; what is needed: ${tools[*]%:*} ${packages[*]}"
    fi
    local command=(cmake --build "$build" --target "$target" --parallel "$jobs")
    if [[ -t 2 && -n $first ]]; then
      "${command[@]}" >&2 </dev/null # one line of progress, rewritten in place
    else
      quietly build "${command[@]}"
    fi || fail "could not build"
  ) 9>"$build/.lock"
}
