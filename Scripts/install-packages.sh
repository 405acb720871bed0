#!/usr/bin/env bash
# Installs what the build and the tests need from Debian's packages (bookworm or newer, Ubuntu 24.04 or newer).
# Swift itself comes from swift.org; this only says so if it is missing.
#
#   Scripts/install-packages.sh [--build | PACKAGE…]      --build: without what only the tests need
# PACKAGE…: only these packages, for a script that needs others.
set -euo pipefail

build=(
    libavformat-dev libavcodec-dev libavutil-dev libswscale-dev # demuxing, decoding
    libpng-dev libturbojpeg0-dev libwebp-dev libavif-dev        # pictures
    zlib1g-dev                                                  # and what compresses them in PNG
    libxxhash-dev                                               # checksums
    libsqlite3-dev                                              # what was fetched from the network is catalogued with it
    curl                                                        # brings libcurl, which addresses on the network need
    pkg-config                                                  # how the build finds them
    git make python3                                            # versions, `make install`, the manual
)
# In Debian 13 the linker that Swift prefers is in a separate package. The other one leaves a program's constants and
# function tables writable.
if [ "$(. /etc/os-release && echo "$ID ${VERSION_ID:-}")" = "debian 13" ]; then build+=(binutils-gold); fi
tests=(
    ffmpeg                                                      # what the tests compare with
    python3-numpy                                               # what the example for Python makes
    python3-pil python3-webvtt python3-mpegdash python3-gi      # what reads thumbnail sets back in the tests,
    libglib2.0-bin                                              # and finds file managers' ones
    gstreamer1.0-tools gstreamer1.0-libav                       # and plays the key pictures, 21 MB in all
    gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
    mandoc                                                      # what proves the man page
)
packages=("${build[@]}" "${tests[@]}")
case "${1:-}" in
'') ;;
--build) packages=("${build[@]}") ;;
*) packages=("$@") ;;
esac

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then sudo="sudo"; fi
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

if [ "${packages[0]}" = "${build[0]}" ] && ! command -v swift >/dev/null; then
    echo "Swift 6.2 or newer is needed: https://www.swift.org/install/linux/" >&2
    exit 69
fi
