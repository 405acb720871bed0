"""What ffprobe says of the first video stream, for the rivals that know times only."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from fractions import Fraction


@dataclass
class Probe:
    width: int
    height: int
    rate: Fraction
    count: int
    first_picture: float
    """Seconds from the start of the container to the first picture: players and `-ss` count from the former."""

    def time(self, number: int, early: Fraction) -> float:
        """When the frame is shown, supposing a constant rate; `early` is a part of a frame."""
        return max(0.0, float((number - early) / self.rate) + self.first_picture)


def probe(path: str) -> Probe:
    entries = "stream=width,height,avg_frame_rate,nb_frames,duration,start_time:format=duration,start_time"
    command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "json", path]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    stream, container = found["streams"][0], found["format"]
    rate = Fraction(stream["avg_frame_rate"])
    duration = float(stream.get("duration") or container["duration"])
    return Probe(
        width=stream["width"],
        height=stream["height"],
        rate=rate,
        count=int(stream.get("nb_frames") or round(duration * rate)),
        first_picture=float(stream.get("start_time") or 0) - float(container.get("start_time") or 0),
    )
