"""What a film's pictures cost in bytes: its index, its key pictures, and those that one frame needs."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Picture:
    position: int
    size: int
    is_key: bool
    seconds: float
    is_reference: bool = True


def boxes(path: Path) -> dict[str, tuple[int, int]]:
    """The top boxes of an MP4: where each begins and how long it is."""
    found: dict[str, tuple[int, int]] = {}
    with path.open("rb") as film:
        at, end = 0, path.stat().st_size
        while at + 8 <= end:
            film.seek(at)
            size, kind = struct.unpack(">I4s", film.read(8))
            if size == 1:
                size = struct.unpack(">Q", film.read(8))[0]
            elif size == 0:
                size = end - at
            found.setdefault(kind.decode("latin-1"), (at, size))
            at += max(size, 8)
    return found


class Film:
    """An H.264 film in an MP4 with lengths of four bytes before its units."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.index_place, self.index_bytes = boxes(path)["moov"]
        self.size = path.stat().st_size
        self.index_first = self.index_place < boxes(path)["mdat"][0]
        words = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,size,pos,flags", "-of", "csv=p=0"]
        self.pictures: list[Picture] = []
        for line in subprocess.run([*words, str(path)], capture_output=True, text=True, check=True).stdout.splitlines():
            seconds, size, position, flags = line.split(",")[:4]
            self.pictures.append(Picture(int(position), int(size), flags.startswith("K"), float(seconds)))

    @property
    def key_bytes(self) -> int:
        return sum(picture.size for picture in self.pictures if picture.is_key)

    def _is_reference(self, picture: Picture) -> bool:
        with self.path.open("rb") as film:
            film.seek(picture.position)
            data = film.read(min(picture.size, 1 << 16))
        at = 0
        while at + 5 <= len(data):
            unit = data[at + 4]
            if unit & 31 in (1, 2, 5):
                return unit >> 5 & 3 != 0
            at += 4 + struct.unpack(">I", data[at : at + 4])[0]
        return True

    def plan_bytes(self, seconds: float) -> tuple[int, int, int]:
        """For the frame shown then: the bytes of the reference pictures from its restart on and of itself, the bytes of all
        pictures up to it, and how many the first are."""
        target = min(range(len(self.pictures)), key=lambda i: abs(self.pictures[i].seconds - seconds))
        restart = max(i for i in range(target + 1) if self.pictures[i].is_key)
        way = self.pictures[restart : target + 1]
        needed = [p for i, p in enumerate(way) if i == len(way) - 1 or self._is_reference(p)]
        return sum(p.size for p in needed), sum(p.size for p in way), len(needed)

    def keys_nearest(self, frames: list[float]) -> int:
        """The bytes of the key pictures shown at these times, each counted once."""
        by_time = {round(p.seconds * 1000): p for p in self.pictures if p.is_key}
        chosen = {}
        for seconds in frames:
            time = min(by_time, key=lambda known: abs(known - seconds * 1000))
            chosen[time] = by_time[time].size
        return sum(chosen.values())


