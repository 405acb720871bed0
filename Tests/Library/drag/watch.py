#!/usr/bin/env python3
"""Runs examples/drag/drag.py and looks at what it shows, as watch.c does for a program in C: watch.py DRAG.py FILM.

The frame that each movement of the mouse requests, and the bar code in the pixels of each picture when it is drawn: a line for
each to the descriptor 3, with milliseconds of the monotonic clock.
"""

from __future__ import annotations

import os
import runpy
import sys
import time

import scrub
from PySide6.QtGui import QImage, QPainter

CELLS, ROWS, LEAST = 12, 14, 64


def say(kind: str, number: int) -> None:
    os.write(3, f"{kind} {time.monotonic() * 1e3:.3f} {number}\n".encode())


def code(image: QImage) -> int:
    """The number of a picture whose uppermost seventh is a bar code: two rows of cells, the second one the inverse."""
    number = 0
    for cell in range(CELLS):
        x = (2 * cell + 1) * image.width() // (2 * CELLS)
        light = [image.pixelColor(x, (2 * row + 1) * image.height() // (2 * ROWS)).green() for row in range(2)]
        if abs(light[0] - light[1]) < LEAST:
            return -1
        number |= (light[0] > light[1]) << cell
    return number


class Session(scrub.Session):
    def moved(self, *words: object, **named: object) -> int:  # type: ignore[override]
        say("move", -1)
        frame = super().moved(*words, **named)  # type: ignore[arg-type]
        say("asked", frame)
        return frame


class Painter(QPainter):
    """Says which picture it has drawn when it is done."""

    drawn: int | None = None

    def drawImage(self, *words: object) -> None:  # type: ignore[override]
        self.drawn = next(code(word) for word in words if isinstance(word, QImage))
        super().drawImage(*words)  # type: ignore[call-overload]

    def end(self) -> bool:
        done = super().end()
        if self.drawn is not None:
            say("shown", self.drawn)
        return done


if __name__ == "__main__":
    scrub._video.Session = Session  # type: ignore[attr-defined,misc]
    sys.modules["PySide6.QtGui"].QPainter = Painter  # type: ignore[attr-defined]
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
