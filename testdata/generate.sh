#!/usr/bin/env bash
# Makes the test clips, their expected hashes and the manifest. See README.md.
#
#   generate.sh [DIRECTORY]          builds clips/, expected/ and manifest.json there (default: beside this script)
#   generate.sh --check [--strict]   builds in a temporary directory and compares with what is here; other encoder
#                                    versions make other files, so differences fail only with --strict
set -Eeuo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
check= strict= out=$here
for argument in "$@"; do
    case $argument in
        --check) check=1 ;;
        --strict) strict=1 ;;
        -*) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
        *) out=$argument ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "generate.sh: failed in line $LINENO: $BASH_COMMAND" >&2' ERR
[ -n "$check" ] && out=$work/out
mkdir -p "$out/clips" "$out/expected"
out=$(cd "$out" && pwd)
c=$out/clips t=$here/tools
rm -f "$c"/* "$out"/expected/*
export PYTHONDONTWRITEBYTECODE=1 TZ=UTC LC_ALL=C SOURCE_DATE_EPOCH=0

ff() { timeout 120 nice ffmpeg -nostdin -hide_banner -v error -y "$@"; }
exact=(-threads 1 -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact)

# add FILE TRAPS NUMBERS [key=value ...]: an entry of the manifest. NUMBERS are the frame numbers a linear decode
# shows ("0-59", "" for none burned in). Keys: kind exit stream note suffix.
add() {
    local IFS=$'\t'
    echo "$*" >> "$work/entries.tsv"
}
note() { printf 'generate.sh: %s\n' "$*" >&2; }

# --- Pictures ---------------------------------------------------------------------------------------------------
# 192x112, 25 pictures a second: a moving test pattern under a moving wave, and the frame number in the top seventh.
strip() {   # NUMBER-EXPRESSION LUMA
    printf '%s' "if(lt(Y,floor(H/7)),if(eq(mod(floor(($1)/pow(2,floor(X*12/W))),2),lt(Y,floor(H/14))),235,16),$2)"
}
wave='clip(lum(X,Y)+16*sin((X+3*N)/9)*sin((Y-2*N)/11),16,235)'
bars() {    # NUMBER-EXPRESSION LUMA: the filter that draws the number
    printf '%s' "geq=lum='$(strip "$1" "$2")':cb='if(lt(Y,H/7),128,cb(X,Y))':cr='if(lt(Y,H/7),128,cr(X,Y))'"
}
picture() {  # OUT SIZE RATE FRAMES FORMAT [FIRST]
    ff -f lavfi -i "testsrc2=s=$2:r=$3" -frames:v "$4" -vf "scale=$2:flags=neighbor,format=$5,$(bars "N+${6:-0}" "$wave")" -strict -1 -threads 1 "$work/$1"
}
s=$work/s.y4m s444=$work/s444.y4m odd=$work/odd.y4m big=$work/big.y4m fast=$work/fast.y4m
note "pictures"
picture s.y4m 192x112 25 250 yuv420p
picture s444.y4m 192x112 25 60 yuv444p
picture odd.y4m 161x91 25 40 yuv420p
picture odd444.y4m 161x91 25 40 yuv444p
picture big.y4m 240x140 25 40 yuv420p 40
picture fast.y4m 192x112 3000 90 yuv420p
picture field.y4m 192x128 25 60 yuv420p
ff -f lavfi -i sine=frequency=440:sample_rate=32000:duration=4 -c:a pcm_s16le "$work/tone.wav"
ff -i "$s" -frames:v 1 -pix_fmt rgb24 "${exact[@]}" "$work/cover.png"

x264() {    # OUT SOURCE FRAMES X264-PARAMS [OUTPUT OPTIONS]
    ff -i "$2" -frames:v "$3" -c:v libx264 -preset veryfast -crf 41 \
        -x264-params "threads=1:lookahead-threads=1:scenecut=0:$4" "${@:5}" "${exact[@]}" "$c/$1"
}
x265() {
    ff -i "$2" -frames:v "$3" -c:v libx265 -preset veryfast -crf 41 \
        -x265-params "log-level=none:pools=none:frame-threads=1:scenecut=0:$4" "${@:5}" "${exact[@]}" "$c/$1"
}
av1() { ff -i "$2" -frames:v "$3" -c:v libsvtav1 -preset 8 -crf 50 -g 60 -svtav1-params lp=1 "${@:4}" "${exact[@]}" "$c/$1" 2>/dev/null; }
aom() { ff -i "$2" -frames:v "$3" -c:v libaom-av1 -cpu-used 6 -crf 45 -b:v 0 -row-mt 0 "${@:4}" "${exact[@]}" "$c/$1"; }
code() { ff -i "$2" -frames:v "$3" "${@:4}" "${exact[@]}" "$c/$1"; }        # any other encoder
copy() { ff -i "$c/$2" -map 0 -c copy "${@:3}" "${exact[@]}" "$c/$1"; }     # another container
raw() { ff -i "$c/$2" -map 0:v:0 -c copy "${exact[@]}" "$work/$1"; }        # a bare stream to operate on
mp4() { python3 "$t/mp4.py" "$1" "$c/$3" "$c/$2" "${@:4}"; }                # OPERATION OUT IN ARGUMENTS
damage() { python3 "$t/damage.py" "$1" "$c/$3" "$c/$2" "${@:4}"; }
vpx() {     # OUT SOURCE FRAMES ENCODER OPTIONS: two passes
    local name=$1 source=$2 frames=$3
    shift 3
    ff -i "$source" -frames:v "$frames" -c:v "$@" -pass 1 -passlogfile "$work/$name" "${exact[@]}" -f null - 2>/dev/null
    ff -i "$source" -frames:v "$frames" -c:v "$@" -pass 2 -passlogfile "$work/$name" "${exact[@]}" "$c/$name" 2>/dev/null
}

# --- H.264 ------------------------------------------------------------------------------------------------------
note "H.264"
pyramid=keyint=40:min-keyint=40:bframes=3:b-pyramid=normal:b-adapt=0:open-gop=0
x264 h264-bf3.mp4 "$s" 100 $pyramid
add h264-bf3.mp4 b-pyramid,closed-gop,nonref 0-99
x264 h264-bf3-2ref.mp4 "$s" 80 $pyramid:ref=4:weightp=2 -preset medium
add h264-bf3-2ref.mp4 b-pyramid,closed-gop,nonref 0-79 note="several references, weighted prediction"
x264 h264-cavlc-p.mp4 "$s" 60 keyint=30:bframes=0:cabac=0:nr=0 -profile:v baseline
add h264-cavlc-p.mp4 no-reorder,moov-at-end 0-59
open=keyint=24:min-keyint=24:bframes=3:b-pyramid=normal:b-adapt=0:open-gop=1
x264 h264-open-gop.mp4 "$s" 100 $open
add h264-open-gop.mp4 open-gop,leading 0-99
for e in mkv ts; do
    copy h264-open-gop.$e h264-open-gop.mp4
    add h264-open-gop.$e open-gop,leading 0-99
done
raw open.h264 h264-open-gop.mp4
python3 "$t/annexb.py" recovery "$work/open.h264" "$work/starts.h264" 1
x264 h264-intra-refresh.mp4 "$s" 120 keyint=30:bframes=0:intra-refresh=1 -crf 44
add h264-intra-refresh.mp4 intra-refresh,one-idr 0-119
x264 h264-intra-refresh-b.mp4 "$s" 120 keyint=30:bframes=2:b-adapt=0:intra-refresh=1
add h264-intra-refresh-b.mp4 intra-refresh,one-idr,nonref 0-119
for e in mkv ts; do
    copy h264-intra-refresh.$e h264-intra-refresh.mp4
    add h264-intra-refresh.$e intra-refresh,one-idr 0-119
done
x264 h264-one-key.mp4 "$s" 250 keyint=infinite:bframes=3:b-pyramid=normal -crf 45
add h264-one-key.mp4 one-key,long-gop 0-249
x264 h264-single.mp4 "$s" 1 keyint=1
add h264-single.mp4 single-frame 0
x264 h264-intra.mp4 "$s" 30 keyint=1
add h264-intra.mp4 all-intra 0-29
x264 h264-key-at-end.mp4 "$s" 60 keyint=infinite:bframes=2:b-adapt=0 -force_key_frames 'expr:eq(n,59)'
add h264-key-at-end.mp4 key-at-end 0-59
x264 h264-lossless.mp4 "$s" 12 keyint=6:bframes=2:qp=0 -crf 0
add h264-lossless.mp4 x264-sei,lossless 0-11
x264 h264-444.mp4 "$s444" 40 keyint=20:bframes=2:8x8dct=1 -pix_fmt yuv444p
add h264-444.mp4 yuv444p,x264-sei 0-39
x264 h264-422-10.mp4 "$s444" 24 keyint=12:bframes=2 -pix_fmt yuv422p10le
add h264-422-10.mp4 yuv422p10le 0-23
x264 h264-high10.mp4 "$s" 40 keyint=20:bframes=2 -pix_fmt yuv420p10le
add h264-high10.mp4 yuv420p10le 0-39
x264 h264-gray.mp4 "$s" 40 keyint=20:bframes=2 -pix_fmt gray
add h264-gray.mp4 monochrome 0-39
x264 h264-full-range.mp4 "$s" 40 keyint=20:bframes=2 -pix_fmt yuvj420p
add h264-full-range.mp4 full-range 0-39
ff -i "$s444" -frames:v 30 -c:v libx264rgb -preset veryfast -crf 26 -x264-params threads=1:keyint=15:bframes=2 \
    "${exact[@]}" "$c/h264-rgb.mp4"
add h264-rgb.mp4 rgb 0-29
x264 h264-odd.mp4 "$odd" 40 keyint=20:bframes=2 -vf crop=160:90:0:0 -pix_fmt yuv420p
add h264-odd.mp4 cropped 0-39 note="160x90: ninety lines are cropped from ninety-six"
x264 h264-odd-444.mp4 "$work/odd444.y4m" 24 keyint=12:bframes=2
add h264-odd-444.mp4 yuv444p,cropped,odd-size 0-23
x264 h264-sar-4-3.mp4 "$s" 20 keyint=20:bframes=2 -vf setsar=4/3
add h264-sar-4-3.mp4 sar 0-19
x264 h264-sar-2-1.mp4 "$s" 20 keyint=20:bframes=2 -vf setsar=2
add h264-sar-2-1.mp4 sar 0-19
mp4 pasp h264-sar-disagrees.mp4 h264-sar-4-3.mp4 1 1
add h264-sar-disagrees.mp4 sar,sar-disagrees 0-19 note="pasp says 1:1, the SPS 4:3"
x264 h264-mbaff.mp4 "$work/field.y4m" 60 keyint=24:bframes=2:b-adapt=0:tff=1:interlaced=1 -flags +ilme+ildct
add h264-mbaff.mp4 mbaff,interlaced 0-59
copy h264-mbaff.ts h264-mbaff.mp4
add h264-mbaff.ts mbaff,interlaced 0-59
python3 "$t/paff.py" "$c/h264-paff.h264" "$c/h264-paff.mp4"
add h264-paff.mp4 paff,interlaced 0-31 note="written by tools/paff.py: field pairs, P pairs whose second field refers to the first, some frame pictures"
add h264-paff.h264 paff,interlaced,no-timestamps 0-31
for e in ts mkv; do
    copy h264-paff.$e h264-paff.mp4
    add h264-paff.$e paff,interlaced 0-31
done
ff -i "$c/h264-bf3.mp4" -c copy -bsf:v h264_mp4toannexb "${exact[@]}" "$c/h264-raw.h264"
add h264-raw.h264 no-timestamps,b-pyramid 0-99
copy h264-b.avi h264-bf3.mp4
add h264-b.avi no-timestamps,b-pyramid 0-99
copy h264-b.flv h264-bf3.mp4
add h264-b.flv b-pyramid 0-99
copy h264-bf3.mkv h264-bf3.mp4
add h264-bf3.mkv b-pyramid 0-99
copy h264-bf3.ts h264-bf3.mp4
add h264-bf3.ts b-pyramid,nonzero-start 0-99
copy h264-bf3.mov h264-bf3.mp4
add h264-bf3.mov b-pyramid 0-99
# The first group's parameter sets and a start at a recovery point: the leading pictures have no references.
ff -r 25 -i "$work/starts.h264" -c copy "${exact[@]}" "$c/h264-starts-open.h264"
add h264-starts-open.h264 starts-open,no-timestamps "" burned=1 note="begins with a recovery point; its leading pictures refer to what was cut away"

# --- HEVC -------------------------------------------------------------------------------------------------------
note "HEVC"
x265 hevc-open-gop.mp4 "$s" 100 keyint=24:min-keyint=24:bframes=4:b-adapt=0:open-gop=1
add hevc-open-gop.mp4 open-gop,cra,rasl,hev1 0-99
for e in mkv ts; do
    copy hevc-open-gop.$e hevc-open-gop.mp4
    add hevc-open-gop.$e open-gop,cra,rasl 0-99
done
x265 hevc-closed.mp4 "$s" 80 keyint=24:min-keyint=24:bframes=4:b-adapt=0:open-gop=0 -tag:v hvc1
add hevc-closed.mp4 closed-gop,hvc1 0-79
x265 hevc-radl.mp4 "$s" 80 keyint=24:min-keyint=24:bframes=4:b-adapt=0:open-gop=0:radl=2 -tag:v hvc1
add hevc-radl.mp4 radl,leading 0-79
x265 hevc-temporal.mp4 "$s" 60 keyint=30:bframes=4:b-adapt=0:open-gop=0:temporal-layers=1 -tag:v hvc1
add hevc-temporal.mp4 temporal-layers 0-59
x265 base.hevc "$s" 60 keyint=24:min-keyint=24:bframes=3:b-adapt=0:b-pyramid=1:open-gop=0:ref=3
python3 "$t/annexb.py" layers "$c/base.hevc" "$work/layers.hevc"
rm "$c/base.hevc"
cp "$work/layers.hevc" "$c/hevc-layers.hevc"
add hevc-layers.hevc tsvc,no-timestamps 0-59 note="TRAIL_N at temporal id 1 is referred to from id 2: only the top layer may be left out"
x265 hevc-raw.hevc "$s" 60 keyint=24:min-keyint=24:bframes=4:b-adapt=0:open-gop=1
add hevc-raw.hevc no-timestamps,open-gop,cra,rasl 0-59
x265 hevc-main10.mp4 "$s" 40 keyint=20:bframes=3 -pix_fmt yuv420p10le -tag:v hvc1
add hevc-main10.mp4 yuv420p10le,hvc1 0-39
x265 hevc-444-12.mp4 "$s444" 16 keyint=8:bframes=2 -pix_fmt yuv444p12le -tag:v hvc1
add hevc-444-12.mp4 yuv444p12le 0-15
x265 hevc-inband.mp4 "$s" 48 keyint=24:bframes=3:repeat-headers=1 -tag:v hev1
add hevc-inband.mp4 hev1,in-band-sets 0-47
raw open.hevc hevc-open-gop.mp4
python3 "$t/annexb.py" cut "$work/open.hevc" "$c/hevc-starts-cra.hevc" 0
add hevc-starts-cra.hevc starts-open,cra,rasl,no-timestamps "" burned=1 note="begins with a CRA; its RASL pictures cannot be decoded"
ff -copyts -i "$c/hevc-open-gop.mkv" -map 0 -c copy -bsf:v "noise=drop='lt(n\,21)'" "${exact[@]}" "$c/hevc-starts-cra.mkv"
add hevc-starts-cra.mkv starts-open,cra,rasl "" burned=1 note="begins with a CRA; its RASL pictures cannot be decoded"

# --- AV1, VP9, VP8 ----------------------------------------------------------------------------------------------
note "AV1"
av1 av1-svt.mp4 "$s" 120
add av1-svt.mp4 show-existing,hidden,nonref 0-119
for e in mkv webm ivf obu; do
    copy av1-svt.$e av1-svt.mp4
    add av1-svt.$e show-existing,hidden,nonref 0-119
done
av1 av1-10.mp4 "$s" 30 -pix_fmt yuv420p10le
add av1-10.mp4 yuv420p10le,hidden 0-29
aom av1-aom.mp4 "$s" 60 -g 30 -lag-in-frames 19 -auto-alt-ref 1
add av1-aom.mp4 hidden,alt-ref 0-59
av1 av1-intra-only.mkv "$s" 80 -g 24 -svtav1-params lp=1:irefresh-type=1
add av1-intra-only.mkv intra-only,show-existing,hidden 0-79 note="intra-only frames stand where keys would be"
aom av1-grain.mp4 "$s" 20 -g 20 -lag-in-frames 8 -aom-params film-grain-test=3
add av1-grain.mp4 film-grain 0-19
note "VP9, VP8"
vpx vp9-altref.webm "$s" 100 libvpx-vp9 -b:v 60k -g 60 -cpu-used 4 -auto-alt-ref 1 -lag-in-frames 16
add vp9-altref.webm hidden,alt-ref 0-99
copy vp9-altref.mp4 vp9-altref.webm
add vp9-altref.mp4 hidden,alt-ref 0-99
copy vp9-altref.ivf vp9-altref.webm
add vp9-altref.ivf hidden,alt-ref 0-99
vpx vp9-10.webm "$s" 30 libvpx-vp9 -b:v 60k -g 30 -cpu-used 4 -auto-alt-ref 1 -lag-in-frames 16 -pix_fmt yuv420p10le
add vp9-10.webm yuv420p10le 0-29
code vp9-odd.webm "$odd" 40 -c:v libvpx-vp9 -b:v 60k -g 20 -cpu-used 5
add vp9-odd.webm odd-size 0-39
code vp9-444.webm "$s444" 20 -c:v libvpx-vp9 -b:v 60k -g 20 -cpu-used 5 -pix_fmt yuv444p
add vp9-444.webm yuv444p 0-19
code vp9-alpha.webm "$s" 20 -c:v libvpx-vp9 -b:v 60k -g 20 -cpu-used 5 -auto-alt-ref 0 \
    -vf "format=yuva420p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='if(lt(Y,H/7),255,128+120*sin((X+2*N)/30))'"
add vp9-alpha.webm alpha-side-data 0-19 note="the alpha plane is in BlockAdditional; libavcodec's own vp9 decoder ignores it"
vpx vp8-altref.webm "$s" 100 libvpx -b:v 80k -g 50 -cpu-used 4 -auto-alt-ref 1 -lag-in-frames 16 -arnr-maxframes 7
add vp8-altref.webm hidden,alt-ref,hidden-packets 0-99

# --- MPEG -------------------------------------------------------------------------------------------------------
note "MPEG-1, -2, -4"
m2="-c:v mpeg2video -b:v 180k -maxrate 500k -bufsize 400k -bf 2 -b_strategy 0 -sc_threshold 1000000000"
code mpeg2-open.mpg "$s" 60 $m2 -g 12 -f mpeg
add mpeg2-open.mpg open-gop,ibbp 0-59
code mpeg2-closed.mpg "$s" 48 $m2 -g 12 -flags:v +bitexact+cgop -mpv_flags +strict_gop -f mpeg
add mpeg2-closed.mpg closed-gop,ibbp 0-47
code mpeg2-interlaced.vob "$work/field.y4m" 45 $m2 -g 15 -flags:v +bitexact+ilme+ildct -top 1 -f vob
add mpeg2-interlaced.vob open-gop,ibbp,interlaced 0-44
ff -i "$c/mpeg2-open.mpg" -c copy -copyts -muxdelay 0 "${exact[@]}" "$c/mpeg2-open.ts"
add mpeg2-open.ts open-gop,ibbp 0-59
code mpeg2-422.ts "$s444" 30 $m2 -g 12 -pix_fmt yuv422p
add mpeg2-422.ts open-gop,ibbp,yuv422p 0-29
code mpeg2.mkv "$s" 48 $m2 -g 12
add mpeg2.mkv open-gop,ibbp 0-47
code mpeg2-raw.m2v "$s" 48 $m2 -g 12 -f mpeg2video
add mpeg2-raw.m2v open-gop,ibbp,no-timestamps 0-47
ff -i "$work/field.y4m" -frames:v 36 $m2 -g 12 "${exact[@]}" -f mpeg2video "$work/soft.m2v"
python3 "$t/mpeg2.py" pulldown "$work/soft.m2v" "$c/mpeg2-pulldown.m2v"
add mpeg2-pulldown.m2v rff,open-gop,no-timestamps 0-35
ff -fflags +genpts -i "$c/mpeg2-pulldown.m2v" -c copy "${exact[@]}" -f mpegts "$c/mpeg2-pulldown.ts"
add mpeg2-pulldown.ts rff,open-gop 0-35
python3 "$t/mpeg2.py" broken "$c/mpeg2-raw.m2v" "$c/mpeg2-broken-link.m2v" 1
add mpeg2-broken-link.m2v starts-open,broken-link,no-timestamps "" burned=1 note="begins with an open group and broken_link: the leading B pictures have no reference"
code mpeg1.mpg "$s" 48 -c:v mpeg1video -b:v 180k -bf 2 -b_strategy 0 -g 12 -f mpeg
add mpeg1.mpg open-gop,ibbp 0-47
code mpeg1.m1v "$s" 36 -c:v mpeg1video -b:v 180k -bf 2 -b_strategy 0 -g 12 -f mpeg1video
add mpeg1.m1v open-gop,ibbp,no-timestamps 0-35
m4="-c:v mpeg4 -b:v 120k -bf 2 -b_strategy 0 -g 24 -sc_threshold 1000000000"
code mpeg4-b.mp4 "$s" 60 $m4
add mpeg4-b.mp4 nonref,mpeg4-b 0-59
code mpeg4-b.avi "$s" 60 $m4 -tag:v XVID
add mpeg4-b.avi no-timestamps,mpeg4-b 0-59
code mpeg4-raw.m4v "$s" 60 $m4 -f m4v
add mpeg4-raw.m4v mpeg4-b 0-59
python3 "$t/avi.py" packed "$c/mpeg4-raw.m4v" "$c/mpeg4-packed.avi"
add mpeg4-packed.avi packed-b,n-vop,no-timestamps 0-59
ff -i "$s" -frames:v 40 -c:v mpeg4 -b:v 120k -bf 0 -g 24 "${exact[@]}" -f m4v "$work/p.m4v"
python3 "$t/avi.py" nulls "$work/p.m4v" "$c/mpeg4-null-chunks.avi" 8
add mpeg4-null-chunks.avi null-chunks,no-timestamps 0-39 note="every eighth chunk is empty: the picture before stays"
code mpeg4-xvid.avi "$s" 60 -c:v libxvid -b:v 120k -bf 2 -g 24
add mpeg4-xvid.avi no-timestamps,xvid 0-58
code mpeg4-gmc-qpel.avi "$s" 40 -c:v libxvid -b:v 120k -bf 1 -g 20 -gmc 1 -flags:v +bitexact+qpel
add mpeg4-gmc-qpel.avi no-timestamps,xvid,gmc 0-38
code h263.avi "$s" 24 -c:v h263 -vf scale=176:144:flags=neighbor -g 12 -b:v 200k
add h263.avi no-timestamps 0-23
code msmpeg4.avi "$s" 24 -c:v msmpeg4 -g 12 -b:v 200k
add msmpeg4.avi no-timestamps 0-23

# --- Intra and lossless codecs ----------------------------------------------------------------------------------
note "intra codecs"
alpha="geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='if(lt(Y,H/7),255,128+120*sin((X+2*N)/30))'"
code mjpeg.avi "$s" 15 -c:v mjpeg -q:v 8 -pix_fmt yuvj420p
add mjpeg.avi all-intra,no-timestamps 0-14
code mjpeg.mov "$s" 15 -c:v mjpeg -q:v 8 -pix_fmt yuvj422p
add mjpeg.mov all-intra,full-range 0-14
code prores-422.mov "$s444" 10 -c:v prores_ks -profile:v 2 -qscale:v 16 -pix_fmt yuv422p10le
add prores-422.mov all-intra,yuv422p10le 0-9
code prores-4444.mov "$s444" 3 -c:v prores_ks -profile:v 4 -qscale:v 16 -alpha_bits 16 -vf "format=yuva444p,$alpha" -pix_fmt yuva444p10le
add prores-4444.mov all-intra,alpha 0-2
code ffv1-intra.mkv "$s" 6 -c:v ffv1 -level 3 -g 1 -slices 4
add ffv1-intra.mkv all-intra 0-5
code ffv1-gop.mkv "$s" 12 -c:v ffv1 -level 3 -g 6 -context 1 -slices 4
add ffv1-gop.mkv inter-lossless 0-11 note="states are kept over six pictures: only every sixth is a key"
code ffv1-bgra.mkv "$s444" 6 -c:v ffv1 -level 3 -g 1 -slices 4 -vf "format=yuva444p,$alpha" -pix_fmt bgra
add ffv1-bgra.mkv all-intra,alpha,rgb 0-5
code ffv1-yuva.mkv "$s444" 6 -c:v ffv1 -level 3 -g 1 -slices 4 -vf "format=yuva444p,$alpha" -pix_fmt yuva420p
add ffv1-yuva.mkv all-intra,alpha 0-5
code huffyuv.avi "$s444" 3 -c:v huffyuv -pix_fmt yuv422p
add huffyuv.avi all-intra,no-timestamps 0-2
code png.mov "$s444" 3 -c:v png -vf "format=yuva444p,$alpha" -pix_fmt rgba
add png.mov all-intra,alpha,rgb 0-2
flat="testsrc=s=192x112:r=25,trim=end_frame=30,format=yuv444p,$(bars N 'lum(X,Y)')"
code2() { ff -f lavfi -i "$2" -frames:v "$3" "${@:4}" "${exact[@]}" "$c/$1"; }
code2 qtrle-alpha.mov "$flat" 8 -c:v qtrle -vf "format=yuva444p,${alpha/X+2*N/X}" -g 6 -pix_fmt argb
add qtrle-alpha.mov alpha,rgb,inter-lossless 0-7
code2 qtrle-gray.mov "$flat" 15 -c:v qtrle -g 10 -pix_fmt gray
add qtrle-gray.mov palette,inter-lossless 0-14
code2 anim.gif "$flat" 30 -filter_complex '[0]split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none' -c:v gif
add anim.gif palette 0-29
code2 anim.apng "$flat" 30 -c:v apng -pix_fmt rgb24 -plays 0 -f apng
add anim.apng rgb 0-29
code raw.nut "$s" 2 -c:v rawvideo
add raw.nut all-intra 0-1
code still.png "$s" 1 -c:v png -pix_fmt rgb24
add still.png single-frame 0 note="a picture file"

# --- Times and edits --------------------------------------------------------------------------------------------
note "times and edits"
base=h264-bf3.mp4       # 100 pictures, 1/12800 s; a picture lasts 512, the movie's clock is 1/1000 s, media starts at 1024
ff -ss 0.3 -i "$c/$base" -map 0 -c copy "${exact[@]}" "$c/elst-discard-key.mp4"
add elst-discard-key.mp4 elst,discard-key 8-99
ff -ss 1.9 -i "$c/h264-open-gop.mp4" -map 0 -c copy "${exact[@]}" "$c/elst-discard-open.mp4"
add elst-discard-open.mp4 elst,discard-leading 48-99 note="cut at an open group: its leading pictures are not shown"
ff -ss 2.3 -i "$c/h264-open-gop.mp4" -map 0 -c copy "${exact[@]}" "$c/elst-discard-in-open.mp4"
add elst-discard-in-open.mp4 elst,discard-key,discard-leading 58-99 note="cut inside an open group"
mp4 elst elst-ends-in-b.mp4 $base 3720,1024
add elst-ends-in-b.mp4 elst,discard-tail 0-92 note="the edit ends between the B pictures 92 and 93"
mp4 elst elst-ends-unaligned.mp4 $base 3705,1024
add elst-ends-unaligned.mp4 elst,discard-tail 0-92 note="the edit ends within picture 92"
mp4 elst elst-starts-in-b.mp4 $base 3000,4608
add elst-starts-in-b.mp4 elst,discard-key 7-81
mp4 elst elst-none.mp4 $base
add elst-none.mp4 no-elst,nonzero-start 0-99
ff -itsoffset 1.5 -i "$c/$base" -map 0 -c copy "${exact[@]}" "$c/elst-empty.mp4"
add elst-empty.mp4 elst,empty-edit,nonzero-start 0-99
mp4 elst elst-two.mp4 $base 800,6144 1000,26624
add elst-two.mp4 elst,multi-edit 10-29,50-74
mp4 elst elst-two-empty.mp4 $base 500,-1 800,6144 300,-1 1000,26624
add elst-two-empty.mp4 elst,multi-edit,empty-edit 10-29,0-5,50-74 note="two empty edits; libavformat 5.1 takes the second for media from -1 on and shows 0-5, the right list is 10-29,50-74"
mp4 elst elst-back.mp4 $base 1000,26624 800,6144
add elst-back.mp4 elst,multi-edit,edit-goes-back 50-74,10-29 note="the second edit shows earlier media"
mp4 elst elst-repeat.mp4 $base 800,6144 800,6144
add elst-repeat.mp4 elst,multi-edit,edit-repeats 10-29,10-29 note="the same media twice"
mp4 elst elst-zero-first.mp4 $base 0,1024 2000,1024
add elst-zero-first.mp4 elst,multi-edit 0-49 note="the first edit lasts nothing"
mp4 elst elst-beyond.mp4 $base 9000,1024
add elst-beyond.mp4 elst 0-99 note="the edit is longer than the media"
x264 frag-elst.mp4 "$s" 60 $pyramid -movflags +frag_keyframe+delay_moov
add frag-elst.mp4 fragmented,elst 0-59
ff -i "$s" -frames:v 60 -vf "setpts='if(lt(N,20),N*2,if(lt(N,40),40+(N-20)*0.75,if(lt(N,50),55+(N-40)*3,285+(N-50)))) / 25 / TB'" -fps_mode passthrough \
    -c:v libx264 -preset veryfast -crf 41 -x264-params threads=1:keyint=30:bframes=3:scenecut=0 -enc_time_base 1/600 -video_track_timescale 600 \
    "${exact[@]}" "$c/vfr.mp4"
add vfr.mp4 vfr,long-frame 0-59 note="picture 49 lasts eight seconds"
copy vfr.mkv vfr.mp4
add vfr.mkv vfr,long-frame 0-59
ff -i "$s" -frames:v 50 -r 30000/1001 -vf "setpts=N*1001/30000/TB" -c:v libx264 -preset veryfast -crf 41 \
    -x264-params threads=1:keyint=25:bframes=2:scenecut=0 "${exact[@]}" "$c/ntsc.mp4"
add ntsc.mp4 ntsc 0-49
copy ntsc.mkv ntsc.mp4
add ntsc.mkv ntsc,rounded-times 0-49 note="milliseconds"
x264 neg-ctts.mp4 "$s" 60 $pyramid -movflags +negative_cts_offsets
add neg-ctts.mp4 negative-ctts 0-59
x264 no-editlist.mp4 "$s" 60 $pyramid -use_editlist 0
add no-editlist.mp4 no-elst 0-59
x264 nonzero.mkv "$s" 60 $pyramid -output_ts_offset 10
add nonzero.mkv nonzero-start 0-59
x264 nonzero.ts "$s" 60 $pyramid -output_ts_offset 10 -muxdelay 0
add nonzero.ts nonzero-start 0-59
x264 missing-times.mkv "$s" 60 $pyramid -output_ts_offset -1 -avoid_negative_ts disabled
add missing-times.mkv missing-times 0-59 note="blocks before time zero: the demuxer gives the first pictures no time"
x264 dup-fast.mkv "$fast" 90 keyint=30:bframes=2:b-adapt=0 
add dup-fast.mkv duplicate-times 0-89 note="3000 pictures a second in milliseconds"
mp4 same dup-ctts.mp4 $base 21=20 35=34 36=34 60=61
add dup-ctts.mp4 duplicate-times "" burned=1 note="pictures 21, 35, 36, 60 have another picture's time"
mp4 stss sync-none-marked.mp4 $base
add sync-none-marked.mp4 stss-missing 0-99 note="no stss: every sample claims to be a key"
mp4 stss sync-false.mp4 $base 1 12 30 41 55 81
add sync-false.mp4 stss-false 0-99 note="stss names samples that are no keys"
mp4 stss sync-few.mp4 $base 1
add sync-few.mp4 stss-few 0-99 note="stss leaves out keys"

# --- MPEG-TS ----------------------------------------------------------------------------------------------------
note "MPEG-TS"
ff -i "$c/$base" -map 0 -c copy -output_ts_offset 95442 -muxdelay 0 "${exact[@]}" "$c/ts-wrap.ts"
add ts-wrap.ts ts-wrap 0-99
ff -i "$c/h264-open-gop.mp4" -map 0 -c copy "${exact[@]}" "$work/a.ts"
x264 b.ts "$s" 60 $pyramid -vf "trim=start_frame=0"
cat "$work/a.ts" "$c/b.ts" > "$c/ts-splice.ts"
rm "$c/b.ts"
add ts-splice.ts ts-splice 0-99,0-59 note="two streams one after the other: times start again"
damage packets ts-mid-gop.ts h264-bf3.ts 40
add ts-mid-gop.ts ts-mid-gop "" burned=1 kind=damaged note="the first forty packets are missing, with the first key"
ff -i "$c/mpeg2-open.ts" -c copy "${exact[@]}" "$work/m.ts"
python3 "$t/damage.py" packets "$work/m.ts" "$c/mpeg2-mid-gop.ts" 30
add mpeg2-mid-gop.ts ts-mid-gop "" burned=1 kind=damaged
damage lose ts-lost.ts h264-bf3.ts 60 3
add ts-lost.ts lost-packets "" burned=1 kind=damaged note="three packets are missing in the middle"
ff -i "$c/$base" -map 0 -c copy -mpegts_m2ts_mode 1 "${exact[@]}" "$c/m2ts.m2ts"
add m2ts.m2ts m2ts 0-99
x264 size-b.ts "$big" 40 keyint=20:bframes=2 -output_ts_offset 1.6
x264 size-a.ts "$s" 40 keyint=20:bframes=2
cat "$c/size-a.ts" "$c/size-b.ts" > "$c/ts-size-change.ts"
rm "$c/size-a.ts" "$c/size-b.ts"
add ts-size-change.ts size-change 0-79
copy size-change.mkv ts-size-change.ts
add size-change.mkv size-change 0-79
copy size-change-inband.mp4 ts-size-change.ts
mp4 fourcc avc3-size-change.mp4 size-change-inband.mp4 avc3
rm "$c/size-change-inband.mp4"
add avc3-size-change.mp4 size-change,avc3,in-band-sets 0-79
x264 inband.mp4 "$s" 48 keyint=24:bframes=3:repeat-headers=1
mp4 fourcc avc3-inband.mp4 inband.mp4 avc3
rm "$c/inband.mp4"
add avc3-inband.mp4 avc3,in-band-sets 0-47
x264 part.mp4 "$s" 40 keyint=20:bframes=2:b-adapt=0
x264 part2.mp4 "$big" 40 keyint=20:bframes=2:b-adapt=0
mp4 append multi-stsd.mp4 part.mp4 "$c/part2.mp4"
rm "$c/part.mp4" "$c/part2.mp4"
add multi-stsd.mp4 size-change,multi-stsd 0-79

# --- Containers -------------------------------------------------------------------------------------------------
note "containers"
copy mp4-faststart.mp4 $base -movflags +faststart
add mp4-faststart.mp4 moov-in-front 0-99
copy frag.mp4 $base -movflags +frag_keyframe+empty_moov
add frag.mp4 fragmented 0-99
copy frag-base-moof.mp4 $base -movflags +frag_keyframe+empty_moov+default_base_moof
add frag-base-moof.mp4 fragmented,default-base-moof 0-99
copy frag-every.mp4 h264-cavlc-p.mp4 -movflags +frag_every_frame+empty_moov+default_base_moof
add frag-every.mp4 fragmented 0-59 note="a fragment for every picture"
copy frag-dash.mp4 $base -movflags +dash+frag_keyframe
add frag-dash.mp4 fragmented,sidx 0-99
copy frag-global-sidx.mp4 $base -movflags +dash+frag_keyframe+delay_moov+global_sidx
add frag-global-sidx.mp4 fragmented,sidx 0-99
copy frag-partly.mp4 $base -movflags +frag_keyframe
add frag-partly.mp4 fragmented,partly-fragmented 0-99 note="the first fragment's samples are in the moov"
copy frag-no-mfra.mp4 $base -movflags +frag_keyframe+empty_moov+default_base_moof+skip_trailer
add frag-no-mfra.mp4 fragmented 0-99
ff -i "$c/$base" -i "$work/tone.wav" -map 0:v -map 1:a -c:v copy -c:a aac -b:a 32k -movflags +frag_keyframe+empty_moov+separate_moof \
    "${exact[@]}" "$c/frag-separate.mp4"
add frag-separate.mp4 fragmented,with-audio 0-99
ff -i "$work/tone.wav" -i "$c/$base" -map 0 -map 1 -c:v copy -c:a aac -b:a 32k "${exact[@]}" "$c/audio-first.mp4"
add audio-first.mp4 audio-first,with-audio 0-99 stream=1
ff -i "$work/tone.wav" -i "$c/vp9-altref.webm" -map 0 -map 1 -c:v copy -c:a libopus -b:a 24k "${exact[@]}" "$c/audio-first.webm"
add audio-first.webm audio-first,with-audio,hidden 0-99 stream=1
ff -i "$work/tone.wav" -i "$c/h264-cavlc-p.mp4" -map 0 -map 1 -c:v copy -c:a aac -b:a 32k "${exact[@]}" "$c/audio-longer.mp4"
add audio-longer.mp4 with-audio 0-59 stream=1 note="the audio goes on for longer than the video"
ff -i "$c/$base" -i "$work/tone.wav" -map 0:v -map 1:a -c:v copy -c:a mp2 -b:a 32k "${exact[@]}" "$c/audio.ts"
add audio.ts with-audio 0-99
x264 second.mp4 "$big" 30 keyint=15:bframes=2
ff -i "$c/h264-cavlc-p.mp4" -i "$c/second.mp4" -map 0 -map 1 -c copy "${exact[@]}" "$c/two-videos.mp4"
rm "$c/second.mp4"
add two-videos.mp4 several-videos 0-59
add two-videos.mp4 several-videos 40-69 stream=1 suffix=.1
ff -i "$c/$base" -i "$work/cover.png" -map 0 -map 1 -c copy -disposition:v:1 attached_pic "${exact[@]}" "$c/cover.mp4"
add cover.mp4 cover-art 0-99
ff -i "$c/$base" -map 0 -c copy -attach "$work/cover.png" -metadata:s:t mimetype=image/png -metadata:s:t filename=cover.png "${exact[@]}" "$c/cover.mkv"
add cover.mkv cover-art 0-99
ff -i "$c/h264-bf3.mp4" -c copy -map 0 "${exact[@]}" -f matroska pipe:1 > "$c/no-cues.mkv"
add no-cues.mkv no-cues 0-99
ff -i "$c/vp9-altref.webm" -c copy -map 0 "${exact[@]}" -f webm -live 1 pipe:1 > "$c/live.webm"
add live.webm no-cues,hidden 0-99 note="clusters of unknown size"
damage truncate truncated.mkv h264-bf3.mkv -9000
add truncated.mkv truncated "" burned=1 kind=damaged
orient() { # NAME MATRIX...
    mp4 matrix "rotate-$1.mp4" h264-cavlc-8.mp4 "${@:2}"
    add "rotate-$1.mp4" orientation 0-7
}
x264 h264-cavlc-8.mp4 "$s" 8 keyint=8:bframes=0 -vf "drawbox=x=8:y=88:w=32:h=16:c=red:t=fill,drawbox=x=8:y=72:w=8:h=32:c=white:t=fill"
orient 0 1 0 0 0 1 0 0 0 1
orient 90 0 1 0 -1 0 0 112 0 1
orient 180 -1 0 0 0 -1 0 192 112 1
orient 270 0 -1 0 1 0 0 0 192 1
orient 0-mirror -1 0 0 0 1 0 192 0 1
orient 90-mirror 0 1 0 1 0 0 0 0 1
orient 180-mirror 1 0 0 0 -1 0 0 112 1
orient 270-mirror 0 -1 0 -1 0 0 112 192 1
rm "$c/h264-cavlc-8.mp4"

# --- Times that contradict the coded order --------------------------------------------------------------------------
note "wrong times"
wrong="times-contradict"
mp4 noctts order-none.mp4 no-editlist.mp4
add order-none.mp4 $wrong 0-59 note="no composition offsets although pictures are reordered: the times are those of decoding"
mp4 noctts order-none-edit.mp4 $base
add order-none-edit.mp4 $wrong,elst 1-3,5-99 note="the same with an edit, which leaves out two samples by their wrong times"
mp4 noctts order-half.mp4 $base 0 39
add order-half.mp4 $wrong 0-99 note="the first forty samples have one offset, the others their own"
mp4 swap order-swapped.mp4 $base 2=3 6=7 10=11
add order-swapped.mp4 $wrong 0-99 note="pairs of B pictures have each other's times, which are possible"
mp4 swap order-swapped-middle.mp4 h264-open-gop.mp4 50=51
add order-swapped-middle.mp4 $wrong 0-99 note="one pair in the middle"
copy plain.mp4 hevc-closed.mp4 -use_editlist 0
mp4 noctts order-none-hevc.mp4 plain.mp4
add order-none-hevc.mp4 $wrong 0-79
copy plain.mp4 mpeg4-b.mp4 -use_editlist 0
mp4 noctts order-none-mpeg4.mp4 plain.mp4
add order-none-mpeg4.mp4 $wrong,mpeg4-b 0-59
mp4 nooffsets order-frag.mp4 frag-no-mfra.mp4
add order-frag.mp4 $wrong,fragmented 0-99 note="no fragment has composition offsets"
mp4 nooffsets order-frag-one.mp4 frag-no-mfra.mp4 1
add order-frag-one.mp4 $wrong,fragmented 0-99 note="the second fragment has no composition offsets"
fragments=+frag_keyframe+empty_moov+default_base_moof+skip_trailer
copy plain.mp4 hevc-closed.mp4 -movflags $fragments
mp4 nooffsets order-frag-hevc.mp4 plain.mp4
add order-frag-hevc.mp4 $wrong,fragmented 0-79
copy plain.mp4 mpeg4-b.mp4 -movflags $fragments
mp4 nooffsets order-frag-mpeg4.mp4 plain.mp4
add order-frag-mpeg4.mp4 $wrong,fragmented,mpeg4-b 0-59
rm "$c/plain.mp4"
mp4 offsets order-av1.mp4 av1-10.mp4 5=1600 6=1600
add order-av1.mp4 $wrong 0-29 note="composition offsets in a codec whose decoders never reorder"
mp4 offsets order-mjpeg.mov mjpeg.mov 3=1600
add order-mjpeg.mov $wrong 0-14
for name in mpeg4-b h264-b mpeg4-packed; do
    python3 "$t/mkv.py" "$c/$name.avi" "$c/order-vfw-$name.mkv"
    add order-vfw-$name.mkv decode-times 0-$([ $name = h264-b ] && echo 99 || echo 59) note="V_MS/VFW/FOURCC: block times are decode times"
done
copy order-h264.asf h264-bf3.mp4
add order-h264.asf decode-times 0-99
copy order-mpeg4.asf mpeg4-b.mp4
add order-mpeg4.asf decode-times,mpeg4-b 0-59

# --- Packets of which no picture comes --------------------------------------------------------------------------------
note "packets without a picture"
empty="no-picture-packets"
insert() { python3 "$t/avi.py" insert "$c/$2" "$c/$1" "$3" "$4"; }
python3 "$t/screen.py" "$c/screen-tscc.avi" 30 3
add screen-tscc.avi $empty 0-9 note="two packets of three say that nothing changed"
code plain.avi "$s" 30 -c:v wmv2 -b:v 60k
insert wmv2-skipped.avi plain.avi 4 86FE
add wmv2-skipped.avi $empty 0-29 note="P pictures whose rows are all skipped: libavcodec makes no picture"
rm "$c/plain.avi"
insert h264-delimiters.avi h264-b.avi 5 0000000209F0
add h264-delimiters.avi empty-units 0-99 note="packets that hold an access unit delimiter and nothing else"
insert mpeg4-one-byte.avi mpeg4-packed.avi 5 7F
add mpeg4-one-byte.avi $empty,packed-b 0-59 note="one byte stands for a picture that is not coded, as Xvid writes it"

# --- Colour -----------------------------------------------------------------------------------------------------
note "colour"
# Twelve flat patches of known R'G'B', the same in every clip; only the matrix, range and tags differ.
pick() { local v i=11 e=${12}; for v in "${11}" "${10}" "$9" "$8" "$7" "$6" "$5" "$4" "$3" "$2" "$1"; do e="if(lt(X*12/W\\,$i)\\,$v\\,$e)"; i=$((i - 1)); done; printf %s "$e"; }
patches="color=black:s=192x112:r=25,format=gbrp,geq=r=$(pick 191 0 0 191 0 191 191 64 0 255 200 255):g=$(pick 0 191 0 191 191 0 191 64 0 255 140 128):b=$(pick 0 0 191 0 191 191 191 64 0 255 110 0)"
colour() { # NAME MATRIX RANGE FORMAT ENCODER PRIMARIES TRC SPACE [OPTIONS]
    ff -f lavfi -i "$patches" -frames:v 2 -vf "scale=out_color_matrix=$2:out_range=$3:flags=accurate_rnd+full_chroma_int,format=$4" \
        -color_primaries "$6" -color_trc "$7" -colorspace "$8" -color_range "$3" -c:v "$5" -preset veryfast -crf 12 "${@:9}" "${exact[@]}" "$c/$1"
    add "$1" "colour,$6/$7/$8/$3" ""
}
x4=(-x264-params threads=1:keyint=2)
x5=(-tag:v hvc1 -x265-params log-level=none:pools=none:frame-threads=1:keyint=2)
colour colour-601-525.mp4 bt601 tv yuv420p libx264 smpte170m smpte170m smpte170m "${x4[@]}"
colour colour-601-625.mp4 bt601 tv yuv420p libx264 bt470bg gamma28 bt470bg "${x4[@]}"
colour colour-709.mp4 bt709 tv yuv420p libx264 bt709 bt709 bt709 "${x4[@]}"
colour colour-709-full.mp4 bt709 pc yuv420p libx264 bt709 bt709 bt709 "${x4[@]}"
colour colour-srgb.mp4 bt709 pc yuv444p libx264 bt709 iec61966-2-1 bt709 "${x4[@]}"
colour colour-untagged.mp4 bt601 tv yuv420p libx264 unknown unknown unknown "${x4[@]}"
colour colour-2020.mp4 bt2020 tv yuv420p10le libx265 bt2020 bt2020-10 bt2020nc "${x5[@]}"
colour colour-pq.mp4 bt2020 tv yuv420p10le libx265 bt2020 smpte2084 bt2020nc "${x5[@]}"
colour colour-hlg.mp4 bt2020 tv yuv420p10le libx265 bt2020 arib-std-b67 bt2020nc "${x5[@]}"
colour colour-p3.mp4 bt709 tv yuv420p10le libx265 smpte432 bt709 bt709 "${x5[@]}"

# --- Damaged ----------------------------------------------------------------------------------------------------
note "damaged and refused"
damage truncate damaged-mdat-cut.mp4 mp4-faststart.mp4 -12000
add damaged-mdat-cut.mp4 truncated "" burned=1 kind=damaged note="moov in front; the last samples are not in the file"
damage truncate damaged-frag-cut.mp4 frag.mp4 -12000
add damaged-frag-cut.mp4 truncated,fragmented "" burned=1 kind=damaged
damage truncate damaged-ts-cut.ts h264-bf3.ts -20001
add damaged-ts-cut.ts truncated "" burned=1 kind=damaged note="ends within a packet"
damage flip damaged-h264.mp4 mp4-faststart.mp4 30 0.3 0.9 3
add damaged-h264.mp4 flipped "" burned=1 kind=damaged
damage set damaged-concealed.mp4 h264-bf3.mp4 12513 0
add damaged-concealed.mp4 flipped "" burned=1 kind=damaged note="a slice ends early: the decoder conceals it and reports no error"
damage set damaged-flush.mp4 h264-cavlc-p.mp4 1394 0 1796 0x7f
add damaged-flush.mp4 flipped "" burned=1 kind=damaged note="a decoder that met this damage spoils a sound key picture after a flush"
damage flip damaged-hevc.mkv hevc-open-gop.mkv 30 0.3 0.9 5
add damaged-hevc.mkv flipped "" burned=1 kind=damaged
damage flip damaged-mpeg2.mpg mpeg2-open.mpg 60 0.3 0.9 7
add damaged-mpeg2.mpg flipped "" burned=1 kind=damaged
damage flip damaged-av1.mkv av1-svt.mkv 30 0.3 0.9 9
add damaged-av1.mkv flipped "" burned=1 kind=damaged
mp4 entry damaged-size-beyond.mp4 h264-bf3.mp4 stsz 50 0x7ffffff0
add damaged-size-beyond.mp4 bad-table "" burned=1 kind=damaged note="sample 51 claims two gigabytes"
mp4 entry damaged-offset-beyond.mp4 multi-stsd.mp4 stco 1 0x7fff0000
add damaged-offset-beyond.mp4 bad-table "" burned=1 kind=damaged note="the second chunk is beyond the end of the file"
mp4 ctts damaged-ctts.mp4 h264-bf3.mp4 30 0x7fffffff
add damaged-ctts.mp4 bad-table "" burned=1 kind=damaged note="one composition offset is 2^31-1"
for box in stsz stts ctts stss stsc stco; do
    mp4 count refused-count-$box.mp4 h264-bf3.mp4 $box 0xffffffff
    add refused-count-$box.mp4 bad-table,claims-2^32 "" kind=refused exit=65 note="$box claims 2^32-1 entries"
done
python3 "$t/damage.py" truncate-at "$c/mp4-faststart.mp4" "$c/refused-moov-cut.mp4" stbl 300
add refused-moov-cut.mp4 truncated "" kind=refused exit=65 note="ends inside the moov"
damage truncate refused-no-moov.mp4 h264-bf3.mp4 -3000
add refused-no-moov.mp4 truncated "" kind=refused exit=65 note="the moov at the end is cut"
: > "$c/refused-empty.mp4"
add refused-empty.mp4 empty-file "" kind=refused exit=65
echo 'This is not a movie, only its name says so.' > "$c/refused-text.mp4"
add refused-text.mp4 not-media "" kind=refused exit=65
ff -i "$work/tone.wav" -c:a aac -b:a 32k "${exact[@]}" "$c/refused-audio-only.m4a"
add refused-audio-only.m4a no-video "" kind=refused exit=65
ff -i "$work/tone.wav" -i "$work/cover.png" -map 0 -map 1 -c:a aac -b:a 32k -c:v copy -disposition:v attached_pic "${exact[@]}" -f mp4 "$c/refused-cover-only.m4a"
add refused-cover-only.m4a no-video,cover-art "" kind=refused exit=65
ff -i "$c/h264-cavlc-p.mp4" -c copy -encryption_scheme cenc-aes-ctr -encryption_key 00112233445566778899aabbccddeeff \
    -encryption_kid 0123456789abcdef0123456789abcdef "${exact[@]}" "$c/refused-encrypted.mp4"
add refused-encrypted.mp4 encrypted "" kind=refused exit=65
add refused-missing.mp4 missing-file "" kind=refused exit=66 note="there is no such file"

# --- Films ------------------------------------------------------------------------------------------------------
# Twelve groups or more of every codec that an encoder here makes, with and without B pictures, over three shots: what
# verbs do with films does not show in clips of one group.
note "films"
shots='if(lt(N,50),clip(lum(X,Y)+16*sin((X+3*N)/9)*sin((Y-2*N)/11),16,235),if(lt(N,100),clip(235-lum(X,Y)+X/4,16,235),clip(126+100*sin(hypot(X-64,Y-48)/6-N/5),16,235)))'
flatShots='if(lt(N,17),lum(X,Y),if(lt(N,34),255-lum(X,Y),clip(60+8*floor(X/8),16,235)))'
shown() { # OUT SIZE PICTURES: the three shots
    ff -f lavfi -i "testsrc2=s=$2:r=25" -frames:v "$3" -vf "scale=$2:flags=neighbor,format=yuv420p,$(bars N "$shots")" -threads 1 "$work/$1"
}
shown film.y4m 128x96 150
shown film-cif.y4m 176x144 150
# For encoders that see little of what stays the same: three shots in which only the number moves.
ff -f lavfi -i "testsrc=s=96x64:r=25" -vf "trim=end_frame=1,loop=50:1,scale=96x64:flags=neighbor,format=yuv420p,geq=lum='$(strip N "$flatShots")':cb='if(lt(Y,H/7),128,if(lt(N,17),cb(X,Y),128))':cr='if(lt(Y,H/7),128,if(lt(N,17),cr(X,Y),128))'" \
    -frames:v 50 -threads 1 "$work/film-flat.y4m"
film() {    # NAME TRAPS SOURCE PICTURES OPTIONS
    code "film-$1" "$work/$3" "$4" "${@:5}" 2>/dev/null
    add "film-$1" "film,$2" "${numbers-0-$(($4 - 1))}"
}
closed=keyint=12:min-keyint=12:b-adapt=0:open-gop=0
x264 film-h264.mkv "$work/film.y4m" 150 $closed:bframes=3:b-pyramid=normal
add film-h264.mkv film,closed-gop 0-149
x264 film-h264-open.mov "$work/film.y4m" 150 keyint=12:min-keyint=12:bframes=3:b-adapt=0:open-gop=1
add film-h264-open.mov film,open-gop 0-149
x264 film-h264-p.flv "$work/film.y4m" 150 $closed:bframes=0
add film-h264-p.flv film,no-reorder 0-149
x265 film-hevc.mkv "$work/film.y4m" 150 keyint=12:min-keyint=12:bframes=3:b-adapt=0:open-gop=1
add film-hevc.mkv film,open-gop,cra,rasl 0-149
x265 film-hevc-p.ts "$work/film.y4m" 150 $closed:bframes=0
add film-hevc-p.ts film 0-149
av1 film-av1.webm "$work/film.y4m" 150 -g 12
add film-av1.webm film 0-149
aom film-av1-p.mp4 "$work/film.y4m" 150 -g 12 -lag-in-frames 0 -crf 60
add film-av1-p.mp4 film 0-149
vpx film-vp9.webm "$work/film.y4m" 150 libvpx-vp9 -b:v 60k -g 12 -cpu-used 4 -auto-alt-ref 1 -lag-in-frames 8
add film-vp9.webm film 0-149
vpx film-vp8.webm "$work/film.y4m" 150 libvpx -b:v 60k -g 12 -cpu-used 4 -auto-alt-ref 1 -lag-in-frames 8
add film-vp8.webm film 0-149
p="-b:v 40k -g 12 -sc_threshold 1000000000" b="-b:v 40k -g 12 -bf 2 -b_strategy 0 -sc_threshold 1000000000"
film mpeg1.mpg ibbp film.y4m 150 -c:v mpeg1video $b
film mpeg1-p.mkv no-b-pictures film.y4m 150 -c:v mpeg1video $p
film mpeg2.ts ibbp film.y4m 150 -c:v mpeg2video $b
film mpeg2-p.mxf no-b-pictures film-flat.y4m 50 -c:v mpeg2video $p -g 4
film mpeg4.mkv mpeg4-b film.y4m 150 -c:v mpeg4 $b
film mpeg4-p.mp4 no-b-pictures film.y4m 150 -c:v mpeg4 $p
for kind in msmpeg4v2.avi:msmpeg4v2 msmpeg4.wmv:msmpeg4 wmv1.wmv:wmv1 wmv2.wmv:wmv2 flv1.flv:flv rv10.rm:rv10 rv20.rm:rv20 \
    h263p.mov:h263p theora.ogv:libtheora; do
    film "${kind%:*}" no-b-pictures film.y4m 150 -c:v "${kind#*:}" $p
done
film h261.avi no-b-pictures film-cif.y4m 150 -c:v h261 $p
film h263.3gp no-b-pictures film-cif.y4m 150 -c:v h263 $p
for kind in snow.nut:snow svq1.mov:svq1 cinepak.avi:cinepak msvideo1.avi:msvideo1 zmbv.avi:zmbv flashsv.flv:flashsv flashsv2.flv:flashsv2 \
    smc.mov:smc roq.roq:roqvideo qtrle.mov:qtrle; do
    # The tests read no numbers in these two's pixel formats.
    case $kind in smc.* | msvideo1.*) numbers="" ;; *) unset numbers ;; esac
    film "${kind%:*}" no-b-pictures film-flat.y4m 50 -c:v "${kind#*:}" -b:v 60k -g 4 -strict -2
done
unset numbers
for kind in ffv1.mkv:ffv1:-g,1,-slices,4 png.mov:png huffyuv.avi:huffyuv ffvhuff.avi:ffvhuff utvideo.avi:utvideo magicyuv.mkv:magicyuv \
    mjpeg.avi:mjpeg:-q:v,8,-pix_fmt,yuvj420p ljpeg.avi:ljpeg jpegls.mkv:jpegls jpeg2000.mov:jpeg2000 prores.mov:prores_ks:-qscale:v,20 cfhd.mov:cfhd \
    dnxhd.mov:dnxhd:-profile:v,dnxhr_lb,-s,256x120,-sws_flags,neighbor,-pix_fmt,yuv422p speedhq.avi:speedhq asv1.avi:asv1 asv2.avi:asv2 hap.mov:hap zlib.avi:zlib amv.avi:amv \
    cljr.avi:cljr; do
    IFS=: read -r name codec options <<< "$kind"
    film "$name" all-intra film-flat.y4m 13 -c:v "$codec" -strict -2 ${options//,/ }
done

# --- Demo -------------------------------------------------------------------------------------------------------
note "demo"
frames=210
text="drawtext=font=DejaVu Sans Mono:text='%{eif\\:n\\:d\\:3}':x=w-tw-24:y=h-th-28:fontsize=56:fontcolor=white:shadowx=2:shadowy=2:shadowcolor=black@0.5"
swirl="st(0,0.5*sin(X/23+N/20)+0.5*sin(Y/17-N/31)+0.6*sin((X+Y)/31+N/27)+0.5*sin(hypot(X-80-40*sin(N/40),Y-45-20*cos(N/33))/11))"
tone() { printf %s "$swirl;118+100*cos(2*PI*(0.33*ld(0)+$1))"; }
demo() {
    ff -f lavfi -i "color=black:s=160x90:r=30,format=gbrp,geq=r='$(tone 0.02)':g='$(tone 0.14)':b='$(tone 0.30)',scale=640:360:flags=bicubic,format=yuv420p" \
        -frames:v $frames -vf "$(bars N "if(gt(Y,H-9)*lt(X,W*(N+1)/$frames),235,lum(X,Y))")$1" \
        -c:v libx264 -preset slow -crf 23 -x264-params threads=1:lookahead-threads=1:keyint=90:bframes=3:b-pyramid=normal \
        -movflags +faststart "${exact[@]}" "$c/demo.mp4"
}
demo ",$text" 2>/dev/null || { note "no drawtext or font: the demo has only its bar code"; demo ""; }
add demo.mp4 b-pyramid,demo 0-$((frames - 1))

# --- Manifest ---------------------------------------------------------------------------------------------------
note "hashes, numbers, traps"
python3 "$t/manifest.py" "$work/entries.tsv" "$out"

if [ -n "$check" ]; then
    differ=0
    for f in "$out"/clips/* "$out"/expected/* "$out/manifest.json"; do
        name=${f#"$out"/}
        cmp -s "$f" "$here/$name" || { echo "differs: $name"; differ=$((differ + 1)); }
    done
    for f in "$here"/clips/* "$here"/expected/*; do
        [ -e "$out/${f#"$here"/}" ] || { echo "not made: ${f#"$here"/}"; differ=$((differ + 1)); }
    done
    note "$differ files differ"
    [ "$differ" -eq 0 ] || note "other versions of ffmpeg and its encoders write other bytes; --strict makes this an error"
    [ -z "$strict" ] || [ "$differ" -eq 0 ] || exit 1
fi
