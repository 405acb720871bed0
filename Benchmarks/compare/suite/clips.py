"""The films that are measured, and what is known of each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

from comparison import places

LONG = 20_000
SUFFIXES = {".mp4", ".mkv", ".mov", ".ts", ".webm", ".avi"}


@dataclass(frozen=True)
class Clip:
    path: Path
    codec: str
    width: int
    height: int
    frames: int
    seconds: float
    mb: float

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def is_long(self) -> bool:
        return self.frames > LONG

    def facts(self) -> dict[str, object]:
        return {**{key: value for key, value in asdict(self).items() if key != "path"}, "name": self.name}


def probe(path: Path) -> Clip:
    entries = ["-select_streams", "v:0", "-count_packets", "-show_entries", "stream=codec_name,width,height,nb_read_packets,avg_frame_rate"]
    words = ["ffprobe", "-v", "error", *entries, "-of", "json", str(path)]
    stream = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["streams"][0]
    frames = int(stream["nb_read_packets"])
    seconds = round(float(frames / Fraction(stream["avg_frame_rate"])), 2)
    size = round(path.stat().st_size / 1e6, 1)
    return Clip(path, stream["codec_name"], stream["width"], stream["height"], frames, seconds, size)


def _names(folder: Path) -> list[str]:
    """All films but those that others are made of by looping: `_…` and `…-loop.…`."""
    there = sorted(file.name for file in folder.iterdir() if file.suffix in SUFFIXES)
    return [name for name in there if not name.startswith(("_", "part-")) and "-loop." not in name]


def find(folder: Path, names: list[str], work: Path) -> list[Clip]:
    """The clips in a folder with the truth of each. A folder that setup.sh made has it; for another one links and truths are
    made in `work`, and the folder itself is left alone."""
    names = names or _names(folder)
    if lacking := [name for name in names if not (folder / name).is_file()]:
        sys.exit(f"report: there is no {lacking[0]} in {folder}")
    if not (folder / "truth").is_dir():
        place = work / "clips"
        place.mkdir(parents=True, exist_ok=True)
        for name in [*names, *(file.name for file in folder.iterdir() if "loop" in file.name)]:
            if not (place / name).exists():
                (place / name).symlink_to((folder / name).resolve())
        folder = place
        words = [places.python(), "-m", "comparison.truth", str(folder)]
        subprocess.run(words, check=True, env={**os.environ, "PYTHONPATH": str(places.HERE), "PYTHONDONTWRITEBYTECODE": "1"})
    return [probe(folder / name) for name in names]
