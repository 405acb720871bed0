"""A video whose frames are arrays."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any, Iterable, Iterator, Literal, Optional, SupportsIndex, Union, cast, overload

import numpy
from numpy.typing import NDArray

from . import _choice
from ._asking import Order
from ._errors import UsageError
from ._formats import NATIVE
from ._frames import Frame, FrameBatch, FrameFacts, NativeFrame
from ._options import Options
from ._positions import Position, Seconds, frame_number
from ._scrubbing import Resources, Session
from ._slices import Frames
from ._source import Source
from ._verbs import Verbs

Errors = Literal["raise", "none"]


class Video(Verbs):
    """An open video, created by `scrub.open`.

    Several threads may use a video. A video can be pickled; the pickle contains the path and the options. A video can
    also be used after a fork. Another process reopens it with the saved index. Arrays remain valid after `close()`.
    """

    # File information

    @property
    def path(self) -> str:
        """The file's absolute path, or the address. For bytes and file objects, the name that messages use."""
        return self._path

    @property
    def transport(self) -> Literal["library", "program"]:
        """Which engine does the work: the C library in this process, or the program in a separate process."""
        return self._sessions.get(self._pixels).transport.name

    @property
    def frame_count(self) -> int:
        """The number of frames."""
        return self._first().frame

    @property
    def width(self) -> int:
        """The width of arrays in pixels.

        By default, this is the width of the upright picture with square pixels; `size` in `open` changes it.
        """
        return self._size()[0]

    @property
    def height(self) -> int:
        """The height of arrays in pixels."""
        return self._size()[1]

    @property
    def time_base(self) -> Fraction:
        """The container's unit of time, in seconds."""
        return self._first().time_base

    @property
    def duration(self) -> Fraction:
        """Seconds from the first frame's start to the last frame's end."""
        last = self._times_of(self.frame_count - 1)
        return (last.offset + last.duration) * self.time_base

    @property
    def duration_seconds(self) -> float:
        """`duration` as a `float`."""
        return float(self.duration)

    @property
    def fps(self) -> Optional[Fraction]:
        """Frames per second, on average if they are not evenly spaced; None if unknown."""
        rate = self.metadata.get("frameRateRatio") or self.metadata.get("averageFrameRate")
        return Fraction(rate) if rate else None

    @property
    def codec(self) -> str:
        """FFmpeg's name for the codec."""
        return str(self.metadata["codec"])

    @property
    def pixel_format(self) -> str:
        """FFmpeg's name for the layout of the decoder's samples."""
        return str(self.metadata["pixelFormat"])

    @property
    def metadata(self) -> dict[str, Any]:
        """Everything that `scrub info --json` prints, including streams, color, chapters and tags.

        It also contains the cost of exact frames. The facts are read only once.
        """
        return dict(self._info())

    # Times of all frames, for arithmetic with NumPy. These properties do not decode anything.

    @property
    def pts(self) -> NDArray[numpy.int64]:
        """Each frame's presentation time in the container, in units of `time_base`."""
        return self._column(0)

    @property
    def offsets(self) -> NDArray[numpy.int64]:
        """When each frame appears on screen, counted from the first frame, in exact units of `time_base`."""
        return self._column(1)

    @property
    def times(self) -> NDArray[numpy.float64]:
        """When each frame appears on screen, in seconds after the first frame. `v.at(v.times[n])` returns frame `n`."""
        return self._seconds(self._column(1))

    @property
    def durations(self) -> NDArray[numpy.float64]:
        """How long each frame is on screen, in seconds."""
        return self._seconds(self._column(2))

    @property
    def keyframes(self) -> NDArray[numpy.int64]:
        """The numbers of the frames that the container marks as key frames. They are the cheapest to decode."""
        return numpy.flatnonzero(self._column(3)).astype(numpy.int64)

    def _seconds(self, units: NDArray[numpy.int64]) -> NDArray[numpy.float64]:
        return units * self.time_base.numerator / self.time_base.denominator

    def __len__(self) -> int:
        return self.frame_count

    def __repr__(self) -> str:
        if self._hello is None or self._sessions.is_closed:
            return f"<scrub.Video {self._path!r}{', closed' if self._sessions.is_closed else ''}>"
        return f"<scrub.Video {self._path!r}, {self.frame_count} frames, {self._hello.width}x{self._hello.height}>"

    # Frames

    @overload
    def __getitem__(self, number: SupportsIndex) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> Frames: ...
    def __getitem__(self, number: Union[SupportsIndex, slice]) -> Union[Frame, Frames]:
        if isinstance(number, slice):
            return Frames(self, range(len(self))[number])
        return self._one(f"f{frame_number(number, len(self))}")

    def __iter__(self) -> Iterator[Frame]:
        return self.read()

    def __reversed__(self) -> Iterator[Frame]:
        return reversed(self[:])

    def at(self, seconds: Seconds) -> Frame:
        """Returns the frame on screen at a time after the first frame.

        A number is rounded to the nearest unit of the time base. If it could be a printed value, it also represents all
        times that print as this value, with a precision of a millisecond or better. Therefore `i / 30`, a sum of
        durations, `2.933` and a frame's `seconds` return the intended frame, whether they are a `float`, a NumPy
        `float32` or a tensor. A `Decimal` or a string is read as a printed value. `at(Fraction(2933, 1000))` returns
        the frame that is on screen at exactly this instant. Pass other positions, such as 42%, as strings.

        Raises OutOfRangeError for a time before the first frame or after the end of the last frame.
        """
        return self._one(self._time_position(seconds))

    @overload
    def frames(
        self, positions: Iterable[Position], *, errors: Literal["raise"] = ..., copy: Optional[bool] = ...
    ) -> list[Frame]: ...
    @overload
    def frames(
        self, positions: Iterable[Position], *, errors: Literal["none"], copy: Optional[bool] = ...
    ) -> list[Optional[Frame]]: ...
    def frames(
        self, positions: Iterable[Position], *, errors: Errors = "raise", copy: Optional[bool] = None
    ) -> Union[list[Frame], list[Optional[Frame]]]:
        """Returns several frames in the order of `positions`; each group of pictures is decoded once.

        errors: what happens if a frame cannot be decoded. With `"raise"`, its error is raised. With `"none"`, None is
            returned in its place.
        copy: whether each array has private, writable memory; by default, as passed to `open`.
        """
        isolate = _is_none(errors)
        made: list[Optional[Frame]] = []
        for answer in self._answers(list(positions), self._pixels, isolate):
            made.append(None if answer is None else self._frame(answer, copy))
        return made if isolate else cast("list[Frame]", made)

    @overload
    def read(
        self,
        start: SupportsIndex = ...,
        stop: Optional[SupportsIndex] = ...,
        *,
        errors: Literal["raise"] = ...,
        copy: Optional[bool] = ...,
    ) -> Iterator[Frame]: ...
    @overload
    def read(
        self,
        start: SupportsIndex = ...,
        stop: Optional[SupportsIndex] = ...,
        *,
        errors: Literal["none"],
        copy: Optional[bool] = ...,
    ) -> Iterator[Optional[Frame]]: ...
    def read(
        self,
        start: SupportsIndex = 0,
        stop: Optional[SupportsIndex] = None,
        *,
        errors: Errors = "raise",
        copy: Optional[bool] = None,
    ) -> Union[Iterator[Frame], Iterator[Optional[Frame]]]:
        """Yields the frames from `start` up to, but not including, `stop`. The options are those of `frames`.

        A few frames are requested ahead.
        """
        count = len(self)
        first = count if start == count else frame_number(start, count)
        end = count if stop is None or stop == count else frame_number(stop, count)
        return cast("Iterator[Frame]", self._row(range(first, end), _is_none(errors), copy))

    def read_numbers(self, numbers: range) -> Iterator[Frame]:
        """Yields the frames with these numbers, as `read` does."""
        return cast("Iterator[Frame]", self._row(numbers, False, None))

    def batch(
        self,
        positions: Iterable[Position],
        *,
        dimension_order: Order = "NHWC",
        out: Optional[NDArray[Any]] = None,
    ) -> NDArray[Any]:
        """Returns several frames in one array, which the caller owns. Its shape is (count, height, width, channels).

        dimension_order: with `"NCHW"`, the result is a view with the shape (count, channels, height, width).
        out: an array with the shape of the result, to write the frames into. The array is returned.

        Raises the error of the first frame that cannot be decoded. For verdicts, use `get_frames_at`.
        """
        return self._batch(list(positions), dimension_order, out)[0]

    def native(self, position: Position) -> NativeFrame:
        """Returns a frame as planes of the decoder's samples, which are not converted, rotated or cropped."""
        [answer] = self._answers([position], NATIVE, False)
        assert answer is not None and answer.data is not None
        data = answer.data.copy() if self._options.copy else answer.data.view()
        data.flags.writeable = self._options.copy
        size = (answer.width, answer.height)
        return NativeFrame(data, answer.planes, answer.format, size, *self._told(answer))

    # The same under torchcodec's and decord's names

    def get_frame_at(self, index: SupportsIndex) -> Frame:
        """The same as `v[index]`."""
        return self[index]

    def get_frames_at(self, indices: Iterable[Position], *, dimension_order: Order = "NHWC") -> FrameBatch:
        """Like `batch`, but also returns the times and the verdict of each frame."""
        return self._told_batch(list(indices), dimension_order)

    def get_frames_in_range(
        self, start: SupportsIndex, stop: SupportsIndex, step: SupportsIndex = 1, *, dimension_order: Order = "NHWC"
    ) -> FrameBatch:
        """Returns the frames `start:stop:step`. As in a list's slice, a stop beyond the end means the end."""
        numbers = range(*slice(start, stop, step).indices(len(self)))
        return self._told_batch(list(numbers), dimension_order)

    def get_frame_played_at(self, seconds: Seconds) -> Frame:
        """Like `at`, but for a container time, as in torchcodec. For a frame's `pts_seconds`, it returns that frame.

        Raises OutOfRangeError, which is an IndexError, for a time before the first frame, or at or after the end of the
        last frame.
        """
        self._check_played(seconds)
        return self._one(self._time_position(seconds, self._start_time()))

    def get_frames_played_at(self, seconds: Iterable[Seconds], *, dimension_order: Order = "NHWC") -> FrameBatch:
        """Returns the frames on screen at several container times. Raises the same errors as `get_frame_played_at`."""
        wanted, start = list(seconds), self._start_time()
        for time in wanted:
            self._check_played(time)
        return self._told_batch([self._time_position(time, start) for time in wanted], dimension_order)

    def get_frames_played_in_range(
        self, start_seconds: Seconds, stop_seconds: Seconds, *, dimension_order: Order = "NHWC"
    ) -> FrameBatch:
        """Returns the frames on screen from one container time up to another, or no frames if the times are equal.

        Raises OutOfRangeError, which is a ValueError, if the start is outside the film, or the stop is before the start
        or after the end.
        """
        numbers = self._numbers_played(start_seconds, stop_seconds)
        return self._told_batch(list(numbers), dimension_order)

    def _told_batch(self, positions: list[Any], order: Order) -> FrameBatch:
        array, answers = self._batch(positions, order, None)
        return FrameBatch(array, [FrameFacts(*self._told(answer)) for answer in answers])

    def get_batch(self, indices: Iterable[Position]) -> NDArray[Any]:
        """`batch` under decord's name."""
        return self.batch(indices)

    # Scrubbing

    def session(
        self,
        *,
        memory: SupportsIndex = 256 << 20,
        resources: Optional[Resources] = None,
        previews: bool = True,
        preview_side: SupportsIndex = 0,
        keep_previews: bool = False,
        reduced_alone: bool = False,
        fine_speeds: bool = False,
        decoders: SupportsIndex = 0,
    ) -> Session:
        """Opens a scrubbing session. It needs the C library, and stays open when this video is closed.

        memory: the maximum number of bytes of the session's pictures, including those in decoders and those that the
            caller holds.
        resources: memory and decoders that are shared with other sessions, instead of `memory`.
        previews: whether to make small pictures of the frames around the playhead. preview_side: the longer side of
            these pictures; 0 means 640, or 480 for a long film. keep_previews: whether to keep the pictures in the cache
            folder.
        reduced_alone: whether to show only small pictures, for films whose pictures do not fit in the memory.
        fine_speeds: whether the playhead moves more slowly while the finger is far above or below its starting point.
        decoders: the maximum number of open decoders; 0 means two.

        Raises UnavailableError if the memory limit is too low for decoding.
        """
        if self._sessions.is_closed:
            self._sessions.get(self._pixels)  # raises
        library = _choice.needed_library("a session", self._source, self._options)
        return Session(
            library, self._source, self._options, memory=operator.index(memory), resources=resources,
            previews=previews, preview_side=operator.index(preview_side), keep_previews=keep_previews,
            reduced_alone=reduced_alone, fine_speeds=fine_speeds, decoders=operator.index(decoders),
        )  # fmt: skip

    # Closing

    def close(self) -> None:
        """Closes the video. Arrays remain valid. Closing a video twice is not an error."""
        self._finalizer()

    def __enter__(self) -> Video:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._sessions.is_closed:
            self._sessions.get(self._pixels)  # raises
        return _again, (self._source, self._options)


def _again(source: Source, options: Options) -> Video:
    return Video(source, options, is_lazy=True)


def _is_none(errors: str) -> bool:
    if errors not in ("raise", "none"):
        raise UsageError(f"errors must be 'raise' or 'none', not {errors!r}")
    return errors == "none"
