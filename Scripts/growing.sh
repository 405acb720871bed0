#!/usr/bin/env bash
# A recording is followed while ffmpeg writes it. 200 answers during it, and the whole list of frames, have to be those
# of the finished file, which ffmpeg's own linear decode makes.
#
#   Scripts/growing.sh [SECONDS [READRATE]]      default 60 3
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60} rate=${2:-3}
scrub=${SCRUB:-.build/release/scrub}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ffmpeg -v error -f lavfi -i "testsrc2=s=320x180:r=25:d=$seconds" -f lavfi -i "sine=d=$seconds" \
    -c:v libx264 -preset veryfast -bf 3 -g 50 -x264-params open-gop=1 -c:a aac "$work/h264.mkv"
ffmpeg -v error -f lavfi -i "testsrc2=s=320x180:r=25:d=$seconds" -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 50 \
    "$work/vp9.mkv"
ffmpeg -v error -f lavfi -i "testsrc2=s=320x180:r=25:d=$seconds" -c:v libx265 -preset ultrafast \
    -x265-params log-level=none:keyint=50 "$work/hevc.mkv"

failed=0
record() { # NAME SOURCE OUTPUT OPTIONS...
    local name=$1 source=$2 out=$work/$3
    shift 3
    ffmpeg -v error -readrate "$rate" -i "$work/$source" -c copy -flush_packets 1 "$@" "$out" &
    local writer=$!
    while [[ ! -s $out ]]; do sleep 0.02; done
    "$scrub" frames "$out" --follow --json --no-cache --patience 3 >"$work/followed" &
    local follower=$!
    python3 Scripts/growing.py "$scrub" "$out" "$((seconds * 25))" "$seconds" "$rate" >"$work/answers" || failed=1
    wait "$writer"
    wait "$follower"
    "$scrub" frames "$out" --json --no-cache >"$work/listed"
    local list=same
    cmp -s "$work/followed" "$work/listed" || { list=DIFFERENT; failed=1; }
    ffmpeg -v error -i "$out" -map 0:v:0 -f framemd5 -fps_mode passthrough - | grep -v '^#' | awk '{print $NF}' >"$work/linear"
    python3 Scripts/growing.py --check "$work/answers" "$work/linear" || failed=1
    echo "$name: list of $(wc -l <"$work/listed") frames $list"
}

record "Matroska, H.264" h264.mkv a.mkv
record "WebM, live" vp9.mkv a.webm -live 1
record "fragmented MP4, HEVC" hevc.mkv a.mp4 -movflags +frag_keyframe+empty_moov+default_base_moof -tag:v hvc1
record "fragmented MP4, half a second each" h264.mkv b.mp4 -movflags +empty_moov+delay_moov -frag_duration 500000
record "MPEG-TS, H.264" h264.mkv a.ts
record "MPEG-TS, HEVC" hevc.mkv b.ts
exit "$failed"
