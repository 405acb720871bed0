#!/usr/bin/env bash
# Builds the package's programs, optimized, in the build that the tests share: build.sh [PRODUCT…]; the default is
# scrub. The programs are in .build/release.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh
if ! command -v swift >/dev/null; then
    echo "build: swift is not in PATH${SUDO_USER:+ of $(id -un)}: https://www.swift.org/install/linux/" >&2
    if [ -n "${SUDO_USER:-}" ]; then echo "build: run this without sudo; \`make install\` asks for it itself" >&2; fi
    exit 69
fi

for product in "${@:-scrub}"; do
    swift build ${SCRUB_IGNORE_LOCK:+--ignore-lock} "${build_options[@]}" --product "$product"
    case $product in scrub | scrub-view) bash Scripts/link-runtime.sh "$product" ;; esac
done
