# shellcheck shell=bash
# What run.sh, test.sh and .ci/run share: Debian packages, Node, and the build. To be sourced by
# bash from the repository root; errors end the script (set -e is the caller's).

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s\n' "$@" >&2
  exit 1
}

# missing_packages NAME...: those of the Debian packages that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p') || true
  printf '%s\n' "$@" | grep -vxF -f <(printf '%s\n' "${installed:-}") || true
}

# require_packages NAME...: installs what is missing, and asks for nothing where all is there.
require_packages() {
  local missing runner=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    die "hymt is built from packages of Debian 12, and this machine has no apt to install them." \
      "Needed are (by their Debian names): $*" \
      "On such a machine, install them your own way and build with:" \
      "  cmake --preset release -DHYMT_TESTS=OFF && cmake --build build --target hymt" \
      "or run this script in a Debian 12 container."
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "These Debian packages are missing: ${missing[*]}" \
      "Install them as root:  apt-get install --no-install-recommends ${missing[*]}"
    runner=(sudo)
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  runner+=(env DEBIAN_FRONTEND=noninteractive)
  "${runner[@]}" apt-get -qq update || die "apt-get update failed: is the network reachable?"
  "${runner[@]}" apt-get -qq install -y --no-install-recommends -o Dpkg::Use-Pty=0 \
    "${missing[@]}" >build/apt.log ||
    die "apt-get could not install them; its output is in build/apt.log." \
      "Needed is Debian 12 (bookworm): other releases name some packages differently."
}

# require_sections SECTION...: the packages that packages.txt lists under the sections.
require_sections() {
  local section names=()
  for section; do
    mapfile -t -O "${#names[@]}" names < <(sed -n "s/^$section //p" packages.txt)
  done
  require_packages "${names[@]}"
}

# build_jobs: one job a core, fewer where memory is short (a large file takes about 1.5 GB).
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# configured FOLDER: whether it holds a build of this very source tree (not of one that was moved).
configured() {
  [ -f "$1/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$1/CMakeCache.txt"
}

# require_node: puts a Node of version 20 or later, and npm, on PATH. Debian 12's own is 18.
require_node() {
  local major
  major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p') || true
  if [ "${major:-0}" -lt 20 ] || ! command -v npm >/dev/null; then
    command -v npm >/dev/null || require_packages npm
    if [ ! -x build/node/node_modules/node/bin/node ]; then
      say "Bringing Node 20"
      mkdir -p build/node
      npm --prefix build/node --no-fund --no-audit --loglevel=error install node@20
    fi
    PATH=$PWD/build/node/node_modules/node/bin:$PATH
    export PATH
  fi
}

# require_modules FOLDER: npm ci, whenever its package-lock.json is not what is installed.
require_modules() {
  local stamp=$1/node_modules/.installed-lock.json
  cmp -s "$1/package-lock.json" "$stamp" && return 0
  say "Installing the npm packages of $1"
  (cd "$1" && npm ci --no-fund --no-audit --loglevel=error)
  cp "$1/package-lock.json" "$stamp"
}

# configure_and_build PRESET FOLDER LOGS [CMAKE OPTIONS...]: everything of the preset. FOLDER is
# the preset's own; the output goes to LOGS, and its end to the terminal where a step fails.
configure_and_build() {
  local preset=$1 folder=$2 logs=$3 fresh=()
  shift 3
  say "Building the $preset preset"
  configured "$folder" || fresh=(--fresh)
  cmake "${fresh[@]}" --preset "$preset" "$@" >"$logs/$preset-configure.log" 2>&1 ||
    die "The configuration failed; the end of $logs/$preset-configure.log:" \
      "$(tail -n 20 "$logs/$preset-configure.log")"
  cmake --build "$folder" -j "$(build_jobs)" >"$logs/$preset-build.log" 2>&1 ||
    die "The build failed; the end of $logs/$preset-build.log:" \
      "$(tail -n 60 "$logs/$preset-build.log")"
}

# run_ctest PRESET LOG [CTEST OPTIONS...]: two tests at a time; everything goes to LOG, the
# terminal shows failures and ctest's own closing lines. Its status is ctest's.
run_ctest() {
  local preset=$1 log=$2 status=0
  shift 2
  ctest --preset "$preset" -j 2 --no-tests=error "$@" >"$log" 2>&1 || status=$?
  grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed )' "$log" || true
  return "$status"
}

# finish LOG [FAILURE...]: ends the script: ctest's summary line last, the status 0 only without
# failures, which are named after it.
finish() {
  local log=$1
  shift
  echo
  grep -E '^[0-9]+% tests passed, .* out of [0-9]+$' "$log" || echo "No test ran: see $log"
  [ $# -eq 0 ] || die "${@/#/FAILED: }"
  exit 0
}
