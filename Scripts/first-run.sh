#!/usr/bin/env bash
# Installs what the build needs, builds scrub, and runs its main job on a clip of testdata/.
set -euo pipefail
cd "$(dirname "$0")/.."

bash Scripts/install-packages.sh --build
bash Scripts/build.sh

echo
echo '$ scrub seek testdata/clips/demo.mp4 0.42 --output frame.png'
.build/release/scrub seek testdata/clips/demo.mp4 0.42 --output frame.png
