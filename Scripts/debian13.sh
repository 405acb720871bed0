#!/usr/bin/env bash
# Builds and tests in a fresh folder with Debian 13 (FFmpeg 7.1), whatever this machine runs. Needs root, debootstrap and a Swift
# toolchain, which is mounted into the folder; everything else comes from Debian's packages in there.
#
#   Scripts/debian13.sh FOLDER [COMMAND…]      COMMAND runs in the clone; without one: the README's two commands
#
# FOLDER is made when it is not there, and stays, so that a second run is quicker. Mounts are taken away at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,8p' "$0" >&2; exit 64; }
root=$(mkdir -p "$1" && cd "$1" && pwd)
shift

if [ ! -e "$root/etc/debian_version" ]; then
    command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq debootstrap >/dev/null
    # What Swift's own packages for Debian ask for, beside the compiler itself.
    debootstrap --variant=minbase \
        --include=ca-certificates,git,tzdata,gcc,binutils,libc6-dev,libstdc++-14-dev,libncurses6,libxml2,libcurl4t64,libedit2,libsqlite3-0,libz3-4,zlib1g-dev \
        trixie "$root" >"$root.log" 2>&1 || { tail -5 "$root.log" >&2; exit 69; }
fi

mounts=()
leave() { for ((i = ${#mounts[@]} - 1; i >= 0; i--)); do umount "${mounts[i]}" || true; done; }
trap leave EXIT
into() { # FROM [TO]
    local to="$root${2:-$1}"
    mkdir -p "$to"
    mount --bind "$1" "$to"
    mounts+=("$to")
}

toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
into "$toolchain" /opt/toolchain
into /proc
into /dev
[ -z "${SCRUB_CORPUS:-}" ] || into "$SCRUB_CORPUS" /corpus
cp /etc/resolv.conf "$root/etc/resolv.conf"

# The packages that Swift fetched here serve there.
swift package resolve >/dev/null
rm -rf "$root/scrub.new"
git clone -q . "$root/scrub.new"
# What was built before stays where it is; the packages are those of now.
if [ -d "$root/scrub/.build" ]; then mv "$root/scrub/.build" "$root/scrub.new/.build"; fi
mkdir -p "$root/scrub.new/.build"
for part in checkouts repositories workspace-state.json; do
    rm -rf "$root/scrub.new/.build/$part"
    cp -a ".build/$part" "$root/scrub.new/.build/"
done
rm -rf "$root/scrub" && mv "$root/scrub.new" "$root/scrub"

if [ $# -eq 0 ]; then set -- bash -c 'bash Scripts/first-run.sh && bash Scripts/test.sh'; fi
chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/opt/toolchain/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${SCRUB_CORPUS:+SCRUB_CORPUS=/corpus} bash -c 'cd /scrub && "$@"' in "$@"
