#!/usr/bin/env bash
# Builds and runs all tests. With SCRUB_CORPUS=FOLDER, also over the video files in that folder. Arguments go to the
# tests, such as --filter SUITE.
# The programs use the same build (Scripts/build-options.sh). SCRUB_CONFIGURATION=debug tests one with
# every precondition.
#
# All of them run in three processes side by side. A test that waits for a program, a disk or a server holds a thread. A
# process has only as many threads as there are processors.
# Failures are printed again at the end, because often only the end of a log of thousands of lines is kept.
set -euo pipefail
cd "$(dirname "$0")/.."

bash Scripts/install-packages.sh
. Scripts/build-options.sh

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
# Hides the lines that announce the start of a test case with arguments; a failure names its case again.
shown() { tee "$logs/$1" | { grep -v --line-buffered '◇ Test case' || true; }; }

swift build --build-tests "${build_options[@]}"
if [ "${SCRUB_CONFIGURATION:-release}" = release ]; then bash Scripts/link-runtime.sh; fi
bundle=$(swift build --show-bin-path "${build_options[@]}")/scrubPackageTests.xctest
unset SWIFT_DETERMINISTIC_HASHING
if [ $# -gt 0 ]; then
    NO_COLOR=1 "$bundle" --testing-library swift-testing "$@" 2>&1 | shown all || status=$?
else
    # Each test is in one of them: the third omits those of the first two. They take about the same time.
    first='^ScrubTests\.[A-I]|^ScrubMediaTests\.' second='^ScrubTests\.[^A-I]|^ScrubThumbnailsTests\.'
    part() {
        local name=$1
        shift
        NO_COLOR=1 "$bundle" --testing-library swift-testing "$@" 2>&1 | shown "$name"
    }
    parts=()
    part 1 --filter "$first" & parts+=($!)
    part 2 --filter "$second" & parts+=($!)
    part 3 --skip '^Scrub(Media|Thumbnails)?Tests\.' & parts+=($!)
    for part in "${parts[@]}"; do wait "$part" || status=$?; done
    grep -ahE 'Test run with [0-9]+ tests' "$logs"/* || true
fi
if [ "$status" -ne 0 ]; then
    printf '\nFailures:\n'
    grep -ahE '✘|recorded an issue|error:|Fatal error|↳' "$logs"/* | cut -c1-1000 | tail -n 60 || true
fi
exit "$status"
