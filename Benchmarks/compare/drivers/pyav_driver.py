"""PyAV as well as one can: an index of all packets, the restart found in decode order, packets told apart by their dts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

import av
import numpy as np

from comparison.picture import luma_digest
from protocol import Answer, Seek, serve, threads


class Packet(NamedTuple):
    pts: int
    dts: int
    key: bool


class Reader:
    def __init__(self, path: str) -> None:
        with av.open(path) as container:
            stream = container.streams.video[0]
            self.packets = [
                Packet(p.pts, p.dts, p.is_keyframe) for p in container.demux(stream) if p.size and p.pts is not None
            ]
            self.seeks_by_dts = container.format.name == "mpegts"
        self.order = sorted(range(len(self.packets)), key=lambda i: self.packets[i].pts)
        self.keys = [i for i, packet in enumerate(self.packets) if packet.key]
        self.container = av.open(path)
        self.stream = self.container.streams.video[0]
        if (count := threads()) is not None:
            self.stream.thread_count = count
        self.stream.thread_type = "FRAME"
        self.decoding: Iterator[Any] = iter(())
        self.last: tuple[int, int] | None = None  # pts shown last, and the key it was decoded from

    def restart(self, packet: int) -> int:
        """Which entry of `keys` to decode from: for a leading picture of an open group, the key before its own."""
        key = max(bisect_right(self.keys, packet) - 1, 0)
        if key > 0 and self.packets[self.keys[key]].pts > self.packets[packet].pts:
            key -= 1
        return key

    def pictures(self, key: int) -> Iterator[Any]:
        """The pictures from a key on; an earlier key is sought when the demuxer lands behind it."""
        wanted = self.packets[self.keys[key]]
        for earlier in range(key, -1, -1):
            aim = self.packets[self.keys[earlier]]
            self.container.seek(aim.dts if self.seeks_by_dts else aim.pts, stream=self.stream, backward=True)
            demuxed = self.container.demux(self.stream)
            first = next(demuxed)
            while first.dts is not None and first.dts < wanted.dts:
                first = next(demuxed)
            if first.dts == wanted.dts:
                yield from first.decode()
                for packet in demuxed:
                    yield from packet.decode()
                return
        raise RuntimeError("the demuxer does not find the keyframe")

    def picture(self, number: int) -> Any:
        packet = self.order[number]
        pts, key = self.packets[packet].pts, self.restart(packet)
        if self.last is None or pts <= self.last[0] or key > self.last[1]:
            self.decoding = self.pictures(key)
        else:
            key = self.last[1]
        self.last = None
        for frame in self.decoding:
            if frame.pts == pts:
                self.last = (pts, key)
                return frame
        raise RuntimeError(f"no picture with pts {pts}")


def luma(frame: Any) -> np.ndarray:
    plane = frame.planes[0]
    return np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: frame.height, : frame.width]


def open_file(path: str) -> tuple[int, Seek]:
    reader = Reader(path)

    def seek(number: int) -> Answer:
        frame = reader.picture(number)
        return Answer(str(frame.pts), lambda: luma_digest(luma(frame)))

    return len(reader.order), seek


serve(open_file)
