#!/usr/bin/env bash
# Two runs at once into one folder, many times. Every set that is left must be sound, and the second run refused (69) or
# later than the first. Runs differ in what they write, so that a mixture would be found.
#
#   bash Tests/Programs/Outputs/pairs.sh [PAIRS] [FIRST]      (SCRUB=PROGRAM for another program than .build/release/scrub)
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
scrub=${SCRUB:-$root/.build/release/scrub}
pairs=${1:-1000}
first=${2:-0}
work=$(mktemp -d)
declare -A ends=()
failed=0
finished=0
# Also when it is broken off: how far it came.
summary() {
    for key in "${!ends[@]}"; do echo "$key: ${ends[$key]}"; done | sort
    echo "$finished pairs, $failed of them wrong"
    rm -rf "$work"
}
trap summary EXIT
trap 'exit 130' INT TERM
export SCRUB_CACHE_DIR=$work/cache
film=$work/film.mp4
cp "$root/testdata/clips/h264-bf3.mp4" "$film"
"$scrub" index "$film" >/dev/null

# Each third of the pairs has a folder of its own that all of them write into, and every other pair a new one.
for ((i = first; i < first + pairs; i++)); do
    kinds=(strip thumbs poster)
    kind=${kinds[i % 3]}
    out=$work/$kind
    if ((i / 3 % 2)); then out=$work/new && rm -rf "$out"; fi
    case $kind in
    strip)
        a=(strip "$film" --count $((4 + i % 5)) --width 64 --columns 2 --rows 1 -o "$out")
        b=(strip "$film" --count $((9 + i % 5)) --width 48 --columns 2 --rows 1 -o "$work/./${out##*/}")
        ;;
    thumbs)
        a=(thumbs "$film" --profile web,hls --every 1 --tolerance exact -o "$out")
        b=(thumbs "$film" --profile web,dash,jellyfin --every 2 -o "$out/")
        ;;
    poster)
        a=(poster "$film" --count 3 --candidates 12 --width 64 -o "$out/")
        b=(poster "$film" --count 1 --candidates 8 --width 48 --format png -o "$out/")
        ;;
    esac
    "$scrub" "${a[@]}" >"$work/a.log" 2>&1 &
    one=$!
    # From at once to after the first run's end.
    sleep "0.0$((i % 4))"
    "$scrub" "${b[@]}" >"$work/b.log" 2>&1 && two=0 || two=$?
    wait $one && one=0 || one=$?
    ends["$kind $one,$two"]=$((${ends["$kind $one,$two"]:-0} + 1))
    sound=0
    "$scrub" verify-set "$out" --against "$film" --sample 4 >"$work/v.log" 2>&1 || sound=$?
    rubbish=$(find "$out" -name '.scrub-*' -o -name '*.tmp' | head -n 3)
    # No other program finds posters of both runs in one folder.
    files=$(find "$out" -type f -name 'poster-*' | wc -l)
    if [ $kind = poster ] && [ "$files" != "$(grep -o '"file":"poster-[^"]*"' "$out/posters.json" | wc -l)" ]; then sound=1; fi
    case $one,$two in 0,0 | 0,69 | 69,0) ;; *) sound=2 ;; esac
    finished=$((finished + 1))
    if [ $sound != 0 ] || [ -n "$rubbish" ]; then
        failed=$((failed + 1))
        echo "pairs: $kind, pair $i: exits $one and $two, verify-set $sound, left: $rubbish" >&2
        tail -n 5 "$work"/[abv].log >&2
    fi
done
[ $failed = 0 ]
