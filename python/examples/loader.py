"""Clips of frames for training: a torch Dataset that holds open videos, and a DataLoader with four workers.

    python3 loader.py film.mp4 other.mkv ...

Every worker opens the videos for itself, from the indexes that the first opening saved. One thread each: the workers
keep the processors busy.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

import scrub


class Clips(Dataset[Any]):
    """Every clip has `length` frames, each `step` frames after the one before."""

    def __init__(self, paths: list[str], length: int = 8, step: int = 4) -> None:
        self.videos = [scrub.open(path, threads=1) for path in paths]
        self.length, self.step = length, step
        span = (length - 1) * step + 1
        self.clips = [(i, first) for i, video in enumerate(self.videos) for first in range(0, len(video) - span + 1, span)]

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, place: int) -> tuple[Any, int, int]:
        number, first = self.clips[place]
        wanted = range(first, first + self.length * self.step, self.step)
        # An array of the caller's own, which torch takes as it is; channels first, as networks want them.
        return torch.from_numpy(self.videos[number].batch(wanted, dimension_order="NCHW")), number, first


def main(paths: list[str], method: str | None = None) -> None:
    loader = DataLoader(Clips(paths), batch_size=2, num_workers=4, shuffle=True, multiprocessing_context=method)
    for clips, videos, firsts in loader:
        mean = clips.float().mean().item()
        print(tuple(clips.shape), videos.tolist(), firsts.tolist(), f"mean {mean:.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
