"""Films of many frames without hours of encoding, and libraries of many films."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

BASE_FRAMES, RATE = 10_000, 50
SHELF = 100
CONTAINERS = {
    "mp4": ("MP4", "mp4", []),
    "fragmented": ("MP4 in fragments", "mp4", ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"]),
    "matroska": ("Matroska", "mkv", []),
    "transport": ("MPEG-TS", "ts", []),
}
"""The title, the suffix and the words for ffmpeg."""
LIBRARIES = ("own", "same")
"""Films with contents of their own, or names of one and the same film."""


def _ffmpeg(output: Path, *words: str) -> None:
    part = output.with_name("part-" + output.name)
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *words, "-fflags", "+bitexact", part], check=True)
    part.rename(output)


def _encoded(output: Path, frames: int) -> Path:
    """64 x 64 pixels in H.264 with B pictures, and quiet sound."""
    if not output.exists():
        seconds = frames / RATE
        _ffmpeg(output, "-f", "lavfi", "-i", f"testsrc2=s=64x64:r={RATE}:d={seconds:g},noise=alls=4:allf=t:all_seed=7",
                "-f", "lavfi", "-i", f"sine=330:r=8000:d={seconds:g}", "-c:v", "libx264", "-preset", "veryfast", "-crf", "34",
                "-bf", "3", "-g", "250", "-threads", "1", "-c:a", "aac", "-b:a", "8k", "-flags:v", "+bitexact", "-flags:a", "+bitexact")
    return output


def film(folder: Path, container: str, frames: int) -> Path:
    """A film of so many frames: a short one many times over, without encoding it again."""
    _, suffix, words = CONTAINERS[container]
    path = folder / f"{container}-{frames}.{suffix}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        base = _encoded(folder / f"base-{min(frames, BASE_FRAMES)}.mp4", min(frames, BASE_FRAMES))
        loops, rest = divmod(frames, BASE_FRAMES)
        if frames > BASE_FRAMES and rest:
            raise ValueError(f"films have a multiple of {BASE_FRAMES} frames, or fewer")
        _ffmpeg(path, "-stream_loop", str(max(1, loops) - 1), "-i", str(base), "-c", "copy", *words)
    return path


def other(contents: bytes, number: int) -> bytes:
    """The same MP4 with contents of its own: a box that nothing reads is behind it."""
    name = f"{number:016d}".encode()
    return contents + (8 + len(name)).to_bytes(4, "big") + b"free" + name


def name(number: int) -> str:
    """A film's path in its library."""
    return f"{number // SHELF:04d}/{number:06d}.mp4"


def library(folder: Path, kind: str, count: int) -> Path:
    """A folder of films of two seconds; they are made once."""
    root, mark = folder / f"library-{kind}-{count}", folder / f"library-{kind}-{count}.made"
    if mark.exists():
        return root
    folder.mkdir(parents=True, exist_ok=True)
    base = _encoded(folder / "base-100.mp4", 100)
    contents = base.read_bytes()
    for number in range(count):
        path = root / name(number)
        if number % SHELF == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "own":
            path.write_bytes(other(contents, number))
        elif number % 10_000 == 0:
            # A file has 65,000 names at most.
            path.unlink(missing_ok=True)
            path.write_bytes(contents)
            os.utime(path, (1_700_000_000, 1_700_000_000))
            first = path
        else:
            path.unlink(missing_ok=True)
            os.link(first, path)
    mark.touch()
    return root
