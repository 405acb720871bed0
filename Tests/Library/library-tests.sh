#!/usr/bin/env bash
# The C library: built, included and linked as programs do, and held to what scrub.h says. library-tests.sh [FOLDER…]
# also compares the frames of the films in the folders.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash Scripts/library.sh
library=$PWD/.build/library
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH=$library
strict=(-Wall -Wextra -pedantic -Werror)

echo "--- names: those of scrub.h alone, with a version"
nm -D --defined-only --extern-only --with-symbol-versions "$library/libscrub.so" | awk '{ print $3 }' | grep -v '^SCRUB_1.0' | sort > "$work/exported"
grep -o 'scrub_[a-z_]*;' "$library/scrub.map" | sed 's/;$/@@SCRUB_1.0/' | sort > "$work/promised"
diff "$work/promised" "$work/exported"
readelf -d "$library/libscrub.so" > "$work/dynamic"
grep -q 'SONAME.*libscrub.so.1' "$work/dynamic"
grep -q NODELETE "$work/dynamic"
grep -q 'BIND_NOW\|FLAGS_1.*NOW' "$work/dynamic"
if grep -E 'NEEDED.*(swift|Foundation|dispatch)|R(UN)?PATH' "$work/dynamic"; then
    echo "library-tests.sh: it needs more than a C program has" >&2
    exit 1
fi

echo "--- one version, of the header and the program"
[ "scrub $(sed -n 's/^Version: //p' "$library/scrub.pc.in")" = "$(.build/release/scrub --version | head -n 1)" ]

echo "--- examples, as C11 and as C++17"
for source in examples/c/*.c; do
    name=$work/$(basename "$source" .c)
    gcc -std=c11 "${strict[@]}" -I "$library" "$source" -L "$library" -lscrub -o "$name"
    g++ -std=c++17 -x c++ "${strict[@]}" -I "$library" "$source" -L "$library" -lscrub -o "$name++"
done
# As docs/c.md says it.
cp examples/c/thumbnailer.c "$work/program.c"
cc -std=c11 -I.build/library "$work/program.c" -L.build/library -lscrub -Wl,-rpath,"$PWD/.build/library" -o "$work/program"
env -u LD_LIBRARY_PATH "$work/program" testdata/clips/demo.mp4 "$work/read.png" 128
"$work/thumbnailer" testdata/clips/demo.mp4 "$work/poster.png" 128
[ "$(printf '0.42\nlast\n' | "$work/frame-server++" testdata/clips/demo.mp4 | head -n 1 | cut -d' ' -f 1)" = 88 ]

echo "--- the C that people read"
python3 docs/tools/check-commands.py .build/release/scrub --c "$library" README.md docs/*.md

echo "--- what scrub.h says, under the address and the leak sanitizer"
sanitized=(-g -O1 -fsanitize=address,undefined)
compile() { gcc -std=c11 "${strict[@]}" "${@:3}" -I "$library" "Tests/Library/$1.c" -L "$library" -lscrub -lpthread -o "$work/$2"; }
compile library library-sanitized "${sanitized[@]}"
compile facts facts-sanitized "${sanitized[@]}"
compile structures structures-sanitized "${sanitized[@]}"
compile progress progress-sanitized "${sanitized[@]}"
compile images images-sanitized "${sanitized[@]}"
compile outputs outputs-sanitized "${sanitized[@]}"
compile session session-sanitized "${sanitized[@]}"
compile session_threads session_threads-sanitized "${sanitized[@]}"
compile verbs verbs-sanitized "${sanitized[@]}"
compile frames frames-sanitized "${sanitized[@]}"
compile frames frames -O2
export SCRUB_CACHE_DIR=$work/cache
mkdir "$work/files"
ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS="suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0" \
    "$work/library-sanitized" testdata/clips/demo.mp4 "$work/files"
compile sandbox sandbox
"$work/sandbox" testdata/clips/demo.mp4 "$PWD/.build/release/scrub"
LSAN_OPTIONS="suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0" \
    "$work/facts-sanitized" testdata/clips/demo.mp4 testdata/clips/ts-splice.ts
for name in structures progress images outputs; do
    mkdir "$work/$name"
    LSAN_OPTIONS="suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0" \
        "$work/$name-sanitized" testdata/clips/demo.mp4 "$work/$name"
done
for name in session session_threads; do
    LSAN_OPTIONS="suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0" \
        "$work/$name-sanitized" testdata/clips/demo.mp4
done
LSAN_OPTIONS="suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0" \
    "$work/frames-sanitized" loop testdata/clips/demo.mp4 "${SCRUB_LIBRARY_FRAMES:-20000}"

echo "--- C++: scrub.hpp"
g++ -std=c++17 "${strict[@]}" "${sanitized[@]}" -I "$library" Tests/Library/cpp.cpp -L "$library" -lscrub -lpthread -o "$work/cpp"
mkdir "$work/cpp-files"
LSAN_OPTIONS="suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0" "$work/cpp" testdata/clips/demo.mp4 "$work/cpp-files"

echo "--- what the program's verbs make, file by file"
LSAN_OPTIONS="suppressions=$PWD/Tests/Runs/leaks.supp:print_suppressions=0" \
    python3 Tests/Library/verbs.py "$work/verbs-sanitized" .build/release/scrub \
    testdata/clips/{demo,cover,rotate-90,hevc-main10,colour-pq}.mp4 testdata/clips/{vp9-alpha.webm,av1-svt.mkv,mpeg2-interlaced.vob}

echo "--- every frame of every clip, by hash"
python3 Tests/Library/library.py "$work/frames" "$@"
