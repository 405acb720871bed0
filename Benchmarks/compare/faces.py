#!/usr/bin/env python3
"""The same gestures through a session in Swift, in C and in Python: the same last frames and verdicts, and how many moves are in
time.

A gesture is one of random_gestures.py, by its seed; each round has others. It is played in Swift by `scrub gesture`, in C by faces.c, which is
compiled here, and in Python by this file, in turns. A line for each language: how many moves that asked for another frame had
its very picture within 33 ms, the median of the rounds; the median of the rounds' ratios to Swift; and the greatest peak of memory
against the budget.

    faces.py FILM --gestures 60 --rounds 5 --seconds 1
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

from random_gestures import gesture

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 33
Row = dict[str, Any]


def in_swift(film: Path, script: Row) -> list[Row]:
    words = [ROOT / ".build/release/scrub", "gesture", film, "--script", "-", "--json", "--events", "--no-cache"]
    made = subprocess.run(words, input=json.dumps(script), capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in made.splitlines()]


def lines(script: Row) -> list[tuple[float, float | None]]:
    """The events after the first: when, and where the finger is; None for its end."""
    return [(e["ms"], e["dx"] if e["phase"] == "changed" else None) for e in script["events"][1:]]


def in_c(program: Path, film: Path, script: Row) -> list[Row]:
    text = "".join(f"{ms} {'end' if x is None else x}\n" for ms, x in lines(script))
    made = subprocess.run([program, film, script["begin"], str(script["width"])], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in made.stdout.splitlines()]


def in_python(film: Path, script: Row) -> list[Row]:
    """In a process of its own, like the others."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python/src"), "SCRUB_LIBRARY": str(ROOT / ".build/library/libscrub.so.1")}
    words = [sys.executable, __file__, str(film), "--play"]
    made = subprocess.run(words, input=json.dumps(script), capture_output=True, text=True, check=True, env=environment)
    return [json.loads(line) for line in made.stdout.splitlines()]


def play(film: str) -> None:
    import scrub

    script = json.load(sys.stdin)
    with scrub.open(film, cache=False) as video, video.session() as session:
        last: list[int] = []
        start = time.monotonic()

        def take() -> None:
            done = 0
            while not (last and done >= last[0]):
                update = session.take(0.05)
                if update is None:
                    continue
                with update:
                    done = update.request if update.is_final else done
                    row = {"ms": (time.monotonic() - start) * 1e3, "frame": update.number, "verdict": update.verdict,
                           "requested": update.requested, "latencyMs": update.latency * 1e3}
                    print(json.dumps(row))

        session.began(script["begin"])
        taker = threading.Thread(target=take)
        taker.start()
        for ms, x in lines(script):
            time.sleep(max(0.0, ms / 1e3 - (time.monotonic() - start)))
            if x is None:
                last.append(session.ended())
            else:
                session.moved(x, width=script["width"])
        taker.join()
        print(json.dumps({"peakBytes": session.memory.peak, "budgetBytes": session.memory.limit}))


def judged(rows: list[Row]) -> dict[str, float]:
    """How many requests had their very picture in time, and the last picture."""
    asked = {row["requested"] for row in rows[:-1]}
    hits = {row["requested"] for row in rows[:-1] if row["frame"] == row["requested"] and row["latencyMs"] <= LIMIT}
    return {"asked": len(asked), "hits": len(hits), "last": rows[-2]["frame"], "verdict": rows[-2]["verdict"],
            "memory": rows[-1]["peakBytes"] / rows[-1]["budgetBytes"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("film", type=Path)
    parser.add_argument("--gestures", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--play", action="store_true")
    options = parser.parse_args()
    if options.play:
        return play(str(options.film))
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "faces")
        library = ROOT / ".build/library"
        subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Werror", "-I", library, Path(__file__).with_suffix(".c"), "-L", library,
                        "-lscrub", "-lpthread", f"-Wl,-rpath,{library}", "-o", program], check=True)
        ways = {"Swift": in_swift, "C": lambda film, script: in_c(program, film, script), "Python": in_python}
        parts: dict[str, list[float]] = {name: [] for name in ways}
        memory: dict[str, float] = dict.fromkeys(ways, 0)
        different = 0
        for number in range(options.rounds):
            asked, hits = dict.fromkeys(ways, 0), dict.fromkeys(ways, 0)
            # Other gestures in each round, the same ones in each language.
            for seed in range(number * options.gestures, (number + 1) * options.gestures):
                script = json.loads(gesture(seed, options.seconds))
                ends = set()
                # Each language is first, second and third equally often.
                turn = (number + seed) % len(ways)
                for name in [*ways][turn:] + [*ways][:turn]:
                    found = judged(ways[name](options.film, script))
                    asked[name] += found["asked"]
                    hits[name] += found["hits"]
                    memory[name] = max(memory[name], found["memory"])
                    ends.add((found["last"], found["verdict"]))
                different += len(ends) > 1 or {verdict for _, verdict in ends} != {"exact"}
            for name in ways:
                parts[name].append(hits[name] / max(1, asked[name]))
            print(json.dumps({"round": number, **{name: round(parts[name][-1], 4) for name in ways}}), flush=True)
        for name in ways:
            # Of each round, because the machine's own speed differs more between rounds than the languages do.
            against = median(part / max(swift, 1e-9) for part, swift in zip(parts[name], parts["Swift"]))
            print(json.dumps({"language": name, "inTime": round(median(parts[name]), 4), "againstSwift": round(against, 3),
                              "peakOfBudget": round(memory[name], 3)}))
        print(f"{options.gestures * options.rounds} gestures: {different} with different or inexact ends")


if __name__ == "__main__":
    main()
