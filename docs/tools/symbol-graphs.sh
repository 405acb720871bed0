#!/usr/bin/env bash
# The symbol graphs of the modules of all products, which is all that is public: symbol-graphs.sh
# OUTPUT_FOLDER, in the folder of the package. What docs.sh and api.py are made of.
set -euo pipefail
graphs=$1

. Scripts/build-options.sh
for product in ScrubPlayers ScrubThumbnails; do
    swift build "${build_options[@]}" --target "$product" >&2
done
rm -rf "$graphs"
mkdir -p "$graphs"
. Scripts/module-flags.sh
target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
# What has a public interface.
modules=$(python3 docs/tools/api.py --modules)
for module in $modules; do
    swift-symbolgraph-extract -module-name "$module" -target "$target" "${module_flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
done
