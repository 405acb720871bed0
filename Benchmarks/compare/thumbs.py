#!/usr/bin/env python3
"""A hundred thumbnails of 160 pixels on one sheet: `scrub strip` beside what people do today, whole processes, as ratios.

Rivals at keyframe tolerance: PyAV that seeks, feeds one key packet, flushes, and uses the picture again when it is the same
one (the fastest that we know); `ffmpeg -skip_frame nokey`; mpv's steps from key picture to key picture; vcsi; a hundred
ffmpegthumbnailers; a hundred ffmpegs. With --exact: PyAV, torchcodec in one pass, ffmpeg's fps filter (right within a frame), a
hundred ffmpegs. Jellyfin's line makes a picture every 10 seconds instead, so it is listed and never the rival that counts.
They take turns, so that a machine that gets slower gets slower for all; medians are compared. What is not installed is left
out and said.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from comparison import places, series

COUNT = 100
OTHER_PICTURES = {"Jellyfin's line": "one picture every 10 s instead"}

PYAV_KEYFRAMES = """
import sys, av
from PIL import Image
path, duration, out = sys.argv[1], float(sys.argv[2]), sys.argv[3]
box = av.open(path)
video = box.streams.video[0]
video.thread_count = 1
height = round(video.height * 160 / video.width / 2) * 2
sheet = Image.new("RGB", (1600, 10 * height))
seen = tile = None
for i in range(100):
    box.seek(int((i + 0.5) * duration / 100 / video.time_base) + (video.start_time or 0), stream=video)
    packet = next(p for p in box.demux(video) if p.is_keyframe)
    if packet.pts != seen:
        seen = packet.pts
        frames = video.codec_context.decode(packet) + video.codec_context.decode(None)
        video.codec_context.flush_buffers()
        tile = frames[0].reformat(160, height, "rgb24").to_image()
    sheet.paste(tile, (i % 10 * 160, i // 10 * height))
sheet.save(out, quality=80)
"""

PYAV_EXACT = """
import sys, av
from PIL import Image
path, duration, out = sys.argv[1], float(sys.argv[2]), sys.argv[3]
box = av.open(path)
video = box.streams.video[0]
video.thread_type = "FRAME"
height = round(video.height * 160 / video.width / 2) * 2
sheet = Image.new("RGB", (1600, 10 * height))
for i in range(100):
    target = (i + 0.5) * duration / 100
    box.seek(int(target / video.time_base) + (video.start_time or 0), stream=video)
    shown = None
    for frame in box.decode(video):
        if frame.time - float((video.start_time or 0) * video.time_base) > target and shown is not None:
            break
        shown = frame
    sheet.paste(shown.reformat(160, height, "rgb24").to_image(), (i % 10 * 160, i // 10 * height))
sheet.save(out, quality=80)
"""


TORCHCODEC = """
import sys, torch
from torchcodec.decoders import VideoDecoder
from PIL import Image
torch.set_num_threads(2)
decoder = VideoDecoder(sys.argv[1], dimension_order="NHWC", num_ffmpeg_threads=2)
sheet = None
for i in range(100):
    image = Image.fromarray(decoder[int((i + 0.5) * len(decoder) / 100)].numpy())
    image = image.resize((160, round(image.height * 160 / image.width)), reducing_gap=2.0)
    sheet = sheet or Image.new("RGB", (1600, 10 * image.height))
    sheet.paste(image, (i % 10 * 160, i // 10 * image.height))
sheet.save(sys.argv[3], quality=80)
"""

# A process for each picture, and one that puts them together, as shell scripts do.
ONE_BY_ONE = """
import os, subprocess, sys
kind, path, duration, out = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
folder = os.path.dirname(out) + "/one"
os.makedirs(folder, exist_ok=True)
ffmpeg = ["ffmpeg", "-v", "error", "-nostdin", "-y"]
for i in range(100):
    time, name = (i + 0.5) * duration / 100, f"{folder}/{i:03d}.jpg"
    if kind == "ffmpegthumbnailer":
        whole = int(time)
        clock = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
        words = ["ffmpegthumbnailer", "-i", path, "-o", name, "-s160", "-c", "jpeg", "-q8", "-t", clock]
    else:
        key = ["-noaccurate_seek", "-skip_frame", "nokey"] if kind == "keyframe" else []
        words = [*ffmpeg, *key, "-ss", f"{time:.3f}", "-i", path, "-frames:v", "1", "-vf", "scale=160:-2", name]
    subprocess.run(words, check=True)
subprocess.run([*ffmpeg, "-i", folder + "/%03d.jpg", "-vf", "tile=10x10", "-frames:v", "1", out], check=True)
"""


def duration_of(clip: Path) -> float:
    words = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(clip)]
    return float(subprocess.run(words, capture_output=True, check=True, text=True).stdout)


def run(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def rivals(clip: Path, length: float, folder: str, options: argparse.Namespace) -> dict[str, list[str]]:
    """What makes a sheet of the same pictures, by name."""
    out = f"{folder}/sheet.jpg"
    tile = ["-an", "-sn", "-vf", f"fps={COUNT}/{length:g},scale=160:-2,tile=10x10", "-frames:v", "1", out]
    ffmpeg = ["ffmpeg", "-v", "error", "-nostdin", "-y"]
    python = [options.python, "-c"]
    file = [str(clip), str(length), out]
    if options.exact:
        ways = {
            "PyAV": [*python, PYAV_EXACT, *file],
            "torchcodec": [*python, TORCHCODEC, *file],
            "ffmpeg fps": [*ffmpeg, "-i", str(clip), *tile],
        }
        slow = {"100 x ffmpeg -ss": [*python, ONE_BY_ONE, "exact", *file]}
    else:
        jellyfin = ["-vf", "fps=1/10,scale=320:-2", "-c:v", "mjpeg", "-qscale:v", "4", "-f", "image2", f"{folder}/%05d.jpg"]
        ways = {
            "PyAV": [*python, PYAV_KEYFRAMES, *file],
            "ffmpeg nokey": [*ffmpeg, "-skip_frame", "nokey", "-i", str(clip), *tile],
            "mpv": [
                "mpv", "--no-config", "--really-quiet", "--no-audio", "--hwdec=no", "--vo=image", "--vo-image-format=jpg",
                f"--vo-image-outdir={folder}", f"--sstep={length / COUNT:g}", "--hr-seek=no", "--vf=lavfi=[scale=160:-2]",
                f"--frames={COUNT}", str(clip),
            ],
            "Jellyfin's line": [*ffmpeg, "-skip_frame", "nokey", "-an", "-sn", "-i", str(clip), *jellyfin],
        }
        vcsi = Path(options.python).parent / "vcsi"
        slow = {
            "vcsi": [str(vcsi), str(clip), "-g", "10x10", "-w", "1600", "--metadata-position", "hidden", "-o", out],
            "100 x ffmpegthumbnailer": [*python, ONE_BY_ONE, "ffmpegthumbnailer", *file],
            "100 x ffmpeg nokey": [*python, ONE_BY_ONE, "keyframe", *file],
        }
    ways |= slow if options.slow else {}
    lacking = [name for name, words in ways.items() if not is_installed(name, words, options.python)]
    for name in lacking:
        print(f"{name}: not installed, left out", file=sys.stderr)
        del ways[name]
    return ways


def is_installed(name: str, words: list[str], python: str) -> bool:
    needed = "ffmpegthumbnailer" if name.endswith("ffmpegthumbnailer") else words[0]
    if shutil.which(needed) is None:
        return False
    module = {"PyAV": "av, PIL", "torchcodec": "torchcodec, PIL"}.get(name)
    return module is None or subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--scrub", default=places.scrub())
    parser.add_argument("--python", default=places.python(), help="one that has PyAV, Pillow, torchcodec and vcsi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also append every figure to this file, as JSON lines")
    parser.add_argument("--exact", action="store_true", help="exact frames instead of keyframes; minutes on long groups")
    parser.add_argument("--slow", action="store_true", help="also those that take ten seconds and more")
    options = parser.parse_args()
    for clip in options.clips:
        length = duration_of(clip)
        with tempfile.TemporaryDirectory(prefix="thumbs-") as folder:
            scrub = [options.scrub, "strip", str(clip), "--count", str(COUNT), "--no-cache", "--output", f"{folder}/strip"]
            ways = {"scrub": scrub if options.exact else [*scrub, "--tolerance", "keyframe"]}
            ways |= rivals(clip, length, folder, options)
            times: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(options.rounds):
                for name, words in ways.items():
                    shutil.rmtree(folder)
                    Path(folder).mkdir()
                    times[name].append(run(words))
            middle = {name: round(median(found), 3) for name, found in times.items()}
            fastest = min(value for name, value in middle.items() if name not in ("scrub", *OTHER_PICTURES))
            print(json.dumps({"clip": clip.name, "ratio": round(middle["scrub"] / fastest, 3), **middle}), flush=True)
            remarks = {name: remark for name, remark in OTHER_PICTURES.items() if name in times}
            series.append(options.json, series.Series(clip.name, "time", "s", times, remarks=remarks))


main()
