#!/usr/bin/env bash
# What must not compile for those who import the library, with what it must say: docs/tools/refusals.py against the
# built modules.
set -euo pipefail
cd "$(dirname "$0")/../.."

. Scripts/build-options.sh
for product in ScrubPlayers ScrubThumbnails; do
    swift build "${build_options[@]}" --target "$product" >&2
done
. Scripts/module-flags.sh
python3 docs/tools/refusals.py swiftc -typecheck -swift-version 6 "${module_flags[@]}"
