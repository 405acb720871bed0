#!/usr/bin/env bash
# Runs every verb of the program on clips in testdata, into a folder that can be compared with another program's.
#
#   packaging/check/package-verbs.sh PROGRAM CLIPS FOLDER
#
# Output that depends on the clock is omitted, such as the figures of bench and gesture. Run by package-check.sh inside
# a bare system, with the installed program and with the built one. FOLDER is the same for both, and so is FOLDER-films,
# which the first run makes, because results contain a film's path and age.
set -u
program=$1 clips=$(cd "$2" && pwd)
mkdir -p "$3"
cd "$3" || exit 74
films=$PWD-films own=$PWD-own
trap 'rm -rf "$own"' EXIT
export SCRUB_CACHE_DIR=$own/cache XDG_STATE_HOME=$own/state
if [ ! -d "$films" ]; then
    mkdir "$films"
    for clip in demo.mp4 h264-bf3.mkv hevc-open-gop.mp4 vp9-altref.webm av1-aom.mp4 mpeg2-open.ts prores-422.mov damaged-hevc.mkv cover.mp4; do
        cp "$clips/$clip" "$films/"
    done
fi

# run NAME WORD…: a verb's output and exit code.
run() {
    local name=$1 status=0
    shift
    "$program" "$@" >"$name.out" 2>"$name.err" </dev/null || status=$?
    echo "$status" >"$name.status"
}
"$program" --version >version
"$program" --help >help
for clip in "$clips"/*; do
    name=$(basename "$clip")
    status=0
    "$program" seek "$clip" 0.42 first last --hash --json --no-cache 2>&1 | sed "s|$clips/||g" >"seek-$name.out" || status=$?
done
for film in "$films"/*; do
    name=$(basename "$film")
    run "info-$name" info "$film"
    run "frames-$name" frames "$film" --json
    run "plan-$name" plan "$film" 0.7 --json
    run "drive-$name" drive "$film"
    run "verify-$name" verify "$film" --sample 5
    run "poster-$name" poster "$film" --candidates 12 --format png --output "poster-$name.png"
done
demo=$films/demo.mp4
run index index "$demo"
run previews previews "$demo"
for format in png jpeg webp avif; do run "picture-$format" seek "$demo" 0.42 --output "picture.$format" --format "$format"; done
run strip strip "$demo" --count 12 --output strip
run thumbs thumbs "$demo" --profile all --every 1 --output thumbs
run sheet sheet "$demo" -o sheet.jpg
run verify-set verify-set strip --against "$demo"
run convert convert strip --to bif --output bif
run batch batch "$films" --profile web --every 1 --to batch
run play play "$demo" --clock simulated --null
run y4m play "$demo" --clock simulated --y4m demo.y4m
run cache cache verify
run network info http://127.0.0.1:9/film.mp4
# Their output depends on the clock; only their exit codes are compared.
run gesture gesture "$demo" --made flick --json
run bench bench "$demo" --json
run view view "$demo" --host 999.999.999.999
rm -f gesture.out bench.out play.out y4m.out
# Times of day and durations.
find . -name .scrub-batch -prune -exec rm -rf {} + 2>/dev/null
find . -type f -name '*.out' -o -name '*.err' | xargs sed -i -E -e "s|$own|OWN|g" -e 's/[0-9.]+ (ms|s|milliseconds|seconds|frames a second)\b/T/g; s/^(READY [0-9]+) .*/\1/; s/"(milliseconds|elapsed|wall|cpu[A-Za-z]*|openMilliseconds)": ?[0-9.]+/"\1":0/g'
