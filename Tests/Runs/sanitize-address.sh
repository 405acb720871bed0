#!/usr/bin/env bash
# All tests under the address and the leak sanitizer. Not part of the tests: a build of its own, and a quarter of an
# hour.
set -euo pipefail
cd "$(dirname "$0")/../.."

export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:exitcode=66}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0}"
options=(--build-tests --sanitize=address --scratch-path .build/address-sanitizer)
swift build "${options[@]}"
# Swift Testing alone: an empty run of XCTest leaks 368 bytes of its own. Without the tests of how much memory is used:
# the sanitizer keeps what was given back.
"$(swift build "${options[@]}" --show-bin-path)/scrubPackageTests.xctest" --testing-library swift-testing --skip MemoryTests "$@" 2>&1 | grep -av '◇'
