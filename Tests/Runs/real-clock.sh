#!/usr/bin/env bash
# The two tests of players that wait on a wall clock: ten clips one after the other, and nine in step for a minute, or
# for SCRUB_REAL_CLOCK_SECONDS. Nothing else should run.
set -euo pipefail
cd "$(dirname "$0")/../.."

. Scripts/build-options.sh
swift build --build-tests "${build_options[@]}"
bundle=$(swift build --show-bin-path "${build_options[@]}")/scrubPackageTests.xctest
unset SWIFT_DETERMINISTIC_HASHING
SCRUB_REAL_CLOCK=1 "$bundle" --testing-library swift-testing --filter RealClockTests "$@"
