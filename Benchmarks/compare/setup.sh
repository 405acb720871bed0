#!/usr/bin/env bash
# Installs the rivals, builds the FFMS2 driver, makes the clips and decodes them once. Safe to run again: what is there
# is kept. A rival that cannot be had is reported and left out. For Debian 12; elsewhere install the packages by hand.
#
# usage: setup.sh [--quick] [--no-install] [--no-clips]
#   --quick        only the short clips (two minutes instead of fifteen)
#   --no-install   neither apt-get nor pip
#   --no-clips     neither clips nor their truth
#
# COMPARE_CACHE   where everything goes (default: $XDG_CACHE_HOME/scrub-compare or ~/.cache/scrub-compare)
# COMPARE_PYTHON  a Python that has the packages already: no environment is made
set -euo pipefail
cd "$(dirname "$0")"

quick='' install=1 clips=1
for argument in "$@"; do
    case $argument in
        --quick) quick=1 ;;
        --no-install) install='' ;;
        --no-clips) clips='' ;;
        *)
            sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
            exit 64
            ;;
    esac
done
cache=${COMPARE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/scrub-compare}
mkdir -p "$cache/bin"
cache=$(cd "$cache" && pwd)
lacking=()

note() { printf 'setup: %s\n' "$*" >&2; }
lack() {
    lacking+=("$1")
    note "$1: $2"
}

install_packages() {
    local packages=(ffmpeg libffms2-dev libavutil-dev mpv gcc libc6-dev pkg-config python3-venv) missing=() package root=()
    for package in "${packages[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    note "apt-get install ${missing[*]}"
    "${root[@]}" apt-get update -qq || note "apt-get update fails"
    for package in "${missing[@]}"; do # one by one: a missing one does not take the others with it
        DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "$package" \
            >>"$cache/setup.log" 2>&1 || lack "$package" "apt-get does not install it, see $cache/setup.log"
    done
}

# NAME REQUIREMENT...: first from where pip is set up to look, then also from PyTorch's own index.
install_python() {
    local name=$1 pip=("$cache/venv/bin/pip" --disable-pip-version-check --quiet)
    shift
    "${pip[@]}" install "$@" >>"$cache/setup.log" 2>&1 ||
        "${pip[@]}" install --extra-index-url https://download.pytorch.org/whl/cpu "$@" >>"$cache/setup.log" 2>&1 ||
        lack "$name" "pip does not install it, see $cache/setup.log"
}

if [ -n "$install" ]; then
    command -v apt-get >/dev/null && install_packages
    if [ -z "${COMPARE_PYTHON:-}" ]; then
        [ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
        pin=numpy==2.2.6 # named each time, so that no rival brings another one
        install_python numpy $pin
        install_python pyav $pin av==18.1.0
        install_python decord $pin decord==0.6.0
        install_python opencv $pin opencv-python-headless==5.0.0.93
        install_python video-reader-rs $pin video-reader-rs==0.4.5
        install_python torchcodec $pin torch==2.13.0+cpu torchcodec==0.13.0
    fi
fi
python=${COMPARE_PYTHON:-$cache/venv/bin/python}
for program in ffmpeg ffprobe "$python"; do
    if ! command -v "$program" >/dev/null; then
        note "$program is needed for everything"
        exit 69
    fi
done
if ! "$python" -c 'import numpy' 2>/dev/null; then
    note "numpy is needed for everything"
    exit 69
fi

driver=$cache/bin/ffms2-driver
if [ ! -x "$driver" ] || [ drivers/ffms2_driver.c -nt "$driver" ]; then
    if flags=$(pkg-config --cflags --libs ffms2 libavutil 2>>"$cache/setup.log"); then
        # shellcheck disable=SC2086 # flags are words
        gcc -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -o "$driver" drivers/ffms2_driver.c $flags 2>>"$cache/setup.log" ||
            lack ffms2 "gcc does not compile its driver, see $cache/setup.log"
    else
        lack ffms2 "pkg-config does not know it"
    fi
fi
command -v mpv >/dev/null || lack mpv "not installed"

sets=()
if [ -n "$clips" ]; then
    sets=(clips-quick)
    bash clips.sh --quick "$cache/clips-quick"
fi
if [ -n "$clips" ] && [ -z "$quick" ]; then
    bash clips.sh "$cache/clips"
    sets+=(clips)
fi
for set in "${sets[@]}"; do
    PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1 "$python" -m comparison.truth "$cache/$set"
done

[ ${#lacking[@]} -eq 0 ] || note "left out: ${lacking[*]}"
note "ready in $cache; now: python3 compare.py${quick:+ --quick}"
