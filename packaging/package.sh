#!/usr/bin/env bash
# Makes packages from the build, for the Debian release that this machine runs, in .build/packages:
#
#   scrub-video, scrub-view, libscrub1, libscrub-dev    .deb
#   scrub-video-VERSION-linux-ARCH-debianN.tar.zst      the same files for any folder
#   scrub_video-VERSION-py3-none-any.whl                the Python package
#
#   packaging/package.sh [--no-build]      --no-build packs the existing builds
#
# The same builds at the same commit give the same bytes. docs/packages.md lists the contents. Exit code 69: this
# machine does not run Debian, or lacks debhelper and cannot install it.
set -euo pipefail
cd "$(dirname "$0")/.."
builds=yes
case "${1:-}" in '') ;; --no-build) builds= ;; *) sed -n '2,13p' "$0" >&2; exit 64 ;; esac

. /etc/os-release
if [ "${ID:-}" != debian ]; then
    echo "package: packages can only be made on Debian, because they need its libraries; this is ${PRETTY_NAME:-another system}" >&2
    exit 69
fi
# What is loaded by name, which dpkg cannot see: the packages that have those libraries, recommended, and those that
# every film needs. PackageTests holds them against the names in the sources.
case $VERSION_ID in
12) loaded="libcurl4, libavif15" needed="libavformat59 (>= 7:5.1), libavcodec59 (>= 7:5.1)" ;;
13) loaded="libcurl4t64, libavif16" needed="libavformat61 (>= 7:7.1), libavcodec61 (>= 7:7.1)" ;;
*) echo "package: the names of the libcurl and libavif packages in Debian $VERSION_ID are unknown: add them here" >&2; exit 69 ;;
esac
if [ -n "$builds" ]; then
    bash Scripts/install-packages.sh --build >/dev/null
    bash Scripts/build.sh scrub scrub-view
    status=0
    bash Scripts/library.sh || status=$?
    # Swift 6.2 builds everything except the C library.
    if [ "$status" = 69 ]; then rm -rf .build/library; elif [ "$status" != 0 ]; then exit "$status"; fi
fi
bash Scripts/install-packages.sh debhelper zstd python3-setuptools python3-wheel >/dev/null
version=$(bash packaging/version.sh)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C.UTF-8 TZ=UTC
architecture=$(dpkg --print-architecture)
packages=.build/packages
# Always the same folder: the output could depend on its path.
work=$packages/work
rm -rf "$packages" && mkdir -p "$work/debian"

bash packaging/stage.sh "$work/stage"
cp -r packaging/debian/. "$work/debian/"
mv "$work/stage/share/doc/scrub-video/copyright" "$work/debian/copyright"
cat >"$work/debian/changelog" <<END_OF_FILE
scrub-video ($version~deb${VERSION_ID}u1) unstable; urgency=medium

  * Scrub $version, built for Debian $VERSION_ID.

 -- $(sed -n 's/^Maintainer: //p' packaging/debian/control)  $(date --utc --date="@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')
END_OF_FILE
options=()
if [ ! -d "$work/stage/lib" ]; then
    echo "package: there is no C library in .build/library (build it with Scripts/library.sh): no libscrub1, no libscrub-dev"
    options=(-Nlibscrub1 -Nlibscrub-dev)
fi
log=$packages/build.log
(
    cd "$work"
    # No fakeroot: no file has a different owner. Package members get the changelog's date.
    DH_OPTIONS="${options[*]}" SCRUB_LOADED=$loaded SCRUB_NEEDED=$needed dpkg-buildpackage -J --build=binary --no-sign --no-check-builddeps
) >"$log" 2>&1 || { tail -20 "$log" >&2; exit 1; }
grep -i 'warning' "$log" || true

name=scrub-video-$version-linux-$(uname -m)-debian$VERSION_ID
mkdir "$work/tar" && cp -a "$work/stage" "$work/tar/$name"
cp "$work/debian/copyright" "$work/tar/$name/share/doc/scrub-video/"
tar --create --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --directory "$work/tar" "$name" |
    zstd -q -12 -T1 -o "$packages/$name.tar.zst"

# Debian's own tools make the wheel: they do not come from the network, and their versions are the release's.
git ls-files -z python | xargs -0 cp --parents -t "$work"
chmod -R u=rwX,go=rX "$work/python"
(cd "$work/python" && /usr/bin/python3 -c '
import sys
from setuptools.build_meta import build_wheel

build_wheel(sys.argv[1])' "$OLDPWD/$packages") >"$packages/wheel.log" 2>&1 || { tail -20 "$packages/wheel.log" >&2; exit 1; }

mv "$work"/../scrub-video_*.buildinfo "$work"/../scrub-video_*.changes "$work/"
(cd "$packages" && sha256sum ./*.deb ./*.tar.zst ./*.whl | sed 's|\./||' | tee SHA256SUMS)
(cd "$packages" && stat --format='%10s %n' ./*.deb ./*.tar.zst ./*.whl)
