#!/usr/bin/env bash
# Builds and runs all tests. With SCRUB_CORPUS=FOLDER, also over the video files in that folder.
# What failed is printed once more at the end: of a log of thousands of lines often only the end is kept.
set -euo pipefail
cd "$(dirname "$0")/.."

bash Scripts/install-packages.sh
. Scripts/test-options.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# Leaves out the lines that say that a case of a test with arguments has begun; a failure names its case again.
swift build --build-tests "${test_options[@]}"
swift test --skip-build "${test_options[@]}" "$@" 2>&1 | tee "$log" | grep -v --line-buffered '◇ Test case' || status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
    printf '\nWhat failed:\n'
    grep -aE '✘|recorded an issue|error:|Fatal error|↳' "$log" | cut -c1-1000 | tail -n 60 || true
fi
exit "$status"
