#!/usr/bin/env bash
# Builds and runs all tests. With SCRUB_CORPUS=FOLDER, also over the video files in that folder.
set -euo pipefail
cd "$(dirname "$0")/.."

bash Scripts/install-packages.sh
swift test "$@"
