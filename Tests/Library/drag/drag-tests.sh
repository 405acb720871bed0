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

# 1080p, groups of 250, each frame with its number.
bars="color=black:s=12x14:r=30,format=gray,geq=lum='if(lt(Y,1),16+219*mod(floor(N/pow(2,X)),2),if(lt(Y,2),235-219*mod(floor(N/pow(2,X)),2),0))',crop=12:2:0:0,scale=1920:154:flags=neighbor,format=yuv420p"
ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=1920x1080:r=30,format=yuv420p -f lavfi -i "$bars" \
    -filter_complex '[0][1]overlay=0:0' -frames:v 1200 -c:v libx264 -preset superfast -crf 23 \
    -x264-params keyint=250:min-keyint=250:scenecut=0:bframes=3 "$work/film.mp4"
LD_LIBRARY_PATH=$library SCRUB_CACHE_DIR=$work/cache python3 Tests/Library/drag/drag.py \
    "$work/drag" "$work/watch.so" "$work/film.mp4" "$work" "$@"
