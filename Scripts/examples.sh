#!/usr/bin/env bash
# Builds the example package with warnings as errors, and runs its programs on the demo clip. Proves that the code in
# the README and in the library's articles is code that was built.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 Scripts/check-code-blocks.py examples/Sources README.md Sources/Scrub/Scrub.docc/*.md

# A folder of its own: without Scrub's traits fewer packages are resolved, and the library is compiled without their
# conditions.
SCRUB_TEST_TRAITS='' . Scripts/test-options.sh
options=(--package-path examples "${test_options[@]}" --scratch-path "$test_scratch/examples")

# What only Scrub's programs need is not resolved for an app that asks for no traits.
resolved=$(swift package "${options[@]}" show-dependencies --format json | python3 -c '
import json, sys

def below(package):
    return {name for one in package["dependencies"] for name in {one["identity"]} | below(one)}

[scrub] = json.load(sys.stdin)["dependencies"]
print(*sorted(below(scrub)))')
echo "packages that come with Scrub: $resolved"
if [ "$resolved" != "grdb.swift swift-system" ]; then
    echo "examples: these are not grdb.swift and swift-system alone; give the others a trait's condition in" \
        "Package.swift" >&2
    exit 1
fi

swift build "${options[@]}"
built=$(swift build "${options[@]}" --show-bin-path)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export SCRUB_CACHE_DIR="$out/cache"

# check WORDS PROGRAM ARGUMENT...: runs a program and wants the words in what it prints.
check() {
    local words=$1
    shift
    echo "\$ $(basename "$1")${2:+ $2}"
    "$@" > "$out/printed"
    cat "$out/printed"
    if ! grep -qF -- "$words" "$out/printed"; then
        echo "examples: '$words' was not printed" >&2
        exit 1
    fi
}

clip=testdata/clips/demo.mp4
check "12.jpg: frame" "$built/thumbnailer" $clip "$out"
# A JPEG begins with FF D8 FF.
[ "$(head -q -c 3 "$out/1.jpg" "$out/12.jpg" | od -An -tx1 | tr -d ' ')" = ffd8ffffd8ff ]
check "cancelled" "$built/series"
check "asked for frame 105, shown 105, exact" "$built/scrubbar"
check "presented" "$built/playlist"
check "frame 88, 640 x 360 samples of yuv420p, exact" "$built/histogram"
check "frame 88, checksum" "$built/namesakes"
echo "examples: as expected"
