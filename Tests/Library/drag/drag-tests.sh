#!/usr/bin/env bash
# The windows of examples/drag, in C and in Python, under a virtual screen: what they show while the mouse drags.
# drag-tests.sh --least 0.95 also requires that this part of the moves finds its frame within 33 ms.
set -euo pipefail
cd "$(dirname "$0")/../../.."

bash Scripts/install-packages.sh libsdl2-dev xvfb xdotool imagemagick libxcb-cursor0 libegl1 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 python3-venv
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
export SCRUB_CACHE_DIR=$work/cache
LD_LIBRARY_PATH=$library python3 Tests/Library/drag/drag.py "$work/film.mp4" "$work" --preload "$work/watch.so" "$@" -- "$work/drag"

environment=$PWD/.build/drag
if ! "$environment/bin/python" -c 'import numpy, PySide6' 2>/dev/null; then
    python3 -m venv --clear "$environment"
    "$environment/bin/python" -m pip install --quiet numpy PySide6-Essentials
fi
rm -rf "$work/cache"
export PYTHONPATH=$PWD/python/src PYTHONDONTWRITEBYTECODE=1 SCRUB_LIBRARY=$library/libscrub.so.1
python3 Tests/Library/drag/drag.py "$work/film.mp4" "$work" "$@" -- \
    "$environment/bin/python" Tests/Library/drag/watch.py examples/drag/drag.py
if [ -n "${SCRUB_DRAG_SCREEN:-}" ]; then cp "$work/screen.png" "$SCRUB_DRAG_SCREEN"; fi
