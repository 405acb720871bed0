#!/usr/bin/env bash
# The opening of a two-hour MP4 (216,000 frames): made from testdata/ by stream copy, then measured.
#
# usage: Benchmarks/open.sh [FOLDER]      where the clip is kept (default: Benchmarks/results)
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-Benchmarks/results}
mkdir -p "$folder"
clip=$folder/two-hours.mp4
if [ ! -f "$clip" ]; then
    # 60 seconds at 30 frames a second and a bit rate as films have it, 120 times over. That gives the tables of a real
    # film without hours of encoding. Sound is interleaved, so that there are as many chunks as in a film.
    ffmpeg -v error -y -f lavfi -i "testsrc2=s=640x360:r=30:d=60,noise=alls=12:allf=t" \
        -f lavfi -i "sine=frequency=440:duration=60" -c:v libx264 -preset veryfast -b:v 1200k -bf 3 -g 250 \
        -c:a aac -b:a 96k -shortest "$folder/minute.mp4"
    ffmpeg -v error -y -stream_loop 119 -i "$folder/minute.mp4" -c copy "$clip.part.mp4"
    mv "$clip.part.mp4" "$clip"
fi
swift build --package-path Benchmarks -c release --product OpenBenchmark
Benchmarks/.build/release/OpenBenchmark "$clip" "${ROUNDS:-21}"
