#!/usr/bin/env bash
# The fuzzers of everything that reads bytes from outside (Fuzz/README.md):
#     fuzz.sh replay               the kept corpus through every body, exact
#     fuzz.sh run [SECONDS] [NAME…]  each fuzzer, or those named, for this many seconds (default 60), SCRUB_FUZZ_JOBS at once (default 1)
#     fuzz.sh merge NAME FOLDER    adds to the kept corpus what reaches something new
# What it finds is in Fuzz/.build/found/NAME, and status 1.
set -euo pipefail
cd "$(dirname "$0")/.."

verb=${1:-run}
[ $# -eq 0 ] || shift
if [ "$verb" = replay ]; then exec swift test --filter FuzzTests; fi

# A trap is reported once, by libFuzzer.
export SCRUB_FUZZ=1 SWIFT_BACKTRACE=enable=no
scratch=$PWD/Fuzz/.build/fuzzer
swift build -c release --package-path Fuzz --scratch-path "$scratch" --product scrub-fuzz -Xswiftc -sanitize=fuzzer,address
fuzzer=$scratch/release/scrub-fuzz
seeds=$PWD/Fuzz/.build/seeds
[ -d "$seeds" ] || { python3 Fuzz/seeds.py "$seeds.new" && mv "$seeds.new" "$seeds"; }

fuzz() {
    local name=$1
    shift
    local options=(-timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 -max_len=65536 -use_value_profile=1 -print_final_stats=1)
    [ -f "Fuzz/dictionaries/$name.dict" ] && options+=("-dict=Fuzz/dictionaries/$name.dict")
    mkdir -p "$PWD/Fuzz/.build/found/$name"
    SCRUB_FUZZ_ENTRY=$name "$fuzzer" "${options[@]}" "-artifact_prefix=$PWD/Fuzz/.build/found/$name/" "$@"
}

case $verb in
run)
    seconds=${1:-60}
    [ $# -eq 0 ] || shift
    [ $# -gt 0 ] || mapfile -t names < <("$fuzzer")
    [ $# -eq 0 ] || names=("$@")
    run_one() {
        local name=$1 work=Fuzz/.build/corpus/$1
        mkdir -p "$work" "$seeds/$name" "Fuzz/Corpus/$name"
        if fuzz "$name" -max_total_time="$seconds" "$work" "Fuzz/Corpus/$name" "$seeds/$name" >"$work.log" 2>&1; then
            printf '%-14s nothing found   %s\n' "$name" "$(grep -aE '^Done|stat::number_of_executed' "$work.log" | tr '\n' ' ')"
        else
            printf '%-14s FOUND SOMETHING\n' "$name"
            grep -aE 'Fatal error|SUMMARY|Test unit written|ERROR' "$work.log" | head -n 8
            return 1
        fi
    }
    status=0
    running=0
    for name in "${names[@]}"; do
        if [ "$running" -ge "${SCRUB_FUZZ_JOBS:-1}" ]; then
            wait -n || status=1
            running=$((running - 1))
        fi
        run_one "$name" &
        running=$((running + 1))
    done
    while [ "$running" -gt 0 ]; do
        wait -n || status=1
        running=$((running - 1))
    done
    exit $status
    ;;
merge)
    name=${1:?a name}
    mkdir -p "Fuzz/Corpus/$name"
    fuzz "$name" -merge=1 -max_len=4096 "Fuzz/Corpus/$name" "${2:?a folder}"
    ;;
*)
    echo "fuzz: there is no '$verb'" >&2
    exit 64
    ;;
esac
