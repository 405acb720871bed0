#!/usr/bin/env bash
# Builds and tests in a fresh folder with Debian 12 (FFmpeg 5.1) or 13 (7.1), whatever this machine runs. Needs root,
# debootstrap and a Swift toolchain, which is mounted into the folder; everything else comes from Debian's packages in
# there.
#
#   Scripts/bare-debian.sh 12|13 FOLDER [COMMAND…]      COMMAND runs in a clone of the last commit; without one: the README's two commands
#
# FOLDER is created if it does not exist, and is kept to make the next run faster. Mounts are visible only to this run
# and end with it. SCRUB_CORPUS=FOLDER is also mounted; SCRUB_SHARED=FOLDER is mounted as /shared, read-only. Exit code
# 69: this machine cannot do that (no root, no mounts, no network).
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 2 ] || { sed -n '2,11p' "$0" >&2; exit 64; }

if [ -z "${SCRUB_OWN_MOUNTS:-}" ]; then
    if [ "$(id -u)" -ne 0 ] || ! unshare --mount --propagation private true 2>/dev/null; then
        echo "bare-debian: only root can mount folders; nothing was built or tested in a separate Debian" >&2
        exit 69
    fi
    SCRUB_OWN_MOUNTS=1 exec unshare --mount --propagation private bash Scripts/bare-debian.sh "$@"
fi

. Scripts/bare-systems.sh
release=$1
name=$(codename "$release")
shift
root=$(mkdir -p "$(dirname "$1")" && cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift

if [ ! -e "$root/etc/debian_version" ]; then
    if ! command -v debootstrap >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
    fi
    # Under another name until it is complete.
    rm -rf --one-file-system "$root.new"
    debootstrap --variant=minbase --include="$(asked_by_swift "$release" | xargs | tr ' ' ',')" "$name" "$root.new" >"$root.log" 2>&1 || {
        tail -5 "$root.log" >&2
        echo "bare-debian: Debian $release is not available; nothing was built or tested on it" >&2
        exit 69
    }
    if [ -e "$root" ]; then rmdir "$root"; fi
    mv "$root.new" "$root"
fi

into() { # FROM TO [OPTION…]
    mkdir -p "$root$2"
    mount --bind "${@:3}" "$1" "$root$2"
}
# The root of a system is a mount point, as tests that mount something there need it.
mount --bind "$root" "$root"
into "$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")" /opt/toolchain
into /proc /proc
# Terminals are in a file system of their own.
mkdir -p "$root/dev" && mount --rbind /dev "$root/dev"
if [ -n "${SCRUB_CORPUS:-}" ]; then
    into "$SCRUB_CORPUS" /corpus
    # The list of the files is in their parent folder.
    if [ -f "$SCRUB_CORPUS/../manifest.tsv" ]; then cp "$SCRUB_CORPUS/../manifest.tsv" "$root/manifest.tsv"; fi
fi
[ -z "${SCRUB_SHARED:-}" ] || into "$SCRUB_SHARED" /shared -o ro
cp /etc/resolv.conf "$root/etc/resolv.conf"

clone=$root/scrub
if [ -d "$clone/.git" ]; then
    # Unchanged files keep their dates, so that Swift compiles only what has changed.
    git -C "$clone" fetch -q "$PWD" HEAD
    git -C "$clone" checkout -q --force --detach FETCH_HEAD
    git -C "$clone" clean -qffdx --exclude=/.build
else
    rm -rf --one-file-system "$clone.new"
    git clone -q . "$clone.new"
    mv "$clone.new" "$clone"
fi
mkdir -p "$clone/.build"
# Reuse the packages that Swift fetched here.
swift package resolve >/dev/null
if ! cmp -s Package.resolved "$clone/.build/fetched"; then
    for part in checkouts repositories workspace-state.json; do
        rm -rf "$clone/.build/$part"
        cp -a ".build/$part" "$clone/.build/"
    done
    cp Package.resolved "$clone/.build/fetched"
fi

if [ $# -eq 0 ]; then set -- bash -c 'bash Scripts/first-run.sh && bash Scripts/test.sh'; fi
exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/opt/toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${SCRUB_CORPUS:+SCRUB_CORPUS=/corpus} bash -c 'cd /scrub && "$@"' in "$@"
