#!/usr/bin/env bash
# Builds programs of the package, optimized, in the build that the tests share: build.sh [PRODUCT…], without a name
# scrub. They are in .build/release then.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

for product in "${@:-scrub}"; do
    swift build "${build_options[@]}" --product "$product"
    case $product in scrub | scrub-view) bash Scripts/link-runtime.sh "$product" ;; esac
done
