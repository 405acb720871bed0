"""The ffmpeg command, one process a request: `-ss` half a frame early, so that rounding never decides."""

from __future__ import annotations

import subprocess
from fractions import Fraction

import numpy as np

from comparison.picture import luma_digest
from probe import probe
from protocol import Answer, Seek, serve, threads


def open_file(path: str) -> tuple[int, Seek]:
    facts = probe(path)
    options = [] if threads() is None else ["-threads", str(threads())]
    luma_size = facts.width * facts.height

    def seek(number: int) -> Answer:
        time = f"{facts.time(number, Fraction(1, 2)):.6f}"
        command = ["ffmpeg", "-v", "error", "-nostdin", *options, "-ss", time, "-i", path]
        command += ["-map", "0:v:0", "-frames:v", "1", "-f", "rawvideo", "-"]
        data = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        if len(data) < luma_size:
            raise RuntimeError("no picture")
        luma = np.frombuffer(data, np.uint8, luma_size).reshape(facts.height, facts.width)
        return Answer(time, lambda: luma_digest(luma))

    return facts.count, seek


serve(open_file)
