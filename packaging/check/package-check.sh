#!/usr/bin/env bash
# Installs the packages from packaging/package.sh in a bare Debian and tests them: every verb against the build, the
# viewer, thumbnails as desktops make them, completions in their shells, every order of installing and removing next to
# Debian's disk wiper of the same name, upgrades, removal without traces, the C library and the Python package.
#
#   packaging/check/package-check.sh [12|13 [FOLDER]]      the Debian release; default: this machine's
#
# FOLDER (/var/tmp/scrub-package-check) contains the bare systems and is kept to make the next run faster. Makes the
# packages first if these builds have none. Packages for a release other than this machine's are built by
# Scripts/bare-debian.sh in FOLDER/build13 (or build12), which takes some minutes longer.
# Exit code 69: this machine cannot do that (no root, no mounts, no Debian packages).
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${SCRUB_OWN_MOUNTS:-}" ]; then
    if [ "$(id -u)" -ne 0 ] || ! unshare --mount --propagation private true 2>/dev/null; then
        echo "package-check: only root can mount folders; the packages were not tried" >&2
        exit 69
    fi
    SCRUB_OWN_MOUNTS=1 exec unshare --mount --propagation private bash packaging/check/package-check.sh "$@"
fi
. /etc/os-release
here=$VERSION_ID
release=${1:-$here}
root=${2:-/var/tmp/scrub-package-check}
mkdir -p "$root"
root=$(cd "$root" && pwd)
step() { printf -- '--- %s (%ss)\n' "$1" "$SECONDS"; }
fail() { echo "package-check: $1" >&2; exit 1; }
. Scripts/bare-systems.sh
codename "$release" >/dev/null

step "packages of Debian $release"
if [ "$release" = "$here" ]; then
    clone=$PWD
    made=.build/packages/SHA256SUMS
    # Everything in the packages except the programs comes from the commit.
    if [ ! -e $made ] || [ .build/release/scrub -nt $made ] || [ .build/library/scrub.h -nt $made ] ||
        [ "$(git log -1 --format=%ct -- python packaging share Scripts Sources docs/tools)" -gt "$(stat -c %Y $made)" ]; then
        bash packaging/package.sh
    fi
else
    # A separate folder: CI's part debian13 empties the one that it builds in.
    folder=$root/build$release
    env -u SCRUB_OWN_MOUNTS bash Scripts/bare-debian.sh "$release" "$folder" bash packaging/package.sh
    clone=$folder/scrub
fi
packages=$clone/.build/packages
(cd "$packages" && sha256sum --quiet --check SHA256SUMS)
bash Scripts/install-packages.sh bubblewrap python3-seccomp curl zstd procps >/dev/null

step "a bare Debian"
make_base "$release"
scratch=$root/run-$$
mkdir -p "$scratch/shown"
serving=
trap '[ -z "$serving" ] || kill $(pgrep -P "$serving") "$serving" 2>/dev/null || true; umount --recursive --lazy "$scratch"/*/system 2>/dev/null || true; umount --lazy "$scratch"/shown/* 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT
# The folders that are mounted in the systems, by their names there.
show() { mkdir "$scratch/shown/$2" && mount --bind "$1" "$scratch/shown/$2" && mount -o remount,bind,ro "$scratch/shown/$2"; }
show "$packages" packages
show testdata/clips clips
show packaging/check check
show examples/c examples
show "$(readlink -f "$clone/.build/release")" built
shown=("$scratch"/shown/*)
if [ -d "$clone/.build/library" ]; then show "$clone/.build/library" library && shown+=("$scratch/shown/library"); fi
package() { (cd "$packages" && ls "$1"_*.deb | sed "s|^|/packages/|"); }
ours=$(package scrub-video)
viewer=$(package scrub-view)

step "installed without what is recommended"
system plain "$base" "${shown[@]}"
apt plain update
apt plain install --no-install-recommends "$ours" "$viewer"
[ "$(inside plain readlink /usr/bin/scrub)" = scrub-video ] || fail "the link scrub is missing"
[ "$(inside plain scrub --version)" = "$(inside plain /built/scrub --version)" ] || fail "scrub has a different version"
inside plain ldd /usr/bin/scrub-video /usr/bin/scrub-view | grep 'not found\|libswift' && fail "libraries are missing"
status=0
inside plain scrub-video seek /clips/demo.mp4 0 -o /tmp/a.avif >/dev/null 2>"$scratch/words" || status=$?
[ "$status" = 69 ] && grep -q 'libavif' "$scratch/words" || fail "without libavif AVIF ended with $status: $(cat "$scratch/words")"
status=0
inside plain scrub-video info http://127.0.0.1:9/a.mp4 >/dev/null 2>"$scratch/words" || status=$?
[ "$status" = 69 ] && grep -q 'libcurl' "$scratch/words" || fail "without libcurl an address ended with $status: $(cat "$scratch/words")"
cat "$scratch/words"
umount --recursive "$scratch/plain/system"
plain=$(layers plain)

step "every verb, with what is recommended, beside what was built"
system full "$plain" "${shown[@]}"
loaded=$(dpkg-deb --field "$packages/${ours##*/}" Recommends | tr -d ',')
# shellcheck disable=SC2086 # several words
apt full install --no-install-recommends $loaded
mkdir "$scratch/full/system/called"
ln -s /built/scrub "$scratch/full/system/called/scrub-video"
inside full bash /check/package-verbs.sh /usr/bin/scrub-video /clips /results
mv "$scratch/full/system/results" "$scratch/installed"
inside full bash /check/package-verbs.sh /called/scrub-video /clips /results
mv "$scratch/full/system/results" "$scratch/compared"
diff -r "$scratch/compared" "$scratch/installed" || fail "an installed verb does not do what the built one does"
(cd "$scratch/compared" && grep -hv '^0$' ./*.status | sort | uniq -c | tr '\n' ';' && echo " exit codes other than 0, and $(find . -type f | wc -l) files are the same")

step "the viewer"
inside full scrub-video view /clips/demo.mp4 --port 0 --json >"$scratch/viewer.out" 2>&1 &
serving=$!
for _ in $(seq 100); do grep -q '^{' "$scratch/viewer.out" && break || sleep 0.1; done
place=$(grep '^{' "$scratch/viewer.out") || fail "the viewer did not say where it is: $(cat "$scratch/viewer.out")"
python3 packaging/check/package-viewer.py "$place" "$(inside full scrub-video seek /clips/demo.mp4 f88 --hash --json)"
# The program is a child of this part of the script.
kill $(pgrep -P "$serving") "$serving" 2>/dev/null || true
wait "$serving" || true
serving=

step "thumbnails, as GNOME's sandbox and as tumbler make them"
entry=$scratch/full/system/usr/share/thumbnailers/scrub-video.thumbnailer
for film in demo.mp4 av1-aom.mp4 rotate-90.mp4 vp9-alpha.webm; do
    /usr/bin/python3 packaging/check/thumbnailer-check.py "$scratch/full/system" "$entry" "testdata/clips/$film" 256 "$root/thumbnail-$film.png"
done
apt full install --no-install-recommends tumbler dbus libglib2.0-bin
inside full useradd --create-home viewer
cp testdata/clips/demo.mp4 "$scratch/full/system/home/viewer/film.mp4"
inside full su viewer -c 'dbus-run-session -- bash /check/package-tumbler.sh /home/viewer/film.mp4' 2>"$scratch/tumbler.err" ||
    { cat "$scratch/tumbler.err" >&2; fail "tumbler made no thumbnail"; }
cp "$scratch/full/system"/home/viewer/.cache/thumbnails/large/*.png "$root/thumbnail-tumbler.png"
for page in scrub-video scrub-view scrub.1video; do
    [[ $(gzip -dc "$scratch/full/system/usr/share/man/man1/${page%.1video}".1*.gz) == *".TH SCRUB"* ]] || fail "no page $page"
done
# Debian 13's session leaves a process running for a moment.
umount --recursive --lazy "$scratch/full/system"

step "completions under both names, and next to the wiper"
system shells "$plain" "${shown[@]}"
apt shells install --no-install-recommends bash-completion zsh fish
python3 packaging/check/package-completions.py "$scratch/shells/system" ours
apt shells install --no-install-recommends scrub
python3 packaging/check/package-completions.py "$scratch/shells/system" wiper
umount --recursive "$scratch/shells/system"

step "next to the wiper"
bash packaging/check/package-orders.sh "$packages/${ours##*/}" "$plain" "$scratch" || { status=$?; [ "$status" = 69 ] && fail "the wiper is not available"; exit "$status"; }

below=$plain
if [ -d "$scratch/shown/library" ]; then
    step "the C library"
    system library "$plain" "${shown[@]}"
    apt library install --no-install-recommends gcc libc6-dev pkg-config "$(package libscrub1)" "$(package libscrub-dev)"
    inside library bash /check/package-c.sh /examples /library /clips/demo.mp4
    umount --recursive "$scratch/library/system"
    below=$(layers library "$plain")
fi

step "the Python package"
system python "$below" "${shown[@]}"
apt python install --no-install-recommends python3-venv python3-numpy
inside python python3 -m venv --system-site-packages /environment
inside python sh -c '/environment/bin/pip install --quiet --no-index /packages/scrub_video-*.whl'
hash=$(inside python scrub-video seek /clips/demo.mp4 f88 --hash --json | sed 's/.*"hash" *: *"\([^"]*\)".*/\1/')
[ "$below" = "$plain" ] || inside python /environment/bin/python /check/package-python.py /clips/demo.mp4 "$hash" library
inside python env SCRUB_PROGRAM=scrub-video /environment/bin/python /check/package-python.py /clips/demo.mp4 "$hash" program
inside python /environment/bin/pip uninstall --quiet --yes scrub-video
umount --recursive "$scratch/python/system"

step "purged: what is left"
system purged "$below" "${shown[@]}"
names=$(inside purged dpkg-query -W -f '${Package}\n' | grep scrub | tr '\n' ' ')
# shellcheck disable=SC2086 # several words
apt purged purge $names
# What is left after installing and purging them again, and anything with their name.
# A user's cache belongs to the user.
list() { (cd "$scratch/purged/system" && find . -xdev \( -path ./var/log -o -path ./var/lib/dpkg -o -path ./root/.cache \) -prune -o -print | sort); }
list >"$scratch/before"
if grep -i scrub "$scratch/before" | grep -v e2scrub; then fail "purging leaves files behind"; fi
if inside purged ldconfig -p | grep libscrub; then fail "the loader still knows the library"; fi
# shellcheck disable=SC2086 # several words
inside purged sh -c 'for name in '"$names"'; do set -- "$@" /packages/"$name"_*.deb; done; dpkg --install "$@"' >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; fail "$names cannot be installed again"; }
# shellcheck disable=SC2086 # several words
inside purged dpkg --purge $names >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "$names cannot be purged"; }
list | diff "$scratch/before" - || fail "purging leaves files behind"
echo "nothing of $names"
umount --recursive "$scratch/purged/system"

step "the archive, anywhere"
system archive "$plain" "${shown[@]}"
apt archive remove scrub-video scrub-view
mkdir "$scratch/archive/system/opt/anywhere"
tar --zstd -xf "$packages"/scrub-video-*.tar.zst --strip-components=1 -C "$scratch/archive/system/opt/anywhere"
inside archive /opt/anywhere/bin/scrub-video seek /clips/demo.mp4 0.42 --hash
umount --recursive "$scratch/archive/system"

if [ "$release" = "$here" ]; then
    step "installed without packages, and removed"
    prefix=$scratch/prefix
    mkdir -p "$prefix/share" "$scratch/other"
    printf '#!/bin/sh\necho scrub version 2.6.1\n' >"$scratch/other/scrub" && chmod 755 "$scratch/other/scrub"
    (PATH=$scratch/other:$PATH && bash packaging/install.sh install "$prefix") | tee "$scratch/words"
    grep -q "not installed: $prefix/bin/scrub" "$scratch/words" && [ ! -e "$prefix/bin/scrub" ] || fail "the wiper's name was taken"
    # On a machine with another scrub the link is not created.
    if ! command -v scrub >/dev/null; then
        bash packaging/install.sh install "$prefix" | tail -1
        [ "$("$prefix/bin/scrub" --version)" = "$(.build/release/scrub --version)" ] || fail "the link is not ours"
    fi
    touch "$prefix/share/man/man1/other.1"
    bash packaging/install.sh uninstall "$prefix"
    [ "$(cd "$prefix" && find . ! -type d)" = ./share/man/man1/other.1 ] || fail "uninstalling leaves files behind: $(find "$prefix")"
fi

step "what the release's own lintian says"
system lint "$plain" "${shown[@]}"
apt lint install --no-install-recommends lintian
# The repository does not contain its authors' addresses.
inside lint sh -c 'exec lintian --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog --fail-on error,warning /packages/*.deb'
umount --recursive "$scratch/lint/system"
du -ch "$packages"/*.deb "$packages"/*.tar.zst "$packages"/*.whl | sed 's|\t.*/|\t|'
step "done"
