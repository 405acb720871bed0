#!/usr/bin/env python3
"""Frames as RGB arrays in Python: the package in python/ beside torchcodec, in turns.

    frames.py CLIP... [--pairs 5] [--frames 600] [--batches 3] [--threads 2] [--json FILE]

Both give uint8 arrays of height x width x 3. Sequential: the first frames of the clip in a row, one array each. Random: batches of
16 frames anywhere; torchcodec opened both ways, exact and approximate, the faster one counts. Opening is not timed. Needs a Python
with numpy, torch and torchcodec (COMPARE_PYTHON, or the one of setup.sh); scrub's library from
.build/library, or SCRUB_LIBRARY, if it is there, else the program from .build/release/scrub, or SCRUB. Each turn is a
process of its own; medians are compared. That scrub's frames are the right ones is proven elsewhere; here pictures of both are
compared once, for nobody should be fast with other frames.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
PHASES = {"sequential": "in a row", "random": "batches of 16"}
# numpy's OpenBLAS starts threads that spin for a tenth of a second. Beside torchcodec that is over when torch is
# imported; beside scrub it took a processor from the first hundred frames.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


def turn(name: str, clip: str, phase: str, options: argparse.Namespace) -> None:
    """One measurement in a process of its own; prints frames a second and small copies of some pictures."""
    import numpy

    numbers = random.Random(options.seed)
    if name == "scrub":
        sys.path.insert(0, str(HERE.parent.parent / "python" / "src"))
        import scrub

        from comparison import places

        video = scrub.open(clip, threads=options.threads, program=places.scrub(), library=places.library() or False)
        rows, batch = lambda count: (frame.array for frame in video.read(0, count)), video.batch
    else:
        from torchcodec.decoders import VideoDecoder

        video = VideoDecoder(
            clip, dimension_order="NHWC", num_ffmpeg_threads=options.threads, seek_mode=name.removeprefix("torchcodec-"))

        def rows(count):
            for number, frame in enumerate(video):
                yield frame.numpy()
                if number + 1 == count:
                    return

        batch = lambda wanted: video.get_frames_at(wanted).data.numpy()
    begin, done, seen = time.perf_counter(), 0, []
    if phase == "sequential":
        for picture in rows(min(options.frames, len(video))):
            done += 1
            if done % 100 == 1:
                seen.append(picture[::90, ::90].astype(int))
    else:
        for _ in range(options.batches):
            pictures = batch([numbers.randrange(len(video)) for _ in range(16)])
            done += len(pictures)
            seen += [picture[::90, ::90].astype(int) for picture in pictures]
    seconds = time.perf_counter() - begin
    print(json.dumps({"rate": done / seconds, "seen": numpy.array(seen).tolist()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--batches", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--phases", default=",".join(PHASES))
    parser.add_argument("--json", type=Path, help="also append every figure to this file, as JSON lines")
    parser.add_argument("--turn", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.turn:
        name, phase = options.turn.split(",")
        turn(name, options.clips[0], phase, options)
        return
    sys.path.insert(0, str(HERE))
    from comparison import places, series

    places.use_python_with_numpy()
    names = ["scrub", "torchcodec-approximate", "torchcodec-exact"]
    for clip in options.clips:
        for phase in options.phases.split(","):
            rates: dict[str, list[float]] = {name: [] for name in names}
            seen = {}
            for pair in range(options.pairs):
                options.seed += 1
                for name in names if pair % 2 == 0 else reversed(names):
                    words = [sys.executable, __file__, clip, "--turn", f"{name},{phase}", "--seed", str(options.seed)]
                    for key in ("frames", "batches", "threads"):
                        words += [f"--{key}", str(getattr(options, key))]
                    result = json.loads(subprocess.run(words, check=True, capture_output=True, env=ENVIRONMENT).stdout)
                    rates[name].append(result["rate"])
                    seen[name] = result["seen"]
            import numpy

            ours, theirs = (numpy.array(seen[name]) for name in ("scrub", "torchcodec-exact"))
            middle = {name: median(values) for name, values in rates.items()}
            rival = max(names[1:], key=lambda name: middle[name])
            pairs = sorted(ours / theirs for ours, theirs in zip(rates["scrub"], rates[rival]))
            print(f"{Path(clip).name}, {phase}: " + ", ".join(f"{name} {rate:.1f}" for name, rate in middle.items()), end="")
            print(f" frames/s; to {rival} {middle['scrub'] / middle[rival]:.2f}", end="")
            print(f" (pairs {pairs[0]:.2f} to {pairs[-1]:.2f}); pictures {abs(ours - theirs).mean():.2f} codes apart", flush=True)
            series.append(options.json, series.Series(Path(clip).name, PHASES[phase], "frames/s", rates, better="more"))


main()
