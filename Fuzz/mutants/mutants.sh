#!/usr/bin/env bash
# Damaged files by the thousand through the release build of scrub, each beside ffmpeg's linear decode of the same file:
#
#     mutants.sh [--state] [--count N] [--first N] [--only SEED NUMBER]
#
# Seeds are testdata's clips, small clips of each codec that are made on the way, and, with SCRUB_CORPUS=FOLDER, the
# small files of that folder. What was found is in .build/mutants (or SCRUB_MUTANTS=FOLDER); it goes on there when it is
# called again. docs/mutants.md says what the findings are. --state changes what decoders keep from one picture to the
# next, and asks for every frame in each way.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=${SCRUB_MUTANTS:-$PWD/.build/mutants}
mkdir -p "$work"
bash Scripts/build.sh
swift build -c release --package-path Fuzz --product mutate
cc -O2 -Wall -Werror -shared -fPIC -o "$work/forkserver.so" Fuzz/mutants/forkserver.c -ldl
# shellcheck disable=SC2046 # several flags
cc -O2 -Wall -Werror -o "$work/revive" Fuzz/mutants/revive.c $(pkg-config --cflags --libs libavformat libavcodec libavutil)
[ -d "$work/clips" ] || { bash Fuzz/mutants/clips.sh "$work/clips.new" && mv "$work/clips.new" "$work/clips"; }
# Copies, so that a build does not change what a long run is about.
cp .build/release/scrub Fuzz/.build/release/mutate "$work/"

folders=(testdata/clips "$work/clips")
if [ -n "${SCRUB_CORPUS:-}" ]; then folders+=("$SCRUB_CORPUS"); fi
results=$work/results
for option in "$@"; do if [ "$option" = --state ]; then results=$work/state; fi; done
exec python3 Fuzz/mutants/run.py --scrub "$work/scrub" --mutate "$work/mutate" --shim "$work/forkserver.so" \
    --revive "$work/revive" \
    --work "$results" "$@" "${folders[@]}"
