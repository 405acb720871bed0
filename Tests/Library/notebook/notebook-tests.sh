#!/usr/bin/env bash
# The notebook of examples/notebook in Debian's chromium, run by Voilà: the picture that the page shows while its slider
# is dragged. Ends with 69 if the packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../../.."

bash Scripts/install-packages.sh chromium python3-venv
if [ ! -e .build/library/libscrub.so.1 ]; then bash Scripts/library.sh; fi
environment=$PWD/.build/notebook
packages=(numpy ipykernel==7.3.0 ipywidgets==8.1.8 voila==0.5.13 playwright==1.65.0)
if ! "$environment/bin/python" -c 'import numpy, ipywidgets, voila, playwright' 2>/dev/null; then
    if ! { python3 -m venv --clear "$environment" && "$environment/bin/python" -m pip install --quiet "${packages[@]}"; }; then
        echo "notebook-tests: no environment with ${packages[*]} can be made" >&2
        exit 69
    fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/notebook/drag.ipynb "$work/"
PYTHONPATH=Tests/Programs/Browser python3 -c 'import pathlib, sys, numbered_clip; numbered_clip.make_big_clip(pathlib.Path(sys.argv[1]), 600, 60)' \
    "$work/film.mp4"
export PYTHONPATH=$PWD/python/src PYTHONDONTWRITEBYTECODE=1 SCRUB_LIBRARY=$PWD/.build/library/libscrub.so.1 SCRUB_CACHE_DIR=$work/cache
"$environment/bin/python" Tests/Library/notebook/notebook.py "$environment/bin/voila" "$work"
if [ -n "${SCRUB_DRAG_SCREEN:-}" ]; then cp "$work/screen.png" "$SCRUB_DRAG_SCREEN"; fi
