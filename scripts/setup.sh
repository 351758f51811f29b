# Sourced by run and test: installs the Debian packages that are missing, builds preset release, makes a venv.
# shellcheck shell=bash
# Everything said here goes to stderr: stdout belongs to the program that is run afterwards.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build="$root/build/release"
me=scripts/$(basename "$0")

# A tool counts as present when its command is there, from wherever it came: package:command.
tools=(g++:g++ cmake:cmake ninja-build:ninja)
packages=(libeigen3-dev libopenblas-dev libhwy-dev libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev zlib1g-dev
  liblzma-dev libgtest-dev libgmock-dev)
venv="$root/build/venv"

# Called before install_missing by those who call make_venv after it.
wants_python() {
  tools+=(python3:python3)
  packages+=(python3-venv)
}

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

on_debian() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

install_missing() {
  local tool missing=()
  if ! on_debian; then
    for tool in "${tools[@]}"; do
      command -v "${tool#*:}" >/dev/null ||
        fail "${tool#*:}: must be installed; this is not Debian or Ubuntu, so please install" \
          "what corresponds to: ${tools[*]%:*} ${packages[*]}"
    done
    return # the libraries are for CMake to find
  fi
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  install_packages "${missing[@]}" || fail "could not install; by hand, as root: apt-get install ${missing[*]}"
}

install_packages() {
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { say "this user cannot install packages"; return 1; }
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
  say "installing $*"
  "${apt[@]}" update </dev/null >&2 || say "apt-get update failed; trying with the lists that are there"
  "${apt[@]}" install -y --no-install-recommends "$@" </dev/null >&2
}

# A browser to look at pages with. Not every release has one as a package: a try, no more.
install_browser() {
  if command -v chromium >/dev/null; then return; fi
  if on_debian && install_packages chromium; then return; fi
  say "chromium could not be installed: the tests that look at pages in a browser cannot run"
}

# An MPI, for runs over several ranks, which whoever runs alone need not have: a try, no more.
install_ranks() {
  if command -v mpirun >/dev/null && command -v mpicxx >/dev/null; then return; fi
  if on_debian && install_packages libopenmpi-dev openmpi-bin; then return; fi
  say "no MPI is here, and none could be installed: built without it, and nothing that starts ranks is tested"
  return 1
}

# make_venv REQUIREMENTS...: build/venv with all that these files ask for, one package a line; a file that one of them
# names with -r is to be given too. What was installed is written down there, so that it is not asked for again.
make_venv() {
  local missing=()
  mkdir -p "$root/build"
  (
    if command -v flock >/dev/null; then flock 9; fi
    [[ -x $venv/bin/python && -x $venv/bin/pip ]] || rm -rf "$venv" # half made, or its Python is gone
    mapfile -t missing < <(LC_ALL=C comm -23 <(LC_ALL=C sort -u "$@" | sed -e '/^[#-]/d' -e '/^$/d') \
      <(LC_ALL=C sort -u "$venv/installed.txt" 2>/dev/null))
    ((${#missing[@]})) || exit 0
    say "installing into build/venv: ${missing[*]}"
    [[ -d $venv ]] || python3 -m venv "$venv" >&2 || exit
    "$venv/bin/pip" install --quiet --disable-pip-version-check "${missing[@]}" </dev/null >&2 || exit
    printf '%s\n' "${missing[@]}" >>"$venv/installed.txt"
  ) 9>"$root/build/.venv.lock"
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

# build_release TARGET [SETTING...]: one at a time, since two builds in one folder would spoil each other. The settings
# (-DNAME=VALUE) are kept by CMake: it is asked again only when they are new.
build_release() {
  local target=$1 jobs first=""
  shift
  jobs=$(nproc)
  mkdir -p "$build"
  (
    if command -v flock >/dev/null; then flock 9; fi
    cd "$root" || exit
    [[ -f $build/build.ninja ]] || first=yes
    if [[ $first || ($# -gt 0 && $* != "$(cat "$build/settings.txt" 2>/dev/null)") ]]; then
      quietly configure cmake --preset release "$@" ||
        fail "could not configure; what is needed: ${tools[*]%:*} ${packages[*]}"
      if (($#)); then printf '%s\n' "$*" >"$build/settings.txt"; fi
    fi
    local command=(cmake --build "$build" --target "$target" --parallel "$jobs")
    if [[ -t 2 && -n $first ]]; then
      "${command[@]}" >&2 </dev/null # one line of progress, rewritten in place
    else
      quietly build "${command[@]}"
    fi || fail "could not build"
  ) 9>"$build/.lock"
}
