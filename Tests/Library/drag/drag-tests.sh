#!/usr/bin/env bash
# The window of examples/drag under a virtual screen: what it shows while the mouse drags. drag-tests.sh [--least 0.95]
# also says that so many moves find their frame within 33 ms.
set -euo pipefail
cd "$(dirname "$0")/../../.."

bash Scripts/install-packages.sh libsdl2-dev xvfb xdotool imagemagick
bash Scripts/library.sh
library=$PWD/.build/library
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict=(-std=c11 -O2 -Wall -Wextra -pedantic -Werror -I "$library")
read -r -a sdl < <(pkg-config --cflags --libs sdl2)
gcc "${strict[@]}" examples/drag/drag.c "${sdl[@]}" -L "$library" -lscrub -o "$work/drag"
gcc "${strict[@]}" -shared -fPIC Tests/Library/drag/watch.c "${sdl[@]}" -ldl -o "$work/watch.so"

# 1080p, groups of 250, each frame with its number, as the viewer's page is tried with.
PYTHONPATH=Tests/Programs/Browser python3 -c 'import pathlib, sys, numbered_clip; numbered_clip.make_big_clip(pathlib.Path(sys.argv[1]), 1200, 250)' \
    "$work/film.mp4"
LD_LIBRARY_PATH=$library SCRUB_CACHE_DIR=$work/cache python3 Tests/Library/drag/drag.py \
    "$work/drag" "$work/watch.so" "$work/film.mp4" "$work" "$@"
