#!/usr/bin/env bash
# Installs what the build needs, builds scrub, and runs its main job on a clip of testdata/.
set -euo pipefail
cd "$(dirname "$0")/.."

bash Scripts/install-packages.sh

# With Swift's runtime inside, where the toolchain has it: the program then runs on machines without Swift, and starts
# sooner.
options=(-c release --product scrub)
runtime=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
if [ -d "${runtime}_static/linux" ]; then options+=(--static-swift-stdlib); fi
swift build "${options[@]}"

echo
echo '$ scrub seek testdata/clips/demo.mp4 0.42 --output frame.png'
.build/release/scrub seek testdata/clips/demo.mp4 0.42 --output frame.png
