#!/usr/bin/env bash
# The symbol graphs of everything that `import Scrub` shows: symbol-graphs.sh OUTPUT_FOLDER, in the folder of the package.
# What docs.sh and public-api.sh are made of.
set -euo pipefail
graphs=$1

. Scripts/test-options.sh
swift build "${test_options[@]}" --target Scrub >&2
rm -rf "$graphs"
mkdir -p "$graphs"
built=$(swift build "${test_options[@]}" --show-bin-path)
# The C modules are needed to load the Swift ones, although nothing of them is public.
flags=()
for include in Sources/*/include; do
    module=$(basename "$(dirname "$include")")
    [ -f "$built/$module.build/module.modulemap" ] || continue
    flags+=(-Xcc "-fmodule-map-file=$built/$module.build/module.modulemap" -Xcc "-I$include")
done
for map in Sources/*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
for map in "$test_scratch"/checkouts/*/Sources/*/include/module.modulemap; do
    flags+=(-Xcc "-fmodule-map-file=$map" -Xcc "-I$(dirname "$map")")
done
for flag in $(pkg-config --cflags-only-I libavformat libpng libturbojpeg libwebpmux libxxhash); do flags+=(-Xcc "$flag"); done
target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
# Scrub re-exports the modules below it that have a public interface.
for module in Scrub ScrubSources ScrubStreams ScrubMedia ScrubThumbnails ScrubPlayers Playback ScrubBase Scrubbing Storyboards PosterScoring; do
    swift-symbolgraph-extract -module-name "$module" -target "$target" -I "$built/Modules" "${flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
done
