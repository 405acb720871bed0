"""What each frame of a clip really is, by ffmpeg's linear decode, and how an answer is judged by it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np

from comparison.picture import ALONE, CELLS, UNREADABLE, luma_digest, luma_distance, read_number, thumbnail

RIGHT, OTHER, DAMAGED = "right", "other", "damaged"
TOLERANCE = 2.0  # of 255, mean luma difference of a thumbnail; what the RGB rivals' conversions cost is well below 1


@dataclass
class Verdict:
    kind: str
    off: int = 0
    """For `OTHER`: how many frames later the picture is than the one asked for."""


@dataclass
class Truth:
    count: int
    period: int
    """After how many frames the pictures repeat (a clip made by looping); else `count`."""
    digests: list[str]
    thumbs: np.ndarray
    pts: np.ndarray
    time_base: Fraction
    cells: int
    """How many cells the number in the pictures has."""

    @cached_property
    def _by_digest(self) -> dict[str, int]:
        return {digest: frame for frame, digest in enumerate(self.digests)}

    @cached_property
    def _by_pts(self) -> dict[int, int]:
        return {int(pts): frame for frame, pts in enumerate(self.pts)}

    def judge(self, frame: int, pts: str, signature: str) -> Verdict:
        wanted = frame % self.period
        if signature.startswith("rgb:"):
            _, number, thumb = signature.split(":")
            shown = int(number)
            if shown == UNREADABLE or shown >= self.period or luma_distance(thumb, self.thumbs[shown]) > TOLERANCE:
                return Verdict(DAMAGED)
        else:
            found = self._by_digest.get(signature)
            if found is None:
                return Verdict(DAMAGED)
            shown = found
        if shown != wanted:
            return Verdict(OTHER, shown - wanted)
        turns = self._other_turn(frame, pts)
        return Verdict(OTHER, turns) if turns else Verdict(RIGHT)

    def _other_turn(self, frame: int, pts: str) -> int:
        """In a looped clip the same picture comes again: believes the rival's own time when it names another one."""
        if self.period == self.count:
            return 0
        if pts.lstrip("-").isdigit():
            said = self._by_pts.get(int(pts), frame)
        elif "." in pts:
            ticks = float(pts) / float(self.time_base)
            said = int(np.abs(self.pts - ticks).argmin())
        else:
            return 0
        return said - frame if (said - frame) % self.period == 0 else 0


def _lines(command: list[str]) -> list[str]:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()


def _packets(clip: Path) -> tuple[Fraction, list[int], list[str]]:
    """The time base, the presentation times and the hashes of all packets, in decode order."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-i", str(clip), "-map", "0:v:0", "-c", "copy"]
    base, times, hashes = Fraction(1), [], []
    for line in _lines([*command, "-f", "framemd5", "-"]):
        if line.startswith("#tb 0:"):
            base = Fraction(line.split(":")[1].strip())
        elif not line.startswith("#"):
            columns = [column.strip() for column in line.split(",")]
            times.append(int(columns[2]))
            hashes.append(columns[5])
    return base, times, hashes


def _decode(clip: Path) -> Iterator[np.ndarray]:
    """The luma planes of a linear decode."""
    entries = ["-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0"]
    width, height = map(int, _lines(["ffprobe", "-v", "error", *entries, str(clip)])[0].strip(",").split(",")[:2])
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(clip), "-map", "0:v:0", "-fps_mode", "passthrough"]
    command += ["-vf", "extractplanes=y", "-f", "rawvideo", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while len(data := process.stdout.read(width * height)) == width * height:
            yield np.frombuffer(data, np.uint8).reshape(height, width)
    if process.returncode:
        raise RuntimeError(f"{clip.name}: ffmpeg fails")


def truth_file(clip: Path) -> Path:
    return clip.parent / "truth" / (clip.name + ".npz")


def _is_looped(clip: Path, loop: Path) -> bool:
    """Whether a film is so much larger than a loop of its size that it must be made of it; `make` proves it."""
    if clip.stat().st_size < 20 * loop.stat().st_size:
        return False
    entries = ["-select_streams", "v:0", "-show_entries", "stream=codec_name,width,height,profile,level", "-of", "csv=p=0"]
    return len({tuple(_lines(["ffprobe", "-v", "error", *entries, str(file)])[:1]) for file in (clip, loop)}) == 1


def make(clip: Path, loop_of: Path | None) -> None:
    """Writes the truth of a clip. A clip made by looping another is not decoded: its packets must be the other's."""
    base, times, hashes = _packets(clip)
    if loop_of is not None:
        once = _packets(loop_of)[2]
        if hashes != once * (len(hashes) // len(once)):
            raise RuntimeError(f"{clip.name} is not {loop_of.name} looped")
    digests, thumbs, cells = [], [], CELLS
    for number, luma in enumerate(_decode(loop_of or clip)):
        if number == 0 and read_number(luma) != 0:
            cells = ALONE
        if read_number(luma, cells) != number:
            raise RuntimeError(f"{clip.name}: frame {number} carries the number {read_number(luma, cells)}")
        digests.append(luma_digest(luma))
        thumbs.append(thumbnail(luma))
    if loop_of is None and len(digests) != len(times):
        raise RuntimeError(f"{clip.name}: {len(times)} packets, but {len(digests)} pictures")
    if len(set(digests)) != len(digests):
        raise RuntimeError(f"{clip.name}: two pictures are the same")
    file = truth_file(clip)
    file.parent.mkdir(exist_ok=True)
    part = file.with_name("part-" + file.name)
    facts = {"count": len(times), "base": [base.numerator, base.denominator], "pts": sorted(times), "cells": cells}
    np.savez_compressed(part, digests=np.array(digests, "S32"), thumbs=np.array(thumbs), **facts)
    part.rename(file)


def load(clip: Path) -> Truth:
    with np.load(truth_file(clip)) as saved:
        digests = [digest.decode() for digest in saved["digests"]]
        base = Fraction(*map(int, saved["base"]))
        cells = int(saved["cells"]) if "cells" in saved else CELLS
        return Truth(int(saved["count"]), len(digests), digests, saved["thumbs"].astype(float), saved["pts"], base, cells)


def main() -> None:
    """truth.py FOLDER: the truth of every clip in it that has none yet."""
    folder = Path(sys.argv[1])
    loops = [file for file in folder.glob("*.*") if "loop" in file.name]
    for clip in sorted(file for file in folder.glob("*.*") if file.name[0] not in "._" and not file.name.startswith("part-")):
        if not truth_file(clip).exists():
            make(clip, next((loop for loop in loops if loop != clip and _is_looped(clip, loop)), None))
            print(f"truth: {clip.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
