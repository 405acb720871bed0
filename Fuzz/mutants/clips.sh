#!/usr/bin/env bash
# Small clips of each codec and container that ffmpeg can write here, as seeds beside testdata: clips.sh FOLDER
# What an ffmpeg has no encoder for is left out, and said.
set -euo pipefail
out=${1:?a folder}
mkdir -p "$out"

make() {
    local file=tiny-$1
    shift
    ffmpeg -v quiet -nostdin -y -f lavfi -i "testsrc2=s=96x64:r=12,format=yuv420p" -frames:v 24 -threads 1 -fflags +bitexact \
        -flags:v +bitexact "$@" "$out/$file" || { rm -f "$out/$file"; echo "left out: $file" >&2; }
}

for suffix in mp4 mkv ts flv h264; do make "avc.$suffix" -c:v libx264 -preset veryfast -g 8 -bf 2; done
make avc-slices.mp4 -c:v libx264 -preset veryfast -g 8 -x264-params slices=4
make avc-refresh.mp4 -c:v libx264 -preset veryfast -g 8 -x264-params intra-refresh=1
make avc-fragments.mp4 -c:v libx264 -preset veryfast -g 8 -movflags +frag_keyframe+empty_moov
make avc-lossless.mkv -c:v libx264 -qp 0 -g 8
for suffix in mp4 mkv ts hevc; do make "hevc.$suffix" -c:v libx265 -preset ultrafast -x265-params keyint=8:log-level=none:pools=1; done
for suffix in mp4 mkv webm ivf obu; do make "av1.$suffix" -c:v libaom-av1 -cpu-used 8 -g 8 -b:v 60k; done
make av1-fast.mkv -c:v libsvtav1 -preset 12 -g 8
for suffix in webm ivf mp4; do make "vp9.$suffix" -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 8 -b:v 60k; done
for suffix in webm ivf; do make "vp8.$suffix" -c:v libvpx -deadline realtime -g 8 -b:v 60k; done
for suffix in mpg ts m1v mkv; do make "mpeg1.$suffix" -c:v mpeg1video -g 8 -bf 2 -r 25; done
for suffix in mpg vob ts m2v mkv mp4; do make "mpeg2.$suffix" -c:v mpeg2video -g 8 -bf 2; done
for suffix in avi mp4 mkv m4v; do make "mpeg4.$suffix" -c:v mpeg4 -g 8 -bf 2; done
make h261.mkv -c:v h261 -s 176x144
make h263.3gp -c:v h263 -s 128x96 -g 8
make h263p.avi -c:v h263p -g 8
make flv1.flv -c:v flv -g 8
make msmpeg4.avi -c:v msmpeg4 -g 8
make msmpeg4v2.avi -c:v msmpeg4v2 -g 8
for codec in wmv1 wmv2; do make "$codec.asf" -c:v "$codec" -g 8; done
for codec in rv10 rv20; do make "$codec.rm" -c:v "$codec" -g 8; done
make svq1.mov -c:v svq1 -g 8
make theora.ogv -c:v libtheora -g 8
make mjpeg.avi -c:v mjpeg
make ljpeg.avi -c:v ljpeg -pix_fmt yuvj420p -strict -1
make jpeg2000.mov -c:v jpeg2000
for codec in cinepak msvideo1 zmbv utvideo magicyuv huffyuv ffvhuff asv1 asv2 rawvideo; do make "$codec.avi" -c:v "$codec" -g 8; done
make ffv1.mkv -c:v ffv1 -g 8
make snow.avi -c:v snow -strict -2
make prores.mov -c:v prores
make dnxhd.mov -c:v dnxhd -profile:v dnxhr_lb -s 256x128
make qtrle.mov -c:v qtrle
make png.mov -c:v png
make rpza.mov -c:v rpza -pix_fmt rgb555
make smc.mov -c:v smc -pix_fmt rgb24
make flashsv.flv -c:v flashsv -s 96x64
make flashsv2.flv -c:v flashsv2 -s 96x64
make gif.gif -c:v gif
make apng.apng -c:v apng
make webp.webp -c:v libwebp_anim -r 4
make dv.dv -c:v dvvideo -s 720x576 -r 25 -frames:v 3
make cfhd.mov -c:v cfhd
make speedhq.mov -c:v speedhq
make roq.roq -c:v roqvideo -s 128x64
make amv.avi -c:v amv -s 96x64
make dirac.mkv -c:v vc2 -strict -1
make nut.nut -c:v mpeg4 -g 8

# Streams without tables, in which what a decoder keeps can be changed in its place (StateMutation).
make state-flat.h264 -c:v libx264 -preset veryfast -g 8 -bf 0
make state-fields.h264 -c:v libx264 -preset veryfast -g 8 -bf 2 -x264-params interlaced=1:bff=0
make state-cavlc.h264 -c:v libx264 -profile:v baseline -g 6
make state-flat.hevc -c:v libx265 -preset ultrafast -x265-params keyint=8:bframes=0:log-level=none:pools=1
make state-open.hevc -c:v libx265 -preset ultrafast -x265-params keyint=8:open-gop=1:bframes=3:log-level=none:pools=1
make state-open.h264 -c:v libx264 -preset veryfast -x264-params keyint=8:open-gop=1:bframes=3
make state-flat.m1v -c:v mpeg1video -g 6 -bf 0 -r 25
make state-fields.m2v -c:v mpeg2video -g 8 -bf 2 -flags +ildct+ilme
make state-flat.m4v -c:v mpeg4 -g 6 -bf 0
make state-fields.m4v -c:v mpeg4 -g 8 -bf 2 -flags +ildct+ilme
make state.mjpeg -c:v mjpeg -pix_fmt yuvj420p
make state-half.mjpeg -c:v mjpeg -pix_fmt yuvj422p
make state.pngs -f image2pipe -c:v png -pix_fmt pal8
make state-color.pngs -f image2pipe -c:v png
make state.apng -c:v apng -plays 0
