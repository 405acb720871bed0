#!/usr/bin/env bash
# The library's documentation, with warnings as errors: .build/docs/Scrub.doccarchive.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --target Scrub
graphs=.build/docs/symbol-graphs
rm -rf .build/docs
mkdir -p "$graphs"
built=$(swift build --show-bin-path)
# The C modules are needed to load the Swift ones, although nothing of them is public.
flags=()
for module in CScrubShims CAVIF; do
    flags+=(-Xcc "-fmodule-map-file=$built/$module.build/module.modulemap" -Xcc "-ISources/$module/include")
done
for map in Sources/*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
for map in .build/checkouts/*/Sources/*/include/module.modulemap; do
    flags+=(-Xcc "-fmodule-map-file=$map" -Xcc "-I$(dirname "$map")")
done
for flag in $(pkg-config --cflags-only-I libavformat libpng libturbojpeg libwebpmux libxxhash); do flags+=(-Xcc "$flag"); done
target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
# Scrub re-exports the modules below it that have a public interface.
for module in Scrub ScrubMedia ScrubThumbnails ScrubBase Scrubbing Storyboards PosterScoring; do
    swift-symbolgraph-extract -module-name "$module" -target "$target" -I "$built/Modules" "${flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
    # People import Scrub alone, so its pages are where everything stands: also what a module adds to another one's types.
    for graph in "$graphs/$module".symbols.json "$graphs/$module"@*.symbols.json; do
        if [ ! -e "$graph" ]; then continue; fi
        sed -i "s/\"module\":{\"name\":\"$module\"/\"module\":{\"name\":\"Scrub\"/" "$graph"
        case $graph in *@Scrub*.symbols.json) mv "$graph" "${graph/@/-}" ;; esac
    done
done
docc convert Sources/Scrub/Scrub.docc --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name Scrub --fallback-bundle-identifier scrub --warnings-as-errors \
    --output-path .build/docs/Scrub.doccarchive
echo "documentation: .build/docs/Scrub.doccarchive"
