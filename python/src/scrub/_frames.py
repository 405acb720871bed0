"""Frames, and the facts about them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple, Optional, SupportsIndex, Union, overload

import numpy
from numpy.typing import NDArray

Verdict = Literal["exact", "damaged", "approximate"]
VERDICTS: tuple[Verdict, ...] = ("exact", "damaged", "approximate")


class Times(NamedTuple):
    """A frame's time in the container, its time after the first frame, and its duration, in units of the time base."""

    pts: int
    offset: int
    duration: int


class FrameFacts:
    """The facts about a frame.

    number: the frame's number, counted from 0 in display order.
    pts: the presentation time in the container, in units of `time_base`.
    time_base: the duration of a unit in seconds.
    verdict: `"exact"` if the picture is the same as in a linear decode of the whole file; `"damaged"` if it is as good
        as the file allows; `"approximate"` in all other cases, for example if the frame is not proven.
    reason: why the frame is not exact; empty if it is exact.
    """

    __slots__ = ("number", "pts", "time_base", "verdict", "reason", "_offset", "_duration")

    def __init__(self, number: int, time_base: Fraction, times: Times, verdict: Verdict, reason: str) -> None:
        self.number = number
        self.pts = times.pts
        self.time_base = time_base
        self.verdict: Verdict = verdict
        self.reason = reason
        self._offset, self._duration = times.offset, times.duration

    @property
    def seconds(self) -> float:
        """When the frame appears on screen, in seconds after the first frame, as the nearest `float`.

        `at()` returns the frame for this time.
        """
        return self._offset * self.time_base.numerator / self.time_base.denominator

    @property
    def time(self) -> Fraction:
        """When the frame appears on screen, in seconds after the first frame, as an exact fraction."""
        return self._offset * self.time_base

    @property
    def duration(self) -> Fraction:
        """How long the frame is on screen, in seconds."""
        return self._duration * self.time_base

    @property
    def pts_seconds(self) -> float:
        """The presentation time in the container, in seconds, as in torchcodec."""
        return self.pts * self.time_base.numerator / self.time_base.denominator

    @property
    def duration_seconds(self) -> float:
        """`duration` as a `float`."""
        return self._duration * self.time_base.numerator / self.time_base.denominator


class Frame(FrameFacts):
    """A frame as it is displayed.

    By default, `array` has the shape (height, width, 3) and contains bytes in the order red, green, blue.
    """

    __slots__ = ("array",)

    def __init__(
        self,
        array: NDArray[Any],
        number: int,
        time_base: Fraction,
        times: Times,
        verdict: Verdict,
        reason: str,
    ) -> None:
        super().__init__(number, time_base, times, verdict, reason)
        self.array = array

    @property
    def data(self) -> NDArray[Any]:
        """`array` under torchcodec's name. The channels are last."""
        return self.array

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        if dtype is not None and numpy.dtype(dtype) != self.array.dtype:
            if copy is False:
                raise ValueError("a different type requires a copy")
            return self.array.astype(dtype)
        return self.array.copy() if copy else self.array

    def __repr__(self) -> str:
        height, width = self.array.shape[:2]
        return f"<scrub.Frame {self.number} at {self.seconds:.6f} s, {width}x{height}, {self.verdict}>"


class NativeFrame(FrameFacts):
    """A frame with the samples as the decoder produced them.

    pixel_format: FFmpeg's name for the layout of the samples, such as `"yuv420p10le"`.
    planes: an array for each plane. Rows have no padding. The elements are bytes, or 16-bit, 32-bit or floating-point
        samples, depending on the format. Interleaved components stay interleaved.
    width, height: the size of the picture in pixels.
    """

    __slots__ = ("pixel_format", "planes", "width", "height")

    def __init__(
        self,
        data: NDArray[numpy.uint8],
        shapes: tuple[tuple[int, int], ...],
        pixel_format: str,
        size: tuple[int, int],
        number: int,
        time_base: Fraction,
        times: Times,
        verdict: Verdict,
        reason: str,
    ) -> None:
        super().__init__(number, time_base, times, verdict, reason)
        self.pixel_format = pixel_format
        self.width, self.height = size
        kind = sample_type(pixel_format)
        planes: list[NDArray[Any]] = []
        at = 0
        for width, rows in shapes:
            plane: NDArray[Any] = data[at : at + width * rows].reshape(rows, width)
            # Views of wider types must be aligned, and a plane with an odd number of bytes may misalign the next plane.
            if width % kind.itemsize == 0:
                plane = plane.view(kind) if at % kind.itemsize == 0 else plane.copy().view(kind)
            planes.append(plane)
            at += width * rows
        self.planes = tuple(planes)

    def tobytes(self) -> bytes:
        """Returns all planes in order. `ffmpeg -f framemd5` prints the MD5 of these bytes."""
        return b"".join(plane.tobytes() for plane in self.planes)

    def __repr__(self) -> str:
        size = f"{self.width}x{self.height} {self.pixel_format}"
        return f"<scrub.NativeFrame {self.number} at {self.seconds:.6f} s, {size}, {self.verdict}>"


def sample_type(pixel_format: str) -> numpy.dtype[Any]:
    """Returns the type of a pixel format's samples."""
    order = {"le": "<", "be": ">"}.get(pixel_format[-2:])
    name = pixel_format[:-2]
    if order is None or not name[-1:].isdigit():
        return numpy.dtype(numpy.uint8)
    if name.endswith("f32"):
        return numpy.dtype(order + "f4")
    if name.endswith("f16"):
        return numpy.dtype(order + "f2")
    if name.startswith(("x2rgb10", "x2bgr10", "xv30", "v30x")):
        return numpy.dtype(order + "u4")
    return numpy.dtype(order + "u2")


class FrameBatch:
    """Several frames in one array, and the facts about each frame.

    array: has the shape (count, height, width, channels) or (count, channels, height, width).
    numbers, pts, seconds, durations: one value for each frame, as in `Frame`.
    verdicts, reasons: one string for each frame.
    """

    __slots__ = ("array", "numbers", "pts", "seconds", "durations", "verdicts", "reasons", "pts_seconds", "_facts")

    def __init__(self, array: NDArray[Any], facts: list[FrameFacts]) -> None:
        self.array = array
        self._facts = facts
        self.numbers = numpy.array([f.number for f in facts], numpy.int64)
        self.pts = numpy.array([f.pts for f in facts], numpy.int64)
        self.seconds = numpy.array([f.seconds for f in facts], numpy.float64)
        self.durations = numpy.array([f.duration_seconds for f in facts], numpy.float64)
        self.pts_seconds = numpy.array([f.pts_seconds for f in facts], numpy.float64)
        self.verdicts: tuple[Verdict, ...] = tuple(f.verdict for f in facts)
        self.reasons = tuple(f.reason for f in facts)

    @property
    def data(self) -> NDArray[Any]:
        """`array` under torchcodec's name."""
        return self.array

    @property
    def duration_seconds(self) -> NDArray[numpy.float64]:
        """`durations` under torchcodec's name."""
        return self.durations

    def __len__(self) -> int:
        return len(self._facts)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Frame: ...
    @overload
    def __getitem__(self, place: slice) -> FrameBatch: ...
    def __getitem__(self, place: Union[SupportsIndex, slice]) -> Union[Frame, FrameBatch]:
        if isinstance(place, slice):
            return FrameBatch(self.array[place], self._facts[place])
        f = self._facts[place]
        times = Times(f.pts, f._offset, f._duration)  # pyright: ignore[reportPrivateUsage]
        return Frame(self.array[place], f.number, f.time_base, times, f.verdict, f.reason)

    def __repr__(self) -> str:
        return f"<scrub.FrameBatch of {len(self)}, {'x'.join(map(str, self.array.shape))}>"
