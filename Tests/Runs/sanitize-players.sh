#!/usr/bin/env bash
# The tests of players and of previews in which threads meet, under the thread sanitizer; CI runs it,
# `Tests/Runs/sanitize.sh` has more of them. The leak check is the tests' own: players, decoders, bytes, threads of time
# and subscribers that are left behind fail them.
set -euo pipefail
cd "$(dirname "$0")/../.."

export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0 exitcode=66}"
swift test --disable-default-traits --sanitize=thread --scratch-path .build/thread-sanitizer \
    --filter "ThreeScreenTests|PictureLaneTests|DecoderPoolTests|EventHubTests|PreviewMakerTests|PreviewStoreTests|PreviewSessionTests" "$@"
