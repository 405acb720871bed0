#!/usr/bin/env bash
# Installs the packages of Scripts/package.sh in a bare Debian of this machine's release and tries them: every verb
# against what was built, the viewer, thumbnails as desktops make them, every order of coming and going beside Debian's
# disk wiper of the same name, upgrading, removing without a trace, and Python's and C's parts where there are some.
#
#   Scripts/package-check.sh [FOLDER]      default /var/tmp/scrub-package-check; it stays, so that a second run is quicker
#
# Makes the packages first if there are none of these builds. Exit code 69: this machine cannot do that (no root, no
# mounts, no Debian packages).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${SCRUB_OWN_MOUNTS:-}" ]; then
    if [ "$(id -u)" -ne 0 ] || ! unshare --mount --propagation private true 2>/dev/null; then
        echo "package-check: only root may mount folders; the packages were not tried" >&2
        exit 69
    fi
    SCRUB_OWN_MOUNTS=1 exec unshare --mount --propagation private bash "$0" "$@"
fi
root=${1:-/var/tmp/scrub-package-check}
mkdir -p "$root"
root=$(cd "$root" && pwd)
step() { printf -- '--- %s (%ss)\n' "$1" "$SECONDS"; }
fail() { echo "package-check: $1" >&2; exit 1; }

step "packages"
packages=$PWD/.build/packages
if [ ! -e "$packages/SHA256SUMS" ] || [ .build/release/scrub -nt "$packages/SHA256SUMS" ]; then bash Scripts/package.sh; fi
(cd "$packages" && sha256sum --quiet --check SHA256SUMS)
. /etc/os-release
grep -q overlay /proc/filesystems || { echo "package-check: there is no overlay file system here" >&2; exit 69; }
bash Scripts/install-packages.sh mmdebstrap bubblewrap python3-seccomp lintian curl >/dev/null

step "a bare Debian"
base=$root/$VERSION_CODENAME
if [ ! -e "$base/etc/debian_version" ]; then
    rm -rf --one-file-system "$base.new"
    mmdebstrap --quiet --variant=apt "$VERSION_CODENAME" "$base.new" >"$root/base.log" 2>&1 || {
        tail -5 "$root/base.log" >&2
        echo "package-check: there is no Debian to be had; the packages were not tried" >&2
        exit 69
    }
    mv "$base.new" "$base"
fi

# Systems are layers on that one, in memory or on the disk, and gone with this run.
scratch=$root/run-$$
mkdir -p "$scratch"
trap 'umount --recursive --lazy "$scratch"/*/system 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT
# system NAME FROM: a system like another one, in $scratch/NAME/system; FROM is a folder.
system() {
    mkdir -p "$scratch/$1"/{above,work,system}
    mount -t overlay overlay -o "lowerdir=$2,upperdir=$scratch/$1/above,workdir=$scratch/$1/work" "$scratch/$1/system"
    mkdir -p "$scratch/$1/system"/{packages,clips,Scripts}
    mount --bind -o ro "$packages" "$scratch/$1/system/packages"
    mount --bind -o ro testdata/clips "$scratch/$1/system/clips"
    mount --bind -o ro Scripts "$scratch/$1/system/Scripts"
    mount -t proc proc "$scratch/$1/system/proc"
    mount --bind /dev "$scratch/$1/system/dev"
    cp /etc/resolv.conf "$scratch/$1/system/etc/resolv.conf"
}
layers() { echo "$scratch/$1/above:${2:-$base}"; }
inside() { # NAME WORD…
    chroot "$scratch/$1/system" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
}
apt() { inside "$1" apt-get -qq -y -o Dpkg::Use-Pty=0 "${@:2}" >>"$scratch/apt.log" 2>&1 || { tail -20 "$scratch/apt.log" >&2; fail "apt-get ${*:2}"; }; }

deb=$(cd "$packages" && ls scrub-video_*.deb)
viewer=$(cd "$packages" && ls scrub-view_*.deb)

step "installed without what is recommended"
system plain "$base"
apt plain update
apt plain install --no-install-recommends "/packages/$deb" "/packages/$viewer"
[ "$(inside plain readlink /usr/bin/scrub)" = scrub-video ] || fail "there is no link scrub"
[ "$(inside plain scrub --version)" = "$(.build/release/scrub --version)" ] || fail "scrub is another version"
inside plain ldd /usr/bin/scrub-video /usr/bin/scrub-view | grep 'not found\|libswift' && fail "libraries are missing"
status=0
inside plain scrub-video seek /clips/demo.mp4 0 -o /tmp/a.avif >/dev/null 2>"$scratch/words" || status=$?
[ "$status" = 69 ] && grep -q 'libavif' "$scratch/words" || fail "without libavif AVIF ended with $status: $(cat "$scratch/words")"
status=0
inside plain scrub-video info http://127.0.0.1:9/a.mp4 >/dev/null 2>"$scratch/words" || status=$?
[ "$status" = 69 ] && grep -q 'libcurl' "$scratch/words" || fail "without libcurl an address ended with $status: $(cat "$scratch/words")"
cat "$scratch/words"

step "every verb, with what is recommended, beside what was built"
umount --recursive "$scratch/plain/system"
system full "$(layers plain)"
loaded=$(dpkg-deb --field "$packages/$deb" Recommends | tr -d ',')
# shellcheck disable=SC2086 # several words
apt full install --no-install-recommends $loaded
mkdir -p "$scratch/full/system"/{built,called}
mount --bind -o ro "$(readlink -f .build/release)" "$scratch/full/system/built"
ln -s /built/scrub "$scratch/full/system/called/scrub-video"
inside full bash /Scripts/package-verbs.sh /usr/bin/scrub-video /clips /results
mv "$scratch/full/system/results" "$scratch/installed"
inside full bash /Scripts/package-verbs.sh /called/scrub-video /clips /results
mv "$scratch/full/system/results" "$scratch/built"
umount "$scratch/full/system/built"
diff -r "$scratch/built" "$scratch/installed" || fail "an installed verb does not do what the built one does"
(cd "$scratch/built" && grep -hv '^0$' ./*.status | sort | uniq -c | tr '\n' ';' && echo " other exit codes than 0, and $(find . -type f | wc -l) files are the same")

step "the viewer"
inside full scrub-video view /clips/demo.mp4 --port 0 --json >"$scratch/viewer.out" 2>&1 &
serving=$!
for _ in $(seq 100); do [ -s "$scratch/viewer.out" ] && break || sleep 0.1; done
place=$(grep '^{' "$scratch/viewer.out") || fail "the viewer did not say where it is: $(cat "$scratch/viewer.out")"
python3 Scripts/package-viewer.py "$place" "$(inside full scrub-video seek /clips/demo.mp4 f88 --hash --json)"
# The program is a child of this script's own part.
kill $(pgrep -P "$serving") "$serving" 2>/dev/null || true
wait "$serving" || true

step "thumbnails, as GNOME's sandbox and as tumbler make them"
entry=$scratch/full/system/usr/share/thumbnailers/scrub-video.thumbnailer
for film in demo.mp4 av1-aom.mp4 rotate-90.mp4 vp9-alpha.webm; do
    /usr/bin/python3 Scripts/thumbnailer-check.py "$scratch/full/system" "$entry" "testdata/clips/$film" 256 "$root/thumbnail-$film.png"
done
apt full install --no-install-recommends tumbler dbus libglib2.0-bin
inside full useradd --create-home viewer
cp testdata/clips/demo.mp4 "$scratch/full/system/home/viewer/film.mp4"
inside full su viewer -c 'dbus-run-session -- bash /Scripts/package-tumbler.sh /home/viewer/film.mp4' 2>"$scratch/tumbler.err" ||
    { cat "$scratch/tumbler.err" >&2; fail "tumbler made no thumbnail"; }
cp "$scratch/full/system"/home/viewer/.cache/thumbnails/large/*.png "$root/thumbnail-tumbler.png"

step "completions and manual under both names"
inside full bash -c '. /usr/share/bash-completion/completions/scrub.bash && complete -p scrub scrub-video' >/dev/null
for page in scrub-video scrub-view scrub.1video; do
    gzip -dc "$scratch/full/system/usr/share/man/man1/${page%.1video}".1*.gz | grep -q '^.TH SCRUB' || fail "no page $page"
done
umount --recursive "$scratch/full/system"

step "beside the wiper"
bash Scripts/package-orders.sh "$packages/$deb" "$(layers plain)" "$scratch" || { status=$?; [ "$status" = 69 ] && fail "the wiper cannot be had"; exit "$status"; }

if ls "$packages"/libscrub1_*.deb >/dev/null 2>&1; then
    step "the C library"
    system library "$(layers plain)"
    apt library install --no-install-recommends gcc libc6-dev pkg-config "/packages/$(cd "$packages" && ls libscrub1_*.deb)" \
        "/packages/$(cd "$packages" && ls libscrub-dev_*.deb)"
    printf '#include <scrub.h>\nint main(void) { return 0; }\n' >"$scratch/library/system/tmp/a.c"
    # shellcheck disable=SC2016 # expanded inside
    inside library sh -c 'cd /tmp && gcc -Wall -Werror -Wl,--no-as-needed a.c $(pkg-config --cflags --libs scrub) -o a && ./a && ldd a | grep libscrub.so.1'
    umount --recursive "$scratch/library/system"
fi

step "the archive, anywhere"
system archive "$(layers plain)"
apt archive remove scrub-video scrub-view
mkdir "$scratch/archive/system/opt/anywhere"
tar --zstd -xf "$packages"/scrub-video-*.tar.zst --strip-components=1 -C "$scratch/archive/system/opt/anywhere"
inside archive /opt/anywhere/bin/scrub-video seek /clips/demo.mp4 0.42 --hash
umount --recursive "$scratch/archive/system"

step "installed without packages, and removed"
prefix=$scratch/prefix
mkdir -p "$prefix/share" "$scratch/other"
printf '#!/bin/sh\necho scrub version 2.6.1\n' >"$scratch/other/scrub" && chmod 755 "$scratch/other/scrub"
(PATH=$scratch/other:$PATH && bash Scripts/install.sh install "$prefix") | tee "$scratch/words"
grep -q "not installed: $prefix/bin/scrub" "$scratch/words" && [ ! -e "$prefix/bin/scrub" ] || fail "the wiper's name was taken"
# On a machine that has another scrub there is no link to be had.
if ! command -v scrub >/dev/null; then
    bash Scripts/install.sh install "$prefix" | tail -1
    [ "$("$prefix/bin/scrub" --version)" = "$(.build/release/scrub --version)" ] || fail "the link is not ours"
fi
touch "$prefix/share/man/man1/other.1"
bash Scripts/install.sh uninstall "$prefix"
[ "$(cd "$prefix" && find . ! -type d)" = ./share/man/man1/other.1 ] || fail "uninstalling leaves $(find "$prefix")"

step "what lintian says"
# The repository names no address of its makers.
lintian --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog --fail-on error,warning "$packages"/*.deb
du -ch "$packages"/*.deb "$packages"/*.tar.zst | sed 's|\t.*/|\t|'
step "done"
