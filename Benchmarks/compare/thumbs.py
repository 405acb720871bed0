#!/usr/bin/env python3
"""A hundred thumbnails of 160 pixels on one sheet: `scrub strip` beside what people do today, whole processes, as ratios.

Rivals: PyAV that seeks, feeds one key packet, flushes, and uses the picture again when it is the same one (the fastest that we
know); `ffmpeg -skip_frame nokey`; for exact frames PyAV, and ffmpeg's fps filter, which is right within a frame. They take
turns, so that a machine that gets slower gets slower for all; medians are compared. Needs PyAV and Pillow.
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

COUNT = 100

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


def duration_of(clip: Path) -> float:
    words = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(clip)]
    return float(subprocess.run(words, capture_output=True, check=True, text=True).stdout)


def run(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--scrub", default=str(Path(__file__).parents[2] / ".build/release/scrub"))
    parser.add_argument("--python", default=sys.executable, help="one that has PyAV and Pillow")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--exact", action="store_true", help="exact frames instead of keyframes; minutes on long groups")
    options = parser.parse_args()
    for clip in options.clips:
        length = duration_of(clip)
        with tempfile.TemporaryDirectory(prefix="thumbs-") as folder:
            out = f"{folder}/sheet.jpg"
            tile = ["-an", "-sn", "-vf", f"fps={COUNT}/{length:g},scale=160:-2,tile=10x10", "-frames:v", "1", out]
            ffmpeg = ["ffmpeg", "-v", "error", "-nostdin", "-y"]
            scrub = [options.scrub, "strip", str(clip), "--count", str(COUNT), "--no-cache", "--output", f"{folder}/strip"]
            if options.exact:
                ways = {
                    "scrub": scrub,
                    "PyAV": [options.python, "-c", PYAV_EXACT, str(clip), str(length), out],
                    "ffmpeg fps": [*ffmpeg, "-i", str(clip), *tile],
                }
            else:
                ways = {
                    "scrub": [*scrub, "--tolerance", "keyframe"],
                    "PyAV": [options.python, "-c", PYAV_KEYFRAMES, str(clip), str(length), out],
                    "ffmpeg nokey": [*ffmpeg, "-skip_frame", "nokey", "-i", str(clip), *tile],
                }
            times: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(options.rounds):
                for name, words in ways.items():
                    shutil.rmtree(f"{folder}/strip", ignore_errors=True)
                    times[name].append(run(words))
            middle = {name: round(median(found), 3) for name, found in times.items()}
            fastest = min(value for name, value in middle.items() if name != "scrub")
            print(json.dumps({"clip": clip.name, "ratio": round(middle["scrub"] / fastest, 3), **middle}), flush=True)


main()
