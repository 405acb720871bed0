#!/usr/bin/env bash
# The tests of players under the thread sanitizer; CI runs it. Their own counters are the leak check: players, decoders, pictures, bytes, threads
# and subscribers that a test leaves behind fail it.
set -euo pipefail
cd "$(dirname "$0")/.."

# Left out: what is pure and has no threads, long under the sanitizer.
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0 exitcode=66}"
swift test --sanitize=thread --scratch-path .build/thread-sanitizer \
    --filter "ScrubPlayersTests\." --skip "Y4MSinkTests|TerminalRendererTests|TerminalParserTests|EveryClip" "$@"
