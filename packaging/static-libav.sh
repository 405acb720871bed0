#!/usr/bin/env bash
# Builds FFmpeg's libraries for linking into scrub: from the sources of the version that this Debian has installed, with
# its patches, all native decoders and demuxers, and libdav1d. They do not have to be loaded when scrub starts, which
# saves 20 ms.
#
#   packaging/static-libav.sh [FOLDER]      default: .build/libav
#   SCRUB_LIBAV=FOLDER bash Scripts/build.sh
#
# Needs Debian's archive (it fetches 10 MB of sources) and installs nasm and other build dependencies. Takes about six
# minutes on two cores. This FFmpeg lacks decoders from other libraries (JPEG XL, SVG), encoders, devices and network.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath -m "${1:-.build/libav}")
version=$(dpkg-query -W -f='${source:Version}' libavcodec-dev 2>/dev/null) || {
    echo "static-libav: libavcodec-dev is not installed; run Scripts/install-packages.sh" >&2
    exit 69
}
if [ "$(cat "$folder/version" 2>/dev/null)" = "$version" ]; then exit 0; fi
bash Scripts/install-packages.sh nasm dpkg-dev libdav1d-dev zlib1g-dev libbz2-dev liblzma-dev

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/sources" "$work/lists/partial"
# The system's archives, for sources only.
find /etc/apt -name '*.sources' -exec sed -s -e 's/^Types:.*/Types: deb-src/' -e '$G' {} + > "$work/sources/archive.sources"
find /etc/apt -name '*.list' -exec sed -n 's/^deb /deb-src /p' {} + > "$work/sources/archive.list"
archive=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/sources" -o "Dir::State::lists=$work/lists"
    -o APT::Sandbox::User=root)
cd "$work"
apt-get -qq "${archive[@]}" update
apt-get -qq "${archive[@]}" source --only-source "ffmpeg=$version" > "$work/source.log" 2>&1 || {
    tail -3 "$work/source.log" >&2
    echo "static-libav: the archive has no sources of ffmpeg $version" >&2
    exit 69
}
cd "$work"/ffmpeg-*/
# GPL, like Debian's build: some decoders' filters and their fast code are GPL.
./configure --prefix="$folder" --extra-version="${version#*:*-}" --enable-gpl --enable-static --disable-shared --enable-pic \
    --disable-autodetect --enable-zlib --enable-bzlib --enable-lzma --enable-libdav1d \
    --disable-programs --disable-doc --disable-debug --disable-encoders --disable-muxers --disable-devices \
    --disable-network --disable-avdevice --disable-avfilter --disable-swresample > "$work/configure.log" || {
    tail -5 "$work/configure.log" >&2
    exit 70
}
make -s -j"$(nproc)" > "$work/make.log" 2>&1 || { tail -20 "$work/make.log" >&2; exit 70; }
make -s install > /dev/null
echo "$version" > "$folder/version"
echo "static-libav: ffmpeg $version is in $folder"
