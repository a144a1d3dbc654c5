#!/usr/bin/env bash
# Builds hymt if need be and starts the service; see --help.
set -euo pipefail

usage() {
  cat <<'END'
Usage: ./run.sh [OPTIONS OF hymt serve]

Starts the translation service and its page at http://127.0.0.1:7860. On the first start it
installs what is missing (Debian 12 packages, with apt) and builds build/hymt; a second start
builds nothing. Without options the small demo model inside the binary is used.

  ./run.sh --model FILE.gguf     another model: a .gguf file or a Hugging Face folder
  ./run.sh --port 8080           another port
  build/hymt serve --help        all options (once built)

Where a desktop exists, the page is opened in the browser; HYMT_OPEN=0 leaves it closed.
END
}

# open_page PID: waits until the process listens and opens its page. The port is read from the
# process's own sockets, and so is the address: they are right whatever set them.
open_page() {
  local pid=$1 inodes place host
  for _ in {1..600}; do
    readlink "/proc/$pid/exe" >/dev/null || return 0 # it has ended (perhaps nobody waited for it yet)
    inodes=$(find "/proc/$pid/fd" -type l -printf '%l\n' 2>/dev/null |
      sed -n 's/^socket:\[\([0-9]*\)\]$/\1/p' | paste -sd' ') || true
    place=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v inodes=" $inodes " \
      '$4 == "0A" && index(inodes, " " $10 " ") {print $2; exit}') || true
    if [ -n "$place" ]; then
      host=127.0.0.1
      if [ ${#place} = 13 ] && [ "${place%:*}" != 00000000 ]; then # IPv4, its bytes from last to first
        host=$((16#${place:6:2})).$((16#${place:4:2})).$((16#${place:2:2})).$((16#${place:0:2}))
      fi
      xdg-open "http://$host:$((16#${place##*:}))" >/dev/null 2>&1 || true
      return 0
    fi
    sleep 0.1
  done
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
esac

called_from=$PWD # arguments may name files relative to it
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
root=$PWD
# shellcheck source=tools/lib/setup.sh
. tools/lib/setup.sh
mkdir -p build

# A start of what is built already asks neither apt nor the network for anything.
if ! configured build; then
  require_sections build
  say "Configuring"
  cmake --fresh --preset release -DHYMT_TESTS=OFF >build/configure.log 2>&1 ||
    die "The configuration failed; the end of build/configure.log:" "$(tail -n 20 build/configure.log)"
elif [ packages.txt -nt build/CMakeCache.txt ] && command -v apt-get >/dev/null; then
  require_sections build # a later version may need more
fi
sources=(CMakeLists.txt CMakePresets.json cmake src web models)
if [ ! -x build/hymt ] || [ ! -f build/.built ] ||
  [ -n "$(find "${sources[@]}" -newer build/.built -print -quit)" ]; then
  say "Building hymt (the first time takes some minutes)"
  touch build/.building # files that change meanwhile are newer
  cmake --build build --target hymt -j "$(build_jobs)" || die "The build failed: see above."
  mv build/.building build/.built
fi

cd "$called_from"
if [ "${HYMT_OPEN:-1}" != 0 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] &&
  command -v xdg-open >/dev/null; then
  (open_page $$ &) # in a subshell: no child of the server, which would have to reap it
fi
exec "$root/build/hymt" serve "$@"
