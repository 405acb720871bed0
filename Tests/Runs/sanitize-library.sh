#!/usr/bin/env bash
# The C library's tests in which threads meet, under the thread sanitizer: sessions, their callbacks, closing at many
# moments, several sessions that share memory, progress and cancellation. Needs a build of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."

options=(--sanitize=thread --scratch-path .build/thread-sanitizer --disable-default-traits --product ScrubC)
swift build "${options[@]}"
built=$(swift build "${options[@]}" --show-bin-path)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SCRUB_CACHE_DIR=$work/cache
# A child of a process with threads makes only the calls that scrub.h allows there.
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0 exitcode=66 die_after_fork=0}"
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang

for name in session session_threads progress; do
    "$clang" -std=c11 -g -O1 -fsanitize=thread -DSANITIZER_THREADS=1 -I Sources/Library/CScrub/include -c "Tests/Library/$name.c" -o "$work/$name.o"
    # By swiftc, because the sanitizer's runtime there needs libdispatch.
    swiftc -sanitize=thread "$work/$name.o" -L "$built" -lScrubC -ldispatch -lBlocksRuntime -Xlinker "-rpath=$built" -o "$work/$name"
    files=()
    if [ "$name" = progress ]; then files=("$work/files") && mkdir "$work/files"; fi
    "$work/$name" testdata/clips/demo.mp4 "${files[@]}"
    echo "$name: no data race"
done
