#!/usr/bin/env bash
# The symbol graphs of everything that `import ScrubPlayers` shows, which is all that is public: symbol-graphs.sh
# OUTPUT_FOLDER, in the folder of the package. What docs.sh and api.py are made of.
set -euo pipefail
graphs=$1

. Scripts/build-options.sh
swift build "${build_options[@]}" --target ScrubPlayers >&2
rm -rf "$graphs"
mkdir -p "$graphs"
. Scripts/module-flags.sh
target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
# What has a public interface; ScrubPlayers re-exports the others.
modules=$(python3 docs/tools/api.py --modules)
for module in $modules; do
    swift-symbolgraph-extract -module-name "$module" -target "$target" "${module_flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
done
