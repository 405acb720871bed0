#!/usr/bin/env python3
"""The same drag on the same clip, by `scrub gesture` and by mpv: new pictures a second, and the time to the exact one.

mpv gets what a player's slider would send: at every move `seek T absolute+exact` over its IPC, without waiting for the
one before (it merges those that it cannot keep up with). A picture is new when `playback-restart` says that a seek is done
and `time-pos` has changed. Both decode with the same number of threads; rounds alternate; medians are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction
from pathlib import Path
from statistics import median

from comparison import places

MPV = """--no-config --idle=yes --vo=null --no-audio --no-sub --pause --keep-open=yes --hr-seek=yes --hwdec=no
    --hr-seek-framedrop=yes --really-quiet""".split()


def probe(clip: Path) -> tuple[Fraction, int]:
    entries = ["-select_streams", "v:0", "-count_packets", "-show_entries", "stream=avg_frame_rate,nb_read_packets"]
    words = ["ffprobe", "-v", "error", *entries, "-of", "json", str(clip)]
    stream = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["streams"][0]
    return Fraction(stream["avg_frame_rate"]), int(stream["nb_read_packets"])


def drag(begin: Fraction, points: int, moves: int, turns: int) -> list[tuple[int, Fraction]]:
    """(milliseconds, fraction) of each move at 60 Hz: to and fro `turns` times, 1000 points for the whole clip."""
    found = []
    for i in range(1, moves + 1):
        way = Fraction(i * turns, moves) % 2
        found.append((round(i * 1000 / 60), begin + Fraction(points, 1000) * (way if way <= 1 else 2 - way)))
    return found


def scrub(program: str, clip: Path, begin: Fraction, moves: list[tuple[int, Fraction]], threads: int) -> dict[str, float]:
    events = [{"ms": 0, "phase": "began"}]
    events += [{"ms": ms, "phase": "changed", "dx": float((at - begin) * 1000), "dy": 0} for ms, at in moves]
    events.append({"ms": moves[-1][0], "phase": "ended"})
    script = {"width": 1000, "begin": f"{begin.numerator}/{begin.denominator}", "playing": False, "events": events}
    words = [program, "gesture", str(clip), "--script", "-", "--json", "--threads", str(threads)]
    done = subprocess.run(words, input=json.dumps(script), capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return {"new": result["newPicturesPerSecond"] or 0, "rest": result["restMs"], "gap": result["worstGapMs"]}


class Mpv:
    def __init__(self, clip: Path, threads: int, folder: str) -> None:
        path = Path(folder) / "socket"
        quiet = subprocess.DEVNULL
        words = ["mpv", *MPV, f"--vd-lavc-threads={threads}", f"--input-ipc-server={path}"]
        self.process = subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet)
        self.connection = socket.socket(socket.AF_UNIX)
        for _ in range(1000):
            try:
                self.connection.connect(str(path))
                break
            except OSError:
                time.sleep(0.01)
        self.shown: list[tuple[float, float]] = []
        self.restarts = 0
        self.changed = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()
        self.send("loadfile", str(clip))
        self.wait(lambda: self.restarts > 0, 20)

    def send(self, *words: object, request: int = 0) -> None:
        self.connection.sendall((json.dumps({"command": words, "request_id": request}) + "\n").encode())

    def listen(self) -> None:
        for line in self.connection.makefile("r"):
            heard = json.loads(line)
            now = time.perf_counter()
            with self.changed:
                if heard.get("event") == "playback-restart":
                    self.restarts += 1
                    self.send("get_property", "time-pos", request=7)
                    self.pending = now
                elif heard.get("request_id") == 7 and isinstance(heard.get("data"), (int, float)):
                    self.shown.append((self.pending, heard["data"]))
                self.changed.notify_all()

    def wait(self, done, seconds: float) -> bool:
        with self.changed:
            return self.changed.wait_for(done, seconds)

    def drag(self, moves: list[tuple[int, Fraction]], time_of, settle: float = 1) -> list[float]:
        """Sends the moves by the clock and waits for the last one's picture; when each was sent. `shown` has the pictures."""
        self.send("seek", time_of(moves[0][1]), "absolute+exact")
        time.sleep(settle)
        self.shown.clear()
        start = time.perf_counter()
        sent = []
        for ms, at in moves:
            time.sleep(max(0, start + ms / 1000 - time.perf_counter()))
            sent.append(time.perf_counter())
            self.send("seek", time_of(at), "absolute+exact")
        target = time_of(moves[-1][1])
        self.wait(lambda: any(t > sent[-1] and abs(p - target) < 0.03 for t, p in self.shown), 10)
        return sent

    def play(self, moves: list[tuple[int, Fraction]], time_of) -> dict[str, float]:
        sent = self.drag(moves, time_of)
        end, target = sent[-1], time_of(moves[-1][1])
        before, new, gap, last = None, 0, 0.0, sent[0]
        for at, place in self.shown:
            if place != before and at <= end:
                new, gap, last = new + 1, max(gap, at - last), at
            before = place
        rest = next((t - end for t, p in self.shown if abs(p - target) < 0.03 and t > end), None)
        seconds = (moves[-1][0] - moves[0][0]) / 1000
        return {"new": new / seconds, "rest": 1000 * rest if rest is not None else 0.0, "gap": 1000 * gap}

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--scrub", default=places.scrub())
    parser.add_argument("--begin", type=Fraction, default=Fraction(2, 5))
    parser.add_argument("--points", type=int, default=60, help="of 1000 for the whole clip; negative goes back")
    parser.add_argument("--moves", type=int, default=120)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    moves = drag(options.begin, options.points, options.moves, options.turns)
    print(f"mpv {' '.join(MPV)} --vd-lavc-threads={options.threads}", file=sys.stderr)
    for clip in options.clips:
        rate, count = probe(clip)

        def time_of(at: Fraction) -> float:
            # mpv shows the first frame that is not before the time: a little early is right.
            frame = min(count - 1, int(at * count))
            return float(max(Fraction(0), frame - Fraction(1, 4)) / rate)

        results: dict[str, list[dict[str, float]]] = {"scrub": [], "mpv": []}
        for _ in range(options.rounds):
            results["scrub"].append(scrub(options.scrub, clip, options.begin, moves, options.threads))
            with tempfile.TemporaryDirectory(prefix="gesture-mpv-") as folder:
                player = Mpv(clip, options.threads, folder)
                try:
                    results["mpv"].append(player.play(moves, time_of))
                finally:
                    player.close()
        middle = {
            name: {key: median(r[key] for r in rounds) for key in ("new", "rest", "gap")}
            for name, rounds in results.items()
        }
        ratio = middle["scrub"]["new"] / max(0.1, middle["mpv"]["new"])
        print(json.dumps({"clip": clip.name, "newPicturesRatio": round(ratio, 2), **middle}))


if __name__ == "__main__":
    main()
