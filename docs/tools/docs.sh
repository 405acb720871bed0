#!/usr/bin/env bash
# The public API against its listing in docs/api, what must not compile for its users, and the library's documentation,
# with warnings as errors: .build/docs/Scrub.doccarchive.
set -euo pipefail
cd "$(dirname "$0")/../.."

graphs=.build/docs/symbol-graphs
rm -rf .build/docs
bash docs/tools/symbol-graphs.sh "$graphs"
python3 docs/tools/api.py --graphs "$graphs"
bash docs/tools/refusals.sh
# People import Scrub alone, so its pages are where everything stands: also what a module adds to another one's types.
for graph in "$graphs"/*.symbols.json; do
    name=$(basename "$graph" .symbols.json)
    sed -i "s/\"module\":{\"name\":\"${name%%@*}\"/\"module\":{\"name\":\"Scrub\"/" "$graph"
    case $name in *@Scrub*) mv "$graph" "${graph/@/-}" ;; esac
done
docc convert Sources/Scrub/Scrub.docc --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name Scrub --fallback-bundle-identifier scrub --warnings-as-errors \
    --output-path .build/docs/Scrub.doccarchive
echo "documentation: .build/docs/Scrub.doccarchive"
