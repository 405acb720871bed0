#!/usr/bin/env python3
"""Drags through a film with the mouse, in a window of a virtual screen: drag.py FILM FOLDER [--preload WATCH] [--moves N]
[--least PART] -- COMMAND...

COMMAND runs a program of examples/drag; it or WATCH, which is loaded into it, looks into it. FILM has its frames' numbers as
bar codes. Every picture on the screen has the number that the program says. At rest it is the frame under the finger, exact.
The screen at the end is FOLDER/screen.png. A line for each drag says how many moves had their very frame on the screen within 33 ms; with --least it
ends with 1 if those are fewer over previews.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

LIMIT = 33


class Screen:
    """A virtual screen without a window manager."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x720x24", "-nolisten", "tcp"], pass_fds=[write],
            stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            self.name = ":" + answer.readline().strip()

    def do(self, *words: object) -> str:
        return subprocess.run(
            ["xdotool", *map(str, words)], check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "DISPLAY": self.name}
        ).stdout


class Program:
    """The program under the mouse. `lines` is what it prints, `seen` what the watch sees."""

    def __init__(self, command: list[str], preload: str, film: Path, screen: Screen) -> None:
        read, write = os.pipe()
        environment = {**os.environ, "DISPLAY": screen.name, "LD_PRELOAD": preload, "SDL_VIDEODRIVER": "x11",
                       "SDL_RENDER_DRIVER": "software", "QT_QPA_PLATFORM": "xcb"}
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3>&{write}', "sh", *command, film], stdout=subprocess.PIPE, text=True, pass_fds=[write],
            env=environment)
        os.close(write)
        self.lines: list[tuple[int, int, str]] = []
        self.seen: list[tuple[str, float, int]] = []
        # The frame that was asked for last.
        self.asked = -1
        self._changed = threading.Condition()
        self._readers = [
            threading.Thread(target=self._read_lines, daemon=True),
            threading.Thread(target=self._read_seen, args=[read], daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read_lines(self) -> None:
        for line in self.process.stdout or []:
            frame, asked, stage, _ = line.split()
            with self._changed:
                self.lines.append((int(frame), int(asked), stage))
                self._changed.notify_all()
        self.process.wait()
        with self._changed:
            self._changed.notify_all()

    def _read_seen(self, descriptor: int) -> None:
        with os.fdopen(descriptor) as stream:
            for line in stream:
                kind, when, number = line.split()
                with self._changed:
                    self.seen.append((kind, float(when), int(number)))
                    if kind == "asked":
                        self.asked = int(number)
                    self._changed.notify_all()

    def wait(self, what: str, is_so) -> None:  # noqa: ANN001
        with self._changed:
            if not self._changed.wait_for(lambda: is_so() or self.process.poll() is not None, timeout=120) or not is_so():
                sys.exit(f"drag: {what}: {self.lines[-3:]} {self.seen[-3:]}")

    def end(self) -> int:
        """Waits until it has ended and all that it said is there."""
        status = self.process.wait(30)
        for reader in self._readers:
            reader.join(30)
        return status

    def rest(self) -> None:
        """Waits for the exact picture of the last request."""
        self.wait("no exact picture at rest", lambda: self.lines[-1][1:] == (self.asked, "exact"))


def drag(screen: Screen, window: str, places: list[int]) -> None:
    """Presses at the first place, moves every 16 ms, and lets go at the last."""
    words: list[object] = ["mousemove", "--window", window, places[0], 400, "mousedown", 1]
    for place in places[1:]:
        words += ["mousemove", "--window", window, place, 400, "sleep", "0.016"]
    screen.do(*words, "sleep", "0.2", "mouseup", 1)


def changes(numbers: list[int]) -> list[int]:
    return [number for place, number in enumerate(numbers) if place == 0 or number != numbers[place - 1]]


def judged(seen: list[tuple[str, float, int]]) -> dict[str, object]:
    """How soon each move that asks for another frame has it, or one of a later move, on the screen."""
    moves: list[tuple[float, int]] = []
    begun, last = 0.0, None
    for kind, when, number in seen:
        if kind == "move":
            begun = when
        elif kind == "asked" and number != last:
            moves.append((begun, number))
            last = number
    shown = [(when, number) for kind, when, number in seen if kind == "shown"]
    times: list[float] = []
    for when, number in moves:
        found = next((then - when for then, there in shown if then >= when and there == number), None)
        times.append(found if found is not None else float("inf"))
    times.sort()
    count = len(times)
    return {
        "moves": count, "within33": round(sum(t <= LIMIT for t in times) / max(1, count), 4),
        "median": round(times[count // 2], 1) if times else None, "p95": round(times[count * 95 // 100], 1) if times else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("film", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("command", nargs="+")
    parser.add_argument("--preload", default="")
    parser.add_argument("--moves", type=int, default=120)
    parser.add_argument("--least", type=float, default=0)
    options = parser.parse_args()
    screen = Screen()
    try:
        program = Program(options.command, options.preload, options.film, screen)
        program.wait("no first picture", lambda: program.lines and program.lines[-1][2] == "exact")
        [window] = screen.do("search", "--onlyvisible", "--pid", program.process.pid).split() or [None]
        wrong: list[object] = []
        results = []
        # Cold once, there and back, while previews are made; then over them.
        steps = [3 * i for i in range(options.moves)]
        ways = {"cold": [640 + s for s in steps[:60]], "forward": [300 + s for s in steps], "back": [900 - s for s in steps],
                "jitter": [640 + (7 * i * i) % 60 for i in range(options.moves)]}
        for name, places in ways.items():
            begin = len(program.seen)
            drag(screen, window, places)
            program.rest()
            seen = program.seen[begin:]
            drawn = [number for kind, _, number in seen if kind == "shown"]
            result = {"way": name, **judged(seen), "pictures": len(drawn)}
            results.append(result)
            print(json.dumps(result), flush=True)
            if name != "cold" and result["within33"] < options.least:
                wrong.append(result)
            # What is measured then is over previews, which are made at rest.
            time.sleep(12 if name == "cold" and options.least else 0)
        subprocess.run(
            ["import", "-window", "root", options.folder / "screen.png"], check=True, env={**os.environ, "DISPLAY": screen.name})
        # The window may be gone before the key is up again.
        screen.do("keydown", "--window", window, "Escape")
        if program.end() != 0:
            wrong.append(f"it ended with {program.process.returncode}")
        # A window that comes into view is drawn again, and a preview and its exact picture have one number.
        said = changes([frame for frame, _, _ in program.lines])
        drawn = changes([number for kind, _, number in program.seen if kind == "shown" and number >= 0])
        if said != drawn:
            wrong.append({"said": said, "drawn": drawn})
        if wrong:
            sys.exit(f"drag: {wrong}")
    finally:
        screen.process.terminate()


if __name__ == "__main__":
    main()
