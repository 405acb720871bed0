#!/usr/bin/env python3
"""Random gestures over long groups, cold or warm, in real time: how long nothing new is shown while the finger moves and asks for
another frame than the one shown, and how soon anything nearer could have been there.

A gesture is drags, jitter, sweeps and flicks with rests between them, from a seed. The bound of a gap is for a decoder that
begins with a group when the finger asks for something in it, decodes references only, at the rate of ffmpeg's in the same
minutes, and knows of the first picture that is nearer than the one shown. A decoder that foresees the finger can do better.
With --warm there is no bound: nothing has to be decoded. With --kept neither: `scrub previews` has made them before. Over a film of more than 20,000 frames the finger goes as slowly as
over one of 1,800, so that it stays near what the bytes hold; --whole goes as far as in others.

One gesture after the other, and a line for each clip at its end. With --store each gesture is kept as a line of its own in that
file, and is not played again: 300 over six clips can be done in pieces, and the clip's line is of all that are there. --most
ends after so many gestures.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import time
from pathlib import Path
from statistics import median

from comparison import places
from drags import RATE, WIDTH, run

LIMIT, SHORT = 100, 34
# What ffmpeg leaves out so that it decodes references alone, and how much of a film it is timed with.
REFERENCES, MINUTE = ("-skip_frame", "noref"), ("-t", "60")
LONG, USUAL = 20_000, 1_800


def gesture(seed: int, seconds: float, width: int = WIDTH) -> str:
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
            place = min(max(place, -begin * width), (1 - begin) * width)
            places.append(None if kind == "rest" else place)
    moves = [
        {"ms": round((i + 1) * 1000 / RATE), "phase": "changed", "dx": round(x), "dy": 0}
        for i, x in enumerate(places) if x is not None
    ]
    if not moves:
        # Nothing but rests: another gesture.
        return gesture(seed + 1_000_000, seconds, width)
    events = [{"ms": 0, "phase": "began"}, *moves, {"ms": moves[-1]["ms"] + 50, "phase": "ended"}]
    return json.dumps({"width": width, "begin": f"{begin:.6f}", "playing": False, "events": events})


def gaps(rows: list[dict], limit: float, reach: float) -> list[dict]:
    """Stretches without a new picture, but for those in which the finger rested or asked for what was shown."""
    found, since, shown, asked = [], None, None, []
    for row in rows:
        if row["frame"] is None:
            continue
        now = row["ms"]
        if asked and asked[-1][1] == shown:
            # What was asked for was there until the finger asked for something else.
            since, asked = max(since or 0, now - row["latencyMs"]), []
        if asked and (now - asked[-1][0] > reach or row["requested"] == shown):
            since, asked = now, []
        if row["frame"] != shown:
            if since is not None and shown is not None and now - since > limit:
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


def play(options: argparse.Namespace, program: str, clip: Path, script: str, limits: "Limits | None") -> dict:
    words = [program, "gesture", clip, "--script", "-", "--json", "--events", "--threads", options.threads]
    words += [] if options.kept else ["--no-cache", *(["--warm"] if options.warm else [])]
    rows = [json.loads(line) for line in run(*words, "--budget", options.budget, input=script).splitlines()]
    events = [row for row in rows[:-1] if "ms" in row]
    found = gaps(events, SHORT, LIMIT)
    away = 0
    for before, after in zip(events, events[1:]):
        if before["frame"] is None or after["frame"] is None or before["frame"] == after["frame"]:
            continue
        away += abs(after["frame"] - after["requested"]) > abs(before["frame"] - after["requested"])
    return {
        "worstGapMs": rows[-1]["worstGapMs"], "moves": rows[-1]["moves"], "right": rows[-1].get("rightShown", 0),
        "exactAtRest": rows[-1]["last"]["verdict"] == "exact", "gapsOver34": len(found), "away": away,
        "gaps": [[round(gap["ms"]), limits and round(limits.bound(gap))] for gap in found if gap["ms"] > LIMIT],
        "restMs": rows[-1]["restMs"], "restAloneMs": rows[-1]["restMinimumMs"],
        "peakBytes": rows[-1]["peakBytes"], "budgetBytes": rows[-1]["budgetBytes"],
    }


def ffmpeg(clip: Path, *options: object) -> list[object]:
    words = ["ffmpeg", "-v", "error", "-nostdin", *REFERENCES, *MINUTE]
    return [*words, *options, "-i", clip, "-map", "0:v:0", "-fps_mode", "passthrough", "-f"]


def count_references(clip: Path) -> int:
    return sum(not line.startswith("#") for line in run(*ffmpeg(clip), "framecrc", "-").splitlines())


def reference_seconds(clip: Path, threads: int) -> float:
    start = time.perf_counter()
    run(*ffmpeg(clip, "-threads", threads), "null", "-")
    return time.perf_counter() - start


class Limits:
    """What decoding alone allows for a clip, on this machine in these minutes."""

    def __init__(self, options: argparse.Namespace, clip: Path) -> None:
        frames = [json.loads(line) for line in run(options.scrub, "frames", clip, "--json").splitlines()]
        self.keys = [frame["frame"] for frame in frames if frame["keyframe"]] or [0]
        self.costs = [frame["needs"] for frame in frames]
        references = count_references(clip)
        self.rate = median(references / reference_seconds(clip, options.threads) for _ in range(3))

    def bound(self, gap: dict) -> float:
        return bound(gap, self.costs, self.rate, self.keys)


def summary(clip: str, key: str, lines: list[dict]) -> dict:
    ordered = sorted(line["worstGapMs"] for line in lines)
    moves, right = sum(line["moves"] for line in lines), sum(line["right"] for line in lines)
    rates = [line["referencesPerSecond"] for line in lines if line["referencesPerSecond"]]
    over = sorted(([*gap, line["seed"]] for line in lines for gap in line["gaps"]), key=lambda gap: gap[0])[::-1]
    return {
        "clip": clip, "program": key, "warm": lines[0]["warm"], "gestures": len(lines), "moves": moves, "right": right,
        "rightPercent": round(100 * right / max(1, moves), 2), "medianGapMs": round(median(ordered)),
        "p90GapMs": round(ordered[len(ordered) * 9 // 10]), "worstGapMs": round(ordered[-1]),
        "gapsOver34Ms": sum(line["gapsOver34"] for line in lines), "gapsOver100Ms": len(over),
        # Where even the bound says more than a hundred, no decoder that begins with the finger does better.
        "gapsOver100MsUnexplained": sum(limit is None or limit <= LIMIT for _, limit, _ in over),
        "gapsBoundsSeeds": over, "referencesPerSecond": round(median(rates)) if rates else None,
        "exactAtRest": sum(line["exactAtRest"] for line in lines), "picturesFartherAway": sum(line["away"] for line in lines),
        "lateAtRest": sum((line["restMs"] or 0) > line["restAloneMs"] + 50 for line in lines),
        "overBudget": sum(line["peakBytes"] > line["budgetBytes"] for line in lines),
    }


KEYS = ("clip", "program", "warm", "seed", "seconds", "budget", "width")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--scrub", default=places.scrub())
    parser.add_argument("--against", help="another build of scrub, in turns")
    parser.add_argument("--gestures", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--budget", type=int, default=256, help="MiB")
    parser.add_argument("--warm", action="store_true", help="begin each when its previews are made")
    parser.add_argument("--kept", action="store_true", help="use the cache, in which previews are made before")
    parser.add_argument("--whole", action="store_true", help="as far in long films as in others")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--store", type=Path, help="JSON lines of the gestures played so far; those are not played again")
    parser.add_argument("--most", type=int, default=1 << 30, help="gestures that are played in this run")
    options = parser.parse_args()
    programs = {"scrub": options.scrub, **({"against": options.against} if options.against else {})}
    stored = options.store.read_text(encoding="utf-8").splitlines() if options.store and options.store.exists() else []
    known = {tuple(line[key] for key in KEYS): line for line in map(json.loads, stored)}
    played = 0
    for clip in options.clips:
        count = json.loads(run(options.scrub, "info", clip, "--json"))["frameCount"]
        width = WIDTH * count // USUAL if count > LONG and not options.whole else WIDTH
        limits: Limits | None = None
        if options.kept:
            run(options.scrub, "previews", clip, "--json")
        lines: dict[str, list[dict]] = {key: [] for key in programs}
        for seed in range(options.first_seed, options.first_seed + options.gestures):
            script = gesture(seed, options.seconds, width)
            for key, program in programs.items():
                name = (clip.name, key, "kept" if options.kept else options.warm, seed, options.seconds, options.budget, width)
                if name not in known:
                    if played >= options.most:
                        continue
                    if limits is None and not options.warm and not options.kept:
                        limits = Limits(options, clip)
                    played += 1
                    line = {
                        **dict(zip(KEYS, name)), "referencesPerSecond": limits and round(limits.rate),
                        **play(options, program, clip, script, limits)}
                    known[name] = line
                    if options.store:
                        with open(options.store, "a", encoding="utf-8") as file:
                            file.write(json.dumps(line) + "\n")
                lines[key].append(known[name])
        for key in programs:
            if lines[key]:
                print(json.dumps(summary(clip.name, key, lines[key])), flush=True)


if __name__ == "__main__":
    main()
