#!/usr/bin/env bash
# Compiles the example programs and the articles' code against the built library, with warnings as errors, and runs the
# programs on the demo clip. It also proves that the code in the README and in the library's articles is code that was
# compiled, and that the commands there print what is said.
#
#   examples/examples.sh            as said, in half a minute
#   examples/examples.sh package    builds the package in examples/ as an app does that depends on Scrub: minutes, in a
#                                  folder of its own, because the library is compiled without its traits' conditions
set -euo pipefail
cd "$(dirname "$0")/.."

python3 docs/tools/check-code-blocks.py examples/Sources README.md docs/library.md Sources/Scrub/Scrub.docc/*.md
# And that the commands people read print what is said.
python3 docs/tools/check-commands.py .build/release/scrub README.md docs/*.md

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export SCRUB_CACHE_DIR="$out/cache"

if [ "${1:-}" = package ]; then
    SCRUB_TRAITS='' . Scripts/build-options.sh
    options=(--package-path examples "${build_options[@]}" --scratch-path "$build_scratch/examples")

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
    programs=$(swift build "${options[@]}" --show-bin-path)
else
    . Scripts/build-options.sh
    . Scripts/module-flags.sh
    programs=$out
    flags=(-swift-version 6 -warnings-as-errors "${module_flags[@]}")
    swiftc "${flags[@]}" -typecheck -parse-as-library -module-name Articles examples/Sources/Articles/*.swift
    read -r -a packages < <(pkg-config --libs "${native_packages[@]}")
    # The program's objects have the library's among them; what is not used is not linked.
    for program in tour thumbnailer series scrubbar histogram playlist; do
        swiftc "${flags[@]}" -Onone -o "$out/$program" "examples/Sources/$program"/*.swift \
            "@$built/scrub.product/Objects.LinkFileList" -Xlinker --gc-sections "${packages[@]}"
    done
fi

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
mkdir "$out/pictures"
mkdir "$out/toured"
check "42 %: frame 88, 640 x 360" "$programs/tour" $clip "$out/toured"
# The drag came to rest on an exact frame, both players presented, and the pictures are there.
grep -q "drag: at rest, frame .* is exact" "$out/printed"
[ "$(grep -c "^left: frame" "$out/printed")" = 10 ] && [ "$(grep -c "^right: frame" "$out/printed")" = 10 ]
[ -s "$out/toured/exact.png" ] && [ -s "$out/toured/poster.png" ] && [ -s "$out/toured/strip/manifest.json" ]
check "12.jpg: frame" "$programs/thumbnailer" $clip "$out/pictures"
# A JPEG begins with FF D8 FF.
[ "$(head -q -c 3 "$out/pictures/1.jpg" "$out/pictures/12.jpg" | od -An -tx1 | tr -d ' ')" = ffd8ffffd8ff ]
check "cancelled" "$programs/series"
check "asked for frame 105, shown 105, exact" "$programs/scrubbar"
check "presented" "$programs/playlist"
check "frame 88, 640 x 360 samples of yuv420p, exact" "$programs/histogram"
if [ "${1:-}" = package ]; then check "frame 88, checksum" "$programs/namesakes"; fi
echo "examples: as expected"
