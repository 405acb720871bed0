#!/usr/bin/env python3
"""Random gestures over long groups, cold or warm, in real time: how long nothing new is shown while the finger moves and asks for
another frame than the one shown, and how soon anything nearer could have been there.

A gesture is drags, jitter, sweeps and flicks with rests between them, from a seed. The bound of a gap is for a decoder that
begins with a group when the finger asks for something in it, decodes references only, at the rate of ffmpeg's in the same
minutes, and knows of the first picture that is nearer than the one shown. A decoder that foresees the finger can do better.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
from pathlib import Path
from statistics import median

from drags import RATE, REFERENCES, REPOSITORY, WIDTH, count_references, linear_rate, run

LIMIT = 100


def gesture(seed: int, seconds: float) -> str:
    source = random.Random(seed)
    begin = source.uniform(0.05, 0.95)
    places: list[float | None] = []
    place = 0.0
    while len(places) < seconds * RATE:
        count = source.randrange(15, 90)
        kind = source.choice(["drag", "drag", "sweep", "jitter", "flick", "rest"])
        speed = math.exp(source.uniform(math.log(1), math.log(120))) * source.choice([-1, 1])
        start = place
        for i in range(count):
            if kind == "drag":
                place += speed
            elif kind == "sweep":
                place = start + 20 * speed * math.sin(i / 12)
            elif kind == "jitter":
                place += source.uniform(-abs(speed), abs(speed))
            elif kind == "flick":
                place += 2 * speed * (1 - i / count)
            place = min(max(place, -begin * WIDTH), (1 - begin) * WIDTH)
            places.append(None if kind == "rest" else place)
    moves = [
        {"ms": round((i + 1) * 1000 / RATE), "phase": "changed", "dx": round(x), "dy": 0}
        for i, x in enumerate(places) if x is not None
    ]
    events = [{"ms": 0, "phase": "began"}, *moves, {"ms": moves[-1]["ms"] + 50, "phase": "ended"}]
    return json.dumps({"width": WIDTH, "begin": f"{begin:.6f}", "playing": False, "events": events})


def gaps(rows: list[dict], reach: float) -> list[dict]:
    """Stretches without a new picture, but for those in which the finger rested or asked for what was shown."""
    found, since, shown, asked = [], None, None, []
    for row in rows:
        if row["frame"] is None:
            continue
        now = row["ms"]
        if asked and (now - asked[-1][0] > reach or row["requested"] == shown):
            since, asked = now, []
        if row["frame"] != shown:
            if since is not None and shown is not None and now - since > LIMIT:
                found.append({"from": since, "ms": now - since, "shown": shown, "asked": asked + [(now, row["requested"])]})
            since, shown, asked = now, row["frame"], []
        asked.append((now, row["requested"]))
    return found


def bound(gap: dict, costs: list[int], rate: float, keys: list[int]) -> float:
    """Milliseconds until the first picture nearer than the one shown can be decoded."""
    entered: dict[int, float] = {}
    best = gap["ms"]
    for now, frame in gap["asked"]:
        distance = abs(frame - gap["shown"])
        if distance == 0:
            continue
        key = max(k for k in keys if k <= frame)
        begun = entered.setdefault(key, now)
        nearest = max(frame - distance + 1, key)
        best = min(best, max(now, begun + costs[nearest] / rate * 1000) - gap["from"])
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--scrub", default=str(REPOSITORY / ".build/release/scrub"))
    parser.add_argument("--against", help="another build of scrub, in turns")
    parser.add_argument("--gestures", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--budget", type=int, default=256, help="MiB")
    parser.add_argument("--warm", action="store_true", help="begin each when its previews are made")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    programs = {"scrub": options.scrub, **({"against": options.against} if options.against else {})}
    for clip in options.clips:
        frames = [json.loads(line) for line in run(options.scrub, "frames", clip, "--json").splitlines()]
        keys = [frame["frame"] for frame in frames if frame["keyframe"]] or [0]
        costs, references = [frame["needs"] for frame in frames], count_references(clip)
        rate = median(linear_rate(clip, references, options.threads, *REFERENCES) for _ in range(3))
        worst: dict[str, list[float]] = {key: [] for key in programs}
        over: dict[str, list[tuple[float, float, int]]] = {key: [] for key in programs}
        exact, away = dict.fromkeys(programs, 0), dict.fromkeys(programs, 0)
        moves, right = dict.fromkeys(programs, 0), dict.fromkeys(programs, 0)
        for seed in range(options.first_seed, options.first_seed + options.gestures):
            script = gesture(seed, options.seconds)
            for key, program in programs.items():
                words = [program, "gesture", clip, "--script", "-", "--json", "--events", "--threads", options.threads]
                words += ["--no-cache", *(["--warm"] if options.warm else [])]
                rows = [json.loads(line) for line in run(*words, "--budget", options.budget, input=script).splitlines()]
                worst[key].append(rows[-1]["worstGapMs"])
                moves[key] += rows[-1]["moves"]
                right[key] += rows[-1].get("rightShown", 0)
                exact[key] += rows[-1]["last"]["verdict"] == "exact"
                events = [row for row in rows[:-1] if "ms" in row]
                for gap in gaps(events, LIMIT):
                    over[key].append((gap["ms"], bound(gap, costs, rate, keys), seed))
                for before, after in zip(events, events[1:]):
                    if before["frame"] is None or after["frame"] is None or before["frame"] == after["frame"]:
                        continue
                    distance = abs(after["frame"] - after["requested"])
                    away[key] += distance > abs(before["frame"] - after["requested"])
        for key in programs:
            ordered = sorted(worst[key])
            print(
                json.dumps({
                    "clip": clip.name, "program": key, "gestures": len(ordered), "medianGapMs": round(median(ordered)),
                    "p90GapMs": round(ordered[len(ordered) * 9 // 10]), "worstGapMs": round(ordered[-1]),
                    "gesturesOver100Ms": sum(gap > LIMIT for gap in ordered), "referencesPerSecond": round(rate),
                    "gapsBoundsSeeds": sorted([round(a), round(b), c] for a, b, c in over[key])[::-1],
                    "moves": moves[key], "rightPercent": round(100 * right[key] / max(1, moves[key]), 2),
                    "exactAtRest": exact[key], "picturesFartherAway": away[key],
                }),
                flush=True)


if __name__ == "__main__":
    main()
