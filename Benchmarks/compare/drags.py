#!/usr/bin/env python3
"""Drags over long groups, cold, in real time: how many moves find their exact frame within a display's frame, and what no
program could do better.

A slow drag is 180 moves at 60 Hz of 4 of 4000 points each. The limit is computed from what linear decoding makes on the same
machine in the same minutes: forward, no move can be exact before every reference that its frame depends on could be
decoded; backward, a pass over the group brings no more frames than memory holds beside the decoder, and the next one begins
when it is over (a model: passes that overlap can do better). With --against another build takes turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path
from statistics import median

from comparison import places

MOVES, POINTS, WIDTH, RATE = 180, 4, 4000, 60


def run(*words: object, **more: object) -> str:
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True, **more).stdout


def slow_drag(begin: str, way: int) -> str:
    moves = [
        {"ms": round((i + 1) * 1000 / RATE), "phase": "changed", "dx": way * POINTS * (i + 1), "dy": 0}
        for i in range(MOVES)
    ]
    events = [{"ms": 0, "phase": "began"}, *moves, {"ms": moves[-1]["ms"] + 50, "phase": "ended"}]
    return json.dumps({"width": WIDTH, "begin": begin, "playing": False, "events": events})


def play(program: str, clip: Path, script: str, options: argparse.Namespace) -> dict[str, float]:
    words = [program, "gesture", clip, "--script", "-", "--json", "--events", "--threads", options.threads]
    rows = [json.loads(line) for line in run(*words, "--budget", options.budget, input=script).splitlines()]
    # Several events may answer one move; a move whose frame is that of the move before is another move.
    exact = sum(
        1
        for row in rows[:-1]
        if row["verdict"] == "exact" and row["frame"] == row["requested"] and row["latencyMs"] <= 1000 / RATE
    )
    return {"exact": min(exact, MOVES) / MOVES, "gap": rows[-1]["worstGapMs"], "rest": rows[-1]["restMs"] or 0}


def linear_rate(clip: Path, count: int, threads: int, *options: str) -> float:
    """Coded pictures a second that ffmpeg decodes from the first to the last."""
    start = time.perf_counter()
    run("ffmpeg", "-v", "error", "-nostdin", "-threads", threads, *options, "-i", clip, "-map", "0:v:0", "-f", "null", "-")
    return count / (time.perf_counter() - start)


# On the way to a frame only references are decoded, and they cost more than the mean: they carry the stream's bits.
REFERENCES = ("-skip_frame", "noref")


def count_references(clip: Path, *options: str) -> int:
    words = ["ffmpeg", "-v", "error", "-nostdin", *REFERENCES, *options, "-i", clip, "-map", "0:v:0", "-fps_mode", "passthrough"]
    return sum(1 for line in run(*words, "-f", "framecrc", "-").splitlines() if not line.startswith("#"))


class Costs:
    """What frames depend on, from `scrub plan`, in coded pictures from the restart."""

    def __init__(self, program: str, clip: Path) -> None:
        self.program, self.clip, self.known = program, clip, {}

    def __call__(self, frame: int) -> tuple[int, int]:
        if frame not in self.known:
            plan = json.loads(run(self.program, "plan", self.clip, f"f{frame}", "--json"))
            self.known[frame] = (plan["feed"], plan["feed"] + plan["skip"])
        return self.known[frame]


def forward_limit(frames: list[int], costs: Costs, rate: float) -> float:
    # A move whose way is decoded in time; all later ones of the group are then, as long as the decoder keeps up.
    return sum(costs(f)[0] <= rate * (i + 2) / RATE for i, f in enumerate(frames)) / len(frames)


def backward_limit(frames: list[int], costs: Costs, rate: float, room: int) -> float:
    hits, move = 0, 0
    speed = (frames[0] - frames[-1]) / (len(frames) - 1)
    while move < len(frames):
        # The pass is aimed at where the finger is when it is over.
        end = move
        while end < len(frames):
            fed, distance = costs(frames[end])
            others = room * (1 - fed / distance)
            if (end - move + 1) / RATE >= (fed + others) / rate:
                break
            end += 1
        gone = max(1, round(room / speed))
        hits += max(0, min(len(frames), end + gone) - end)
        # What a pass brings is looked at while the next one is decoded.
        move = max(end, move + 1)
        if end < len(frames) and gone >= end - move:
            move = max(move, end + gone - max(1, end - move))
    return min(1.0, hits / len(frames))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--scrub", default=places.scrub())
    parser.add_argument("--against", help="another build of scrub, in turns")
    parser.add_argument("--begin", default="0.45")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=256, help="MiB")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--made", default="", help="instead: gestures of `scrub gesture --made`, with commas")
    options = parser.parse_args()
    programs = {"scrub": options.scrub, **({"against": options.against} if options.against else {})}
    for clip in options.clips:
        if options.made:
            for name in options.made.split(","):
                found: dict[str, list[dict]] = {key: [] for key in programs}
                for _ in range(options.rounds):
                    for key, program in programs.items():
                        words = [program, "gesture", clip, "--made", name, "--json", "--threads", options.threads]
                        found[key].append(json.loads(run(*words).splitlines()[-1]))
                for key, rows in found.items():
                    gaps = [row["worstGapMs"] for row in rows]
                    print(
                        json.dumps({
                            "clip": clip.name, "gesture": name, "program": key, "gapMs": round(median(gaps)),
                            "worstGapMs": round(max(gaps)),
                            "firstP95Ms": round(max(row["firstPictureMs"]["p95"] for row in rows), 1),
                            "newPerSecond": round(median(row["newPicturesPerSecond"] for row in rows), 1),
                            "restMs": round(median(row["restMs"] or 0 for row in rows)),
                            "restAloneMs": round(median(row["restMinimumMs"] for row in rows)),
                            "restAlonePictures": rows[0]["restMinimumDecoded"],
                            "exactAtRest": all(row["last"]["verdict"] == "exact" for row in rows),
                        }),
                        flush=True)
            continue
        info = json.loads(run(options.scrub, "info", clip, "--json"))
        count, references = info["frameCount"], count_references(clip)
        picture = info["width"] * info["height"] * 3 / 2
        begin = float(options.begin) * count
        for way in (1, -1):
            frames = [int(begin + way * POINTS * (i + 1) / WIDTH * count) for i in range(MOVES)]
            script = slow_drag(options.begin, way)
            rates, alone, rounds = [], [], {key: [] for key in programs}
            for _ in range(options.rounds):
                rates.append(linear_rate(clip, count, options.threads))
                alone.append(linear_rate(clip, references, options.threads, *REFERENCES))
                for key, program in programs.items():
                    rounds[key].append(play(program, clip, script, options))
            costs, rate = Costs(options.scrub, clip), median(rates)
            # What a decoder holds of its own is of the order of ten pictures.
            room = int((options.budget << 20) / picture) - 10
            if way > 0:
                limit = forward_limit(frames, costs, median(alone))
            else:
                # A program need not fill its memory in each pass.
                limit = max(backward_limit(frames, costs, rate, n) for n in {*range(8, room, 8), room})
            for key, rows in rounds.items():
                print(
                    json.dumps({
                        "clip": clip.name, "way": "forward" if way > 0 else "backward", "program": key,
                        "exactPercent": round(100 * median(r["exact"] for r in rows)),
                        "each": sorted(round(100 * r["exact"]) for r in rows), "limitPercent": round(100 * limit),
                        "linearPerSecond": round(rate), "referencesPerSecond": round(median(alone)),
                        "gapMs": round(median(r["gap"] for r in rows)),
                        "restMs": round(median(r["rest"] for r in rows)),
                    }),
                    flush=True)


if __name__ == "__main__":
    main()
