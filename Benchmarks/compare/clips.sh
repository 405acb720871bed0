#!/usr/bin/env bash
# Makes the clips of the comparison with ffmpeg's own sources. Every picture carries its number; see "Clips" in
# README.md.
#
# usage: clips.sh [--quick] FOLDER       --quick: four short clips in about a minute instead of eleven in about ten
#
# A clip that is already there is kept. Encoders get a fixed number of threads, because some make other streams with
# another number.
set -euo pipefail

quick=
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
if [ $# -ne 1 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
mkdir -p "$1"
cd "$1"

ff() { ffmpeg -nostdin -v error -y "$@"; }

# A still with much detail creeps behind a test pattern that swings from side to side; noise over both, new in every
# picture. Levels are halved about the middle, so that no colour leaves the RGB cube: a clipped colour would change the
# luma that the RGB rivals are checked by. The number: sixteen cells, lowest bit first, light is one; the row below is
# the inverse, so that a damaged number is seen to be damaged. comparison/picture.py reads it.
pictures() { # WIDTH HEIGHT SECONDS
    local cell=$(($2 / 45))
    cat <<GRAPH
mandelbrot=s=$1x$2:r=30,trim=end_frame=1,format=yuv420p,loop=-1:1,setpts=N/30/TB,fps=30,trim=duration=$3,
    scroll=h=0.0021:v=0.0013[ground];
testsrc2=s=$(($1 / 2))x$(($2 / 2)):r=30:d=$3,format=yuv420p[pattern];
color=black:s=16x2:r=30:d=$3,format=gray,geq=lum='if(eq(mod(floor(N/pow(2,X)),2),1-Y),235,16)',format=yuv420p,
    scale=$((cell * 16)):$((cell * 2)):flags=neighbor[number];
[ground][pattern]overlay=x='(W-w)/2*(1+sin(t))':y='(H-h)/2',noise=all_seed=1:alls=8:allf=t+u,
    lutyuv=y=64+val/2:u=64+val/2:v=64+val/2[picture];
[picture][number]overlay=0:0:shortest=1
GRAPH
}

make() { # FILE COMMAND...: runs the command with the name to write to, and renames when it has succeeded
    local file=$1 start=$SECONDS
    shift
    [ -f "$file" ] && return
    "$@" "part-$file"
    mv "part-$file" "$file"
    echo "clips: $file, $((SECONDS - start)) s" >&2
}
encode() { # WIDTH HEIGHT SECONDS ENCODER-OPTIONS... FILE
    local graph
    graph=$(pictures "$1" "$2" "$3")
    ff -filter_complex "$graph" -map_metadata -1 -pix_fmt yuv420p "${@:4}"
}
copy() { # FROM OPTIONS... FILE
    ff -i "$1" -map 0:v:0 -c copy "${@:2}"
}
h264=(-c:v libx264 -threads 2 -preset veryfast -crf 19 -bf 3)
closed=b-pyramid=normal:open-gop=0:scenecut=0
hevc=(-c:v libx265 -preset superfast -crf 24 -tag:v hvc1 -x265-params)
av1=(-c:v libsvtav1 -preset 9 -crf 36 -g 240 -svtav1-params lp=2)
vp9=(-c:v libvpx-vp9 -threads 2 -row-mt 0 -deadline good -cpu-used 5 -crf 34 -b:v 0 -g 240 -auto-alt-ref 1 -lag-in-frames 16)
export SVT_LOG=0

two_hours() { # MINUTE TIMES FILE
    ff -stream_loop $(($2 - 1)) -i "$1" -map 0:v:0 -c copy -movflags +faststart "$3"
}

if [ -n "$quick" ]; then
    make h264-1080-gop250.mp4 encode 1920 1080 15 "${h264[@]}" -g 250 -x264-params "$closed"
    make h264-1080-gop250.ts copy h264-1080-gop250.mp4
    make av1-720-gop240.mp4 encode 1280 720 10 "${av1[@]}"
    make h264-360-loop.mp4 encode 640 360 10 "${h264[@]}" -g 250 -x264-params "$closed"
    make h264-360-two-hours.mp4 two_hours h264-360-loop.mp4 720
    exit
fi

make h264-1080-gop250.mp4 encode 1920 1080 60 "${h264[@]}" -g 250 -x264-params "$closed"
make h264-1080-gop250.mkv copy h264-1080-gop250.mp4
make h264-1080-gop250.ts copy h264-1080-gop250.mp4
make h264-1080-gop250-fragmented.mp4 copy h264-1080-gop250.mp4 -movflags +frag_keyframe+empty_moov+default_base_moof
make h264-1080-gop60.mp4 encode 1920 1080 30 "${h264[@]}" -g 60 -x264-params "$closed"
make h264-1080-open-gop.mp4 encode 1920 1080 30 "${h264[@]}" -g 120 \
    -x264-params b-pyramid=normal:b-adapt=0:open-gop=1:scenecut=0
make h264-2160-gop120.mp4 encode 3840 2160 10 "${h264[@]}" -g 120 -x264-params "$closed"
make hevc-1080-gop250.mp4 encode 1920 1080 30 "${hevc[@]}" \
    log-level=error:pools=2:frame-threads=1:keyint=250:min-keyint=250:scenecut=0:bframes=4:b-pyramid=1:open-gop=0
make av1-720-gop240.mp4 encode 1280 720 30 "${av1[@]}"
make vp9-720-gop240.webm encode 1280 720 30 "${vp9[@]}"
make h264-360-loop.mp4 encode 640 360 60 "${h264[@]}" -g 250 -x264-params "$closed"
make h264-360-two-hours.mp4 two_hours h264-360-loop.mp4 120
