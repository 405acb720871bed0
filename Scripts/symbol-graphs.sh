#!/usr/bin/env bash
# The symbol graphs of everything that `import ScrubPlayers` shows, which is all that is public: symbol-graphs.sh
# OUTPUT_FOLDER, in the folder of the package. What docs.sh and api.py are made of.
set -euo pipefail
graphs=$1

. Scripts/test-options.sh
swift build "${test_options[@]}" --target ScrubPlayers >&2
rm -rf "$graphs"
mkdir -p "$graphs"
built=$(swift build "${test_options[@]}" --show-bin-path)
# The C modules are needed to load the Swift ones, although nothing of them is public.
flags=()
for include in Sources/C/*/include; do
    module=$(basename "$(dirname "$include")")
    [ -f "$built/$module.build/module.modulemap" ] || continue
    flags+=(-Xcc "-fmodule-map-file=$built/$module.build/module.modulemap" -Xcc "-I$include")
done
for map in Sources/C/*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
for map in "$test_scratch"/checkouts/*/Sources/*/include/module.modulemap; do
    flags+=(-Xcc "-fmodule-map-file=$map" -Xcc "-I$(dirname "$map")")
done
for flag in $(pkg-config --cflags-only-I libavformat libpng libturbojpeg libwebpmux libxxhash); do flags+=(-Xcc "$flag"); done
target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
# What has a public interface; ScrubPlayers re-exports the others.
modules=$(python3 Scripts/api.py --modules)
for module in $modules; do
    swift-symbolgraph-extract -module-name "$module" -target "$target" -I "$built/Modules" "${flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
done
