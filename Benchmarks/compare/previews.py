#!/usr/bin/env python3
"""Made gestures with previews, without them and with previews that are made before, and the same ones in mpv, in one run.

Each clip, gesture and speed is played several times, the ways in turns: `cold`, `without` (--preview-side 0), `warm` (--warm),
`kept` (`scrub previews` made them before, and nothing is waited for) and `mpv`, which gets `seek T absolute+exact` at every move. The moves are those of `scrub gesture --made`, made here again for
mpv. A move is in time when its very frame is on screen within 16.7 ms, exact or as a preview. In films of more than 20,000
frames all distances are a twenty-fifth, so that the warm ones stay within the minutes that the bytes hold, a third of them
behind the playhead; --whole leaves the distances.

Every run is a line in the file of --json. What is there is not measured again: a run may be stopped and gone on with, and
--table makes the table alone. A row that does not show what it must has a mark. Nothing else may run on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from statistics import median

from comparison import places
from gesture import Mpv, probe

GESTURES = ("drag", "back", "turning", "jitter")
SPEEDS = {"slow": (10, 3.0), "usual": (60, 2.0), "fast": (300, 2.0)}
WAYS = ("cold", "without", "warm", "kept", "mpv")
LONG, SHRUNK, DISPLAY = 20_000, 25, 16.7


class Numbers:
    """The random numbers of made gestures: `ScriptRandom` in ScrubMediaLogic."""

    MASK = (1 << 64) - 1

    def __init__(self) -> None:
        self.state = 0

    def next(self, limit: int) -> int:
        if limit <= 0:
            return 0
        self.state = (self.state + 0x9E3779B97F4A7C15) & self.MASK
        mixed = self.state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & self.MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & self.MASK
        mixed ^= mixed >> 31
        return mixed % (2 * limit + 1) - limit


def made(name: str, distance: int, seconds: float, begin: Fraction) -> list[tuple[int, Fraction]]:
    """(milliseconds, part of the film) of each move, as `scrub gesture --made` plays them."""
    numbers, ticks = Numbers(), max(1, round(seconds * 60))
    points: list[Fraction] = []
    if name == "jitter":
        for _ in range(ticks):
            points.append(Fraction(numbers.next(abs(distance) * 1024), 1024))
            numbers.next(abs(distance) * 1024)
    else:
        legs = max(1, ticks // 4) if name == "turning" else ticks
        for i in range(1, legs + 1):
            jitter = 0 if i == legs else numbers.next(1024)
            numbers.next(3 * 1024)
            whole = abs(distance) * 1024 * i // legs
            points.append(Fraction((-whole if name == "back" else whole) + jitter, 1024))
    times = [(i * 100 + 3) // 6 for i in range(1, len(points) + 1)]
    if name == "turning":
        times = [turn * times[-1] + ms for turn in range(4) for ms in times]
        points = [x for turn in range(4) for x in (points if turn % 2 == 0 else points[::-1])]
    return [(ms, min(max(begin + x / 1000, Fraction(0)), Fraction(1))) for ms, x in zip(times, points)]


def scrub(options: argparse.Namespace, clip: Path, key: dict) -> dict:
    words = [options.scrub, "gesture", clip, "--made", key["gesture"], "--distance", key["points"], "--seconds", key["seconds"]]
    words += ["--begin", options.begin, "--threads", options.threads, "--budget", key["budget"], "--json"]
    alone = ["--no-cache"]
    words += {"cold": alone, "warm": [*alone, "--warm"], "without": [*alone, "--preview-side", 0], "kept": []}[key["way"]]
    if key["way"] == "kept":
        subprocess.run([options.scrub, "previews", clip, "--json"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=complaints, text=True)
        answer = process.stdout.read()
        _, status, use = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            return {"error": complaints.read().strip()[-300:] or f"it ended with {process.returncode}"}
    said = json.loads(answer.splitlines()[-1])
    return {
        "moves": said["moves"], "right": said["rightShown"], "gapMs": said["worstGapMs"], "restMs": said["restMs"],
        "aloneMs": said["restMinimumMs"], "exactAtRest": said["last"]["verdict"] == "exact", "newPerSecond": said["newPicturesPerSecond"],
        "peakBytes": said["peakBytes"], "budgetBytes": said["budgetBytes"], "residentBytes": use.ru_maxrss << 10,
        "processorSeconds": use.ru_utime + use.ru_stime, "previewSeconds": (said.get("previewProcessorMs") or 0) / 1000,
        "previewFrames": said["previewFrames"], "previewBytes": said["previewBytes"],
    }


def processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def mpv(options: argparse.Namespace, clip: Path, key: dict, film: tuple[Fraction, int]) -> dict:
    (rate, count), moves = film, made(key["gesture"], key["points"], key["seconds"], Fraction(options.begin))

    def frame(at: Fraction) -> int:
        return min(count - 1, int(at * count))

    def time_of(at: Fraction) -> float:
        # mpv shows the first frame that is not before the time: a little early is right.
        return float(max(Fraction(0), frame(at) - Fraction(1, 4)) / rate)

    with tempfile.TemporaryDirectory(prefix="previews-mpv-") as folder:
        player = Mpv(clip, options.threads, folder)
        try:
            before = processor(player.process.pid)
            # The gesture begins at its own first frame, as scrub's does.
            sent = player.drag(moves, time_of)
            spent = processor(player.process.pid) - before
            lines = Path(f"/proc/{player.process.pid}/status").read_text().splitlines()
            peak = next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
        finally:
            player.close()
    shown, asked = player.shown, [frame(at) for _, at in moves]
    frames = [round(place * float(rate)) for _, place in shown]
    right = 0
    for when, wanted in zip(sent, asked):
        earlier = max((i for i, (t, _) in enumerate(shown) if t <= when), default=0)
        right += any(frames[i] == wanted and shown[i][0] <= when + DISPLAY / 1000 for i in range(earlier, len(shown)))
    # As the session counts: time without a new picture while another frame is asked for than the one shown.
    gap, since, on_screen = 0.0, sent[0], asked[0]
    changes = [(t, "shown", f) for (t, _), f in zip(shown, frames)] + [(t, "asked", f) for t, f in zip(sent, asked)]
    for when, what, number in sorted(changes):
        if when > sent[-1]:
            gap = max(gap, sent[-1] - since)
            break
        if what == "shown" and number != on_screen:
            gap, since, on_screen = max(gap, when - since), when, number
        elif what == "asked" and number == on_screen:
            since = when
    rest = next((1000 * (t - sent[-1]) for (t, _), f in zip(shown, frames) if t > sent[-1] and f == asked[-1]), None)
    seconds = (moves[-1][0] - moves[0][0]) / 1000
    new = sum(a != b for a, b in zip(frames, [None, *frames])) / max(0.001, seconds)
    return {
        "moves": len(moves), "right": right, "gapMs": 1000 * gap, "restMs": rest, "exactAtRest": rest is not None,
        "newPerSecond": new, "residentBytes": peak, "processorSeconds": spent,
    }


KEYS = ("clip", "gesture", "speed", "points", "seconds", "way", "budget", "round")


def spread(values: list[float | None], places: int = 0, least: bool = False) -> str:
    there = [value for value in values if value is not None]
    if not there:
        return "–"
    return f"{median(there):.{places}f} ({(min if least else max)(there):.{places}f})"


def faults(way: str, rows: list[dict]) -> list[str]:
    """What a row must show and does not."""
    if way not in ("warm", "kept", "cold"):
        return []
    found, way = [], "cold" if way == "cold" else "warm"
    if way == "warm" and any(row["right"] < 0.99 * row["moves"] for row in rows):
        found.append("under 99 % in time")
    limit = 34 if way == "warm" else 100
    if any(row["gapMs"] > limit for row in rows):
        found.append(f"a gap over {limit} ms")
    if way == "warm" and any(row["restMs"] is not None and row["restMs"] > row["aloneMs"] + 50 for row in rows):
        found.append("late at rest")
    if not all(row["exactAtRest"] for row in rows):
        found.append("not exact at rest")
    if any(row["peakBytes"] > row["budgetBytes"] for row in rows):
        found.append("over the budget")
    return found


def table(lines: list[dict]) -> str:
    """Markdown: medians, and the worst in brackets."""
    text = ["Medians, and the worst run in brackets. `!` marks a row that does not show what it must.", ""]
    marked = []
    for clip in dict.fromkeys(line["clip"] for line in lines):
        text += [
            f"### {clip}", "",
            "| gesture | way | in time, % | longest gap, ms | at rest, ms | alone, ms | peak, MiB | processor, s | for previews, s | |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        groups: dict[tuple, list[dict]] = {}
        for line in lines:
            if line["clip"] == clip:
                groups.setdefault(tuple(line[key] for key in KEYS[1:-1]), []).append(line)
        for (gesture, speed, points, seconds, way, budget), rows in groups.items():
            name = f"{gesture}, {speed} ({points} points, {seconds:g} s)"
            limit = "" if way == "mpv" else f", {budget} MiB"
            good = [row for row in rows if "error" not in row]
            if not good:
                text.append(f"| {name} | {way}{limit} | {rows[0]['error'].splitlines()[0]} | | | | | | | |")
                continue
            wrong = faults(way, good) + (["errors"] if len(good) < len(rows) else [])
            if wrong:
                marked.append(f"{clip}: {name}, {way}{limit}: {', '.join(wrong)}")
            peaks = [row.get("peakBytes", row["residentBytes"]) / (1 << 20) for row in good]
            cells = [
                name, f"{way}{limit}, {len(good)} runs", spread([100 * row["right"] / max(1, row["moves"]) for row in good], 1, True),
                spread([row["gapMs"] for row in good]), spread([row["restMs"] for row in good]),
                spread([row.get("aloneMs") for row in good]), spread(peaks), spread([row["processorSeconds"] for row in good], 1),
                spread([row.get("previewSeconds") for row in good], 1), "!" if wrong else "",
            ]
            text.append("| " + " | ".join(cells) + " |")
        text.append("")
    text.append("The peak is that of pictures within the budget; mpv's is its resident memory.")
    if marked:
        text += ["", "Not shown:", "", *(f"- {one}" for one in marked)]
    return "\n".join(text) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", type=Path)
    parser.add_argument("--scrub", default=places.scrub())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--gestures", default=",".join(GESTURES))
    parser.add_argument("--speeds", default=",".join(SPEEDS), help="slow: 10 points in 3 s; usual: 60 in 2 s; fast: 300 in 2 s")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--budgets", default="256", help="MiB, with commas; more than one for scrub's ways alone")
    parser.add_argument("--begin", default="0.4")
    parser.add_argument("--whole", action="store_true", help="the same distances in long films too")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, default=Path("previews.jsonl"), help="a line for each run; lines that are there are kept")
    parser.add_argument("--output", type=Path, help="the table, as Markdown; otherwise it is printed")
    parser.add_argument("--table", action="store_true", help="only the table of what is measured already")
    options = parser.parse_args()
    known = {"--gestures": GESTURES, "--speeds": tuple(SPEEDS), "--ways": WAYS}
    chosen = {}
    for option, names in known.items():
        chosen[option] = getattr(options, option[2:]).split(",")
        if wrong := [name for name in chosen[option] if name not in names]:
            parser.error(f"{option}: {wrong[0]} is not one of {', '.join(names)}")
    if not options.table and not options.clips:
        parser.error("no clip is named")
    if "mpv" in chosen["--ways"] and shutil.which("mpv") is None:
        print("mpv is left out: it is not installed (setup.sh)", file=sys.stderr)
        chosen["--ways"].remove("mpv")
    lines = [json.loads(line) for line in options.json.read_text().splitlines()] if options.json.exists() else []
    done = {tuple(line[key] for key in KEYS) for line in lines}
    budgets = [int(one) for one in options.budgets.split(",")]
    with open(options.json, "a", encoding="utf-8") as file:
        for clip in [] if options.table else options.clips:
            film = probe(clip)
            scale = SHRUNK if film[1] > LONG and not options.whole else 1
            for name in chosen["--gestures"]:
                for speed in chosen["--speeds"]:
                    points, seconds = SPEEDS[speed]
                    for round_number in range(options.rounds):
                        for way in chosen["--ways"]:
                            for budget in budgets if way != "mpv" else budgets[:1]:
                                key = dict(zip(KEYS, (clip.name, name, speed, max(1, points // scale), seconds, way,
                                                      0 if way == "mpv" else budget, round_number)))
                                if tuple(key.values()) in done:
                                    continue
                                found = mpv(options, clip, key, film) if way == "mpv" else scrub(options, clip, key)
                                lines.append({**key, **found})
                                file.write(json.dumps(lines[-1]) + "\n")
                                file.flush()
                    print(f"{clip.name}: {name}, {speed}", file=sys.stderr, flush=True)
    if options.output:
        options.output.write_text(table(lines), encoding="utf-8")
    else:
        print(table(lines), end="")


if __name__ == "__main__":
    main()
