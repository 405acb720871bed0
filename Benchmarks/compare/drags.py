#!/usr/bin/env python3
"""Cold drags over long groups in real time: how many moves find the very picture of their frame within a display's frame.

Five gestures of 180 moves at 60 Hz: slow and fast back, slow forward, in jitter about a frame, and turning twice. The limit
is what a decoder as fast as ffmpeg's linear decode, on the same machine in the same minutes, could do if it made nothing
else: it decodes the group under the finger as far as the finger goes, then the next one where it goes, and keeps all. With
--against another build takes turns.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import time
from bisect import bisect_right
from pathlib import Path
from statistics import median

from comparison import places

MOVES, WIDTH, RATE = 180, 4000, 60

# Points from where the gesture began, of which WIDTH are the whole film.
GESTURES: dict[str, list[float]] = {
    "slow back": [-4 * (i + 1) for i in range(MOVES)],
    "fast back": [-9 * (i + 1) for i in range(MOVES)],
    "slow forward": [4 * (i + 1) for i in range(MOVES)],
    "jitter": [60 * math.sin(i * 1.7) + 45 * math.sin(i * 0.61) for i in range(MOVES)],
    "turning": [
        -4 * (i + 1) if i < 60 else -240 + 6 * (i - 59) if i < 120 else 120 - 5 * (i - 119) for i in range(MOVES)
    ],
}


def run(*words: object, **more: object) -> str:
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True, **more).stdout


def script(name: str, begin: str) -> str:
    moves = [
        {"ms": round((i + 1) * 1000 / RATE), "phase": "changed", "dx": round(x), "dy": 0}
        for i, x in enumerate(GESTURES[name])
    ]
    events = [{"ms": 0, "phase": "began"}, *moves, {"ms": moves[-1]["ms"] + 50, "phase": "ended"}]
    return json.dumps({"width": WIDTH, "begin": begin, "playing": False, "events": events})


def play(program: str, clip: Path, name: str, options: argparse.Namespace) -> dict[str, float]:
    words = [program, "gesture", clip, "--script", "-", "--json", "--events", "--no-cache", "--budget", options.budget]
    rows = [json.loads(line) for line in run(*words, input=script(name, options.begin)).splitlines()]
    hits = [False] * MOVES
    for row in rows[:-1]:
        move = round((row["ms"] - row["latencyMs"]) * RATE / 1000) - 1
        if row["frame"] == row["requested"] and row["latencyMs"] <= 1000 / RATE and 0 <= move < MOVES:
            hits[move] = True
    # The first move from which on nearly all are in time.
    settled = next((i for i in range(MOVES) if sum(hits[i:]) >= 0.95 * (MOVES - i)), MOVES)
    end = rows[-1]
    return {
        "hits": sum(hits) / MOVES, "settled": settled, "gap": end["worstGapMs"], "rest": end["restMs"] or 0,
        "alone": end["restMinimumMs"],
    }


def linear_rate(clip: Path, count: int, threads: int) -> float:
    """Coded pictures a second that ffmpeg decodes from the first to the last."""
    start = time.perf_counter()
    run("ffmpeg", "-v", "error", "-nostdin", "-threads", threads, "-i", clip, "-map", "0:v:0", "-f", "null", "-")
    return count / (time.perf_counter() - start)


def groups(clip: Path) -> tuple[list[int], int]:
    """The frames with which groups begin, and the number of frames."""
    words = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts,flags", "-of", "csv=p=0", clip]
    packets = [line.split(",") for line in run(*words).split()]
    order = sorted(int(pts) for pts, *_ in packets)
    place = {pts: number for number, pts in enumerate(order)}
    return sorted(place[int(pts)] for pts, flags, *_ in packets if "K" in flags), len(order)


def limit(frames: list[int], starts: list[int], count: int, rate: float) -> float:
    """The part of the moves that are in time for a decoder of some speed."""
    reached: dict[int, int] = {}
    made: dict[int, float] = {}

    def group(frame: int) -> tuple[int, int]:
        place = bisect_right(starts, frame) - 1
        return starts[place], starts[place + 1] if place + 1 < len(starts) else count

    step = 0
    while (now := step / rate) < (MOVES + 1) / RATE:
        move = min(MOVES - 1, max(0, int(now * RATE) - 1))
        frame, isForward = frames[move], frames[min(MOVES - 1, move + 1)] >= frames[max(0, move - 1)]
        start, end = group(frame)
        following = end if isForward else start - 1
        wanted = [(start, end if isForward else frame + 1)]
        if 0 <= following < count:
            wanted.append(group(following))
        wanted.append((start, end))
        step += 1
        for first, last in wanted:
            if (next_frame := reached.get(first, first)) < last:
                reached[first], made[next_frame] = next_frame + 1, step / rate
                break
    return sum(made.get(f, math.inf) <= (i + 2) / RATE for i, f in enumerate(frames)) / len(frames)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--scrub", default=places.scrub())
    parser.add_argument("--against", help="another build of scrub, in turns")
    parser.add_argument("--begin", default="0.45")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=256, help="MiB")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of ffmpeg's linear decode")
    parser.add_argument("--gestures", default=",".join(GESTURES), help="only these, with commas")
    options = parser.parse_args()
    programs = {"scrub": options.scrub, **({"against": options.against} if options.against else {})}
    for clip in options.clips:
        starts, count = groups(clip)
        for name in options.gestures.split(","):
            rates: list[float] = []
            rounds: dict[str, list[dict[str, float]]] = {key: [] for key in programs}
            for _ in range(options.rounds):
                rates.append(linear_rate(clip, count, options.threads))
                for key, program in programs.items():
                    rounds[key].append(play(program, clip, name, options))
            begin = float(options.begin) * count
            frames = [min(count - 1, max(0, int(begin + round(x) / WIDTH * count))) for x in GESTURES[name]]
            for key, rows in rounds.items():
                print(
                    json.dumps({
                        "clip": clip.name, "gesture": name, "program": key,
                        "inTimePercent": round(100 * median(r["hits"] for r in rows)),
                        "each": sorted(round(100 * r["hits"]) for r in rows),
                        "limitPercent": round(100 * limit(frames, starts, count, median(rates))),
                        "linearPerSecond": round(median(rates)),
                        "settledAtMove": round(median(r["settled"] for r in rows)),
                        "gapMs": round(median(r["gap"] for r in rows)),
                        "worstGapMs": round(max(r["gap"] for r in rows)),
                        "restMs": round(median(r["rest"] for r in rows)),
                        "restAloneMs": round(median(r["alone"] for r in rows)),
                    }),
                    flush=True)


if __name__ == "__main__":
    main()
