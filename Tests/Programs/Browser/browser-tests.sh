#!/usr/bin/env bash
# Tests the viewer in a real browser: Debian's chromium, driven by Playwright for Python, with axe-core's rules for
# accessibility. Installs what is missing (chromium by apt-get; the rest from PyPI, pinned, in a folder of the cache)
# and builds the programs. The last line is "N passed, N failed".
#
#   bash Tests/Programs/Browser/browser-tests.sh [NAME…]          all cases, or those with a NAME in theirs; "terminal" is the viewer in the terminal, which
#                                                  is run only when it is named
#   SCRUB_BROWSER_PICTURES=FOLDER                  where the screenshots go (else .build/browser)
#   SCRUB_BROWSER_JOBS=N                           how many run at once (else as many as there are processors, at most 2)
#   SCRUB=PROGRAM SCRUB_VIEW=PROGRAM               other programs than those in .build/release
#   SCRUB_VIEW_PAGE=FOLDER                         the page's files from there, without building them in
#   SCRUB_BROWSER_PROGRAM=FILE.py                  runs that with the arguments, and not the cases: Benchmarks/compare/view_drag.py
set -euo pipefail
cd "$(dirname "$0")/../../.."

# A virtual environment is known by what is in it: other versions make another one.
packages=(playwright==1.65.0 axe-playwright-python==0.1.8 pillow==12.3.0 opentimelineio==0.18.1 otio-cmx3600-adapter==1.0.0)
if ! command -v chromium >/dev/null || ! command -v ffmpeg >/dev/null; then
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then sudo="sudo"; fi
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core ffmpeg
fi
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then sudo="sudo"; fi
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends python3-venv
fi
cache="${XDG_CACHE_HOME:-$HOME/.cache}/scrub-browser"
key=$(printf '%s ' "$(python3 --version)" "${packages[@]}" | sha256sum | cut -c1-12)
venv="$cache/$key"
if [ ! -e "$venv/done" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
    touch "$venv/done"
fi

if [ -z "${SCRUB_VIEW:-}" ]; then bash Scripts/build.sh scrub scrub-view; fi
export SCRUB="${SCRUB:-$PWD/.build/release/scrub}" SCRUB_VIEW="${SCRUB_VIEW:-$PWD/.build/release/scrub-view}"
export SCRUB_BROWSER_PICTURES="${SCRUB_BROWSER_PICTURES:-$PWD/.build/browser}"
mkdir -p "$SCRUB_BROWSER_PICTURES"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "${SCRUB_BROWSER_PROGRAM:-Tests/Programs/Browser/run.py}" "$@"
