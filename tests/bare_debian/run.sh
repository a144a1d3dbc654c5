#!/usr/bin/env bash
# The two commands where nobody prepared anything: a bare Debian 12 with git and nothing else.
#
#   sudo tests/bare_debian/run.sh [FOLDER]      about 40 minutes on two cores; needs debootstrap
#
# Makes a Debian system in FOLDER (default: a new one under /var/tmp, removed at the end), clones
# the committed state of this repository into it, and there: starts ./run.sh, asks the page and a
# translation over HTTP, starts it a second time with every tool that builds or downloads taken away, then runs ./test.sh. Prints the
# minutes each took. The shared data (HYMT_SHARED, default ../shared) is seen read-only.
#
# All mounts live in a mount namespace of this script's own: however it ends, the kernel undoes
# them, and nothing outside FOLDER is ever written.
set -euo pipefail

if [ "${BARE_DEBIAN_NAMESPACE:-}" != yes ]; then
  [ "$(id -u)" -eq 0 ] || { echo "bare_debian: must be run as root" >&2 && exit 2; }
  command -v debootstrap >/dev/null || { echo "bare_debian: apt-get install debootstrap" >&2 && exit 2; }
  BARE_DEBIAN_NAMESPACE=yes exec unshare --mount --propagation private "${BASH_SOURCE[0]}" "$@"
fi

source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
shared=${HYMT_SHARED:-$source_tree/../shared}
root=$(realpath -m "${1:-$(mktemp -d /var/tmp/hymt-bare.XXXXXX)}")
mkdir -p "$root"
server=

clean_up() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  umount -R -l "$root/proc" "$root/sys" "$root/dev" "$root/root/shared" 2>/dev/null || true
  # Should a mount have stayed, --one-file-system keeps rm out of it.
  [ "$keep" = yes ] || rm -rf --one-file-system "$root"
}
keep=no
[ $# -eq 0 ] || keep=yes
trap clean_up EXIT
trap 'exit 1' INT TERM

minutes_since() { awk -v s="$1" -v e="$(date +%s)" 'BEGIN {printf "%.1f", (e - s) / 60}'; }

# inside PATH-PREFIX COMMAND: runs it in the bare system as a fresh login of root would, in place of
# the calling (sub)shell.
inside() {
  exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 \
    PATH="$1/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    "${client_settings[@]}" bash -c "cd /root/hymt && exec $2"
}

# What this host's network asks of its clients (a proxy, a registry, a certificate authority), found
# in the host's own settings at run time.
copy_client_settings() {
  local name key
  client_settings=()
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE; do
    [ -z "${!name:-}" ] || client_settings+=("$name=${!name}")
  done
  if command -v npm >/dev/null; then
    for key in registry proxy https-proxy cafile; do
      name=$(npm config get "$key" 2>/dev/null) || continue
      case $name in '' | null | undefined) ;; *) client_settings+=("npm_config_${key//-/_}=$name") ;; esac
    done
  fi
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check)' >"$root/etc/apt/apt.conf.d/90host" || true
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
  fi
}

if [ ! -x "$root/usr/bin/git" ]; then
  echo "== Making a bare Debian 12 in $root"
  debootstrap --variant=minbase --include=git bookworm "$root" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2 && exit 1; }
  rm -f "$root.log"
fi
copy_client_settings
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"

rm -rf --one-file-system "$root/root/hymt"
git clone --quiet --no-hardlinks "$source_tree" "$root/root/hymt"
if [ -d "$shared" ]; then
  mkdir -p "$root/root/shared"
  mount --bind "$shared" "$root/root/shared"
  mount -o remount,bind,ro "$root/root/shared"
fi

# Asks the server in the bare system from outside of it (both share the network), as a browser and a
# program would.
expect() {
  local what=$1 pattern=$2
  shift 2
  local answer
  answer=$(curl --silent --show-error --fail --max-time 60 "$@")
  grep -qi "$pattern" <<<"$answer" || { printf 'bare_debian: %s answered:\n%s\n' "$what" "$answer" >&2 && exit 1; }
  echo "   $what answers"
}

# start_and_ask SECONDS PATH-PREFIX: ./run.sh, waiting until it serves; asks; ends it.
start_and_ask() {
  local limit=$1 started
  started=$(date +%s)
  inside "$2" ./run.sh >"$root/root/run.log" 2>&1 &
  server=$!
  until curl --silent --fail --max-time 5 -o /dev/null http://127.0.0.1:7860/ready; do
    kill -0 "$server" 2>/dev/null || { cat "$root/root/run.log" >&2 && exit 1; }
    [ $(($(date +%s) - started)) -lt "$limit" ] || { echo "bare_debian: no answer in $limit s" >&2 && exit 1; }
    sleep 1
  done
  echo "   ready after $(minutes_since "$started") minutes"
  expect "the page" '<!doctype html>' http://127.0.0.1:7860/
  expect "a translation" 'I like this book' http://127.0.0.1:7860/v1/translate \
    -d '{"text": "我喜欢这本书。", "target": "en"}' -H 'Content-Type: application/json'
  kill "$server"
  wait "$server" || { echo "bare_debian: the server ended with status $?" >&2 && exit 1; }
  server=
}

if curl --silent --max-time 2 -o /dev/null http://127.0.0.1:7860/; then
  echo "bare_debian: something serves on port 7860 already" >&2 && exit 1
fi

echo "== ./run.sh"
start_and_ask 3600 ""

echo "== ./run.sh again: builds nothing, asks the network for nothing"
mkdir -p "$root/root/forbidden"
for tool in apt-get cmake ninja g++ npm; do
  printf '#!/bin/sh\necho "%s was called" >&2\nexit 1\n' $tool >"$root/root/forbidden/$tool"
  chmod +x "$root/root/forbidden/$tool"
done
start_and_ask 20 /root/forbidden:

echo "== ./test.sh"
started=$(date +%s)
(inside "" ./test.sh)
echo "== ./test.sh took $(minutes_since "$started") minutes"
