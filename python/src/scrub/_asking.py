"""Sends a video's requests to its session, and turns the answers into frames."""

from __future__ import annotations

import collections
import os
import weakref
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, Iterator, Literal, Optional, Sequence

import numpy
from numpy.typing import NDArray

from . import _choice
from ._errors import DataError, OutsideError, UsageError
from ._formats import NATIVE, Pixels
from ._frames import VERDICTS, Frame, Times, Verdict
from ._memory import Buffer
from ._options import Options
from ._positions import Position, Seconds, exact_seconds, number_spacing, position_text, time_text
from ._session import Session, error_of
from ._sessions import Sessions
from ._source import Source
from ._transport import Answer, Item

Order = Literal["NHWC", "NCHW"]
_TIMES_CHUNK = 4096
# The maximum number of frames in a request. Its line stays far below the protocol's limit of 65,536 bytes.
_REQUEST_FRAMES = 2000
# The protocol's limit is 65,536 bytes.
_REQUEST_BYTES = 60_000


class Asking:
    """The base class of videos, without the public methods."""

    def __init__(self, source: Source, options: Options, *, is_lazy: bool = False) -> None:
        self._source = source
        self._path = source.name
        self._options = options
        self._pixels = options.pixels
        self._sessions = Sessions(source.name, lambda pixels: _start(source, options, pixels))
        self._finalizer = weakref.finalize(self, _end, self._sessions, source)
        self._hello: Optional[Answer] = None
        self._times: dict[int, NDArray[numpy.int64]] = {}
        self._facts: Optional[dict[str, Any]] = None
        if not is_lazy:
            try:
                self._first()
            except BaseException:
                # Release the session now, because the error's traceback keeps this object alive.
                self._finalizer()
                raise

    def _first(self) -> Answer:
        if self._hello is None:
            self._hello = self._sessions.get(self._pixels).hello
        return self._hello

    def _info(self) -> dict[str, Any]:
        if self._facts is None:
            self._facts = self._sessions.get(self._pixels).facts()
            self._facts["file"] = self._path
            self._facts.setdefault("warnings", [])
        return self._facts

    def _size(self) -> tuple[int, int]:
        """Returns the width and height of frames, or of the stream if the first frame cannot be decoded."""
        hello = self._first()
        if not hello.width and all(self._options.size):
            return self._options.size
        return hello.width or int(self._info()["width"]), hello.height or int(self._info()["height"])

    def _start_time(self) -> Fraction:
        return self._times_of(0).pts * self._first().time_base

    def _end_time(self) -> Fraction:
        """The container time at which the last frame ends."""
        first, last = self._times_of(0), self._times_of(self._first().frame - 1)
        return (first.pts + last.offset + last.duration) * self._first().time_base

    def _check_played(self, seconds: Seconds) -> None:
        """Raises an error if a container time is at or after the end of the last frame.

        Times before the first frame are checked later, when the position is looked up, because only that code can tell
        whether a time was rounded.
        """
        value = exact_seconds(seconds)
        if value is not None and value >= self._end_time():
            raise self._unplayed(f"{seconds} s is outside the film", "a time from")

    def _unplayed(self, what: str, kind: str) -> OutsideError:
        ends = f"{float(self._start_time())} s up to, but not including, {float(self._end_time())} s"
        return OutsideError(
            f"{what}: times go from {ends}", file=self._path, advice=f"use {kind} {ends}"
        )

    def _numbers_played(self, start: Seconds, stop: Seconds) -> range:
        """Returns the numbers of the frames on screen from one container time up to another."""
        begin, base, count = self._start_time(), self._first().time_base, self._first().frame
        texts = [time_text(time, begin) for time in (start, stop)]
        values = [exact_seconds(time) for time in (start, stop)]
        if values[0] is not None and values[1] is not None and values[1] < values[0]:
            raise self._unplayed(f"the range from {start} s to {stop} s runs backward", "a later stop, and times from")
        self._check_played(start)
        if values[1] is not None and values[1] > self._end_time() + base / 2:
            raise self._unplayed(f"the stop {stop} s is outside the film", "a stop from")
        is_end = values[1] is not None and values[1] >= self._end_time()
        places = [self._find(text) for text in (texts[:1] if is_end else texts)]
        if is_end:
            return range(places[0], count)
        first, last = places
        if values[1] is None:
            return range(first, last)
        if texts[0] == texts[1]:
            return range(0)
        # The frame at the stop is excluded if it starts there, within the limits of rounding.
        shown = values[1] - begin - self._times_of(last).offset * base
        # A range that is not empty always includes the frame on screen at its start.
        return range(first, max(first + 1, last + (1 if shown > self._slack(stop, last) else 0)))

    def _slack(self, seconds: Seconds, frame: int) -> Fraction:
        """Returns how long after a frame's start a number still counts as that start, because of rounding."""
        if isinstance(seconds, (Decimal, Rational)) and not isinstance(seconds, int):
            return Fraction(0)
        return max(self._first().time_base / 2 if self._times_of(frame).duration > 3 else Fraction(0), number_spacing(seconds) / 2)

    def _time_position(self, seconds: Seconds, start: Fraction = Fraction(0)) -> str:
        """Returns a time, counted from `start`, as a position in the program's syntax.

        A fraction is an exact instant, which the syntax cannot express. Therefore the result for a fraction is the
        number of the last frame that does not start after this instant.
        """
        text = time_text(seconds, start)
        if not isinstance(seconds, Rational) or isinstance(seconds, (int, numpy.integer)):
            return text
        number, base = self._find(text), self._first().time_base
        while number and self._times_of(number).offset * base > Fraction(seconds) - start:
            number -= 1
        return f"f{number}"

    def _find(self, text: str) -> int:
        """Returns the number of the frame at a position."""
        if text[0] == "f" and text[1:].isdigit():
            return int(text[1:])
        return self._sessions.get(self._pixels).find(text)

    def _one(self, text: str) -> Frame:
        session = self._sessions.get(self._pixels)
        size = session.hello.byte_count
        pending = session.get([Item(text, session.transport.buffer(size) if size else None)])
        session.wait(pending)
        answer = pending.answers[0]
        assert answer is not None
        error = error_of(answer, self._path)
        if error is not None:
            raise error
        return self._frame(answer, None)

    def _answers(self, positions: Sequence[Position], pixels: Pixels, isolate: bool) -> list[Optional[Answer]]:
        """Returns the answers in the order of `positions`.

        isolate: whether the answer for a frame that cannot be decoded is None. Otherwise the frame's error is raised.
        """
        count = self._first().frame
        texts = [position_text(position, count) for position in positions]
        session = self._sessions.get(pixels)
        size = session.hello.byte_count
        answers: list[Optional[Answer]] = [None] * len(texts)
        for part in _parts(texts):
            items = [Item(texts[i], session.transport.buffer(size) if size else None) for i in part]
            pending = session.get(items)
            session.wait(pending)
            for place, answer in zip(part, pending.answers):
                answers[place] = answer
        for place, answer in enumerate(answers):
            assert answer is not None
            error = error_of(answer, self._path)
            if error is not None and not (isolate and isinstance(error, DataError)):
                raise error
            if error is not None:
                answers[place] = None
        return answers

    def _row(self, numbers: range, isolate: bool, copy: Optional[bool]) -> Iterator[Optional[Frame]]:
        """Yields frames, and requests only a few frames ahead to limit how many are in memory."""
        session = self._sessions.get(self._pixels)
        size = session.hello.byte_count
        waiting: collections.deque[Any] = collections.deque()
        asked = done = 0
        while done < len(numbers):
            if session.process != os.getpid():
                session = self._sessions.get(self._pixels)
                waiting.clear()
                asked = done
            while asked < len(numbers) and len(waiting) <= self._options.ahead:
                # Load the frame's times before requesting it, because answers arrive in the order of the requests.
                self._times_of(numbers[asked])
                item = Item(f"f{numbers[asked]}", session.transport.buffer(size) if size else None)
                waiting.append(session.get([item]))
                asked += 1
            pending = waiting.popleft()
            session.wait(pending)
            answer = pending.answers[0]
            del pending
            error = error_of(answer, self._path)
            done += 1
            if error is None:
                frame = self._frame(answer, copy)
                # Only the caller references the yielded frame, so its memory is reused as soon as the caller drops it.
                del answer
                yield frame
                del frame
            elif isolate and isinstance(error, DataError):
                yield None
            else:
                raise error

    def _batch(
        self, positions: Sequence[Position], order: Order, out: Optional[NDArray[Any]]
    ) -> tuple[NDArray[Any], list[Answer]]:
        if order not in ("NHWC", "NCHW"):
            raise UsageError(f"dimension_order must be 'NHWC' or 'NCHW', not {order!r}")
        count = self._first().frame
        texts = [position_text(position, count) for position in positions]
        session = self._sessions.get(self._pixels)
        width, height = self._size()
        kind, channels = self._pixels.kind, self._pixels.channels
        size = width * height * channels * kind.itemsize
        shape = (len(texts), height, width, channels) if order == "NHWC" else (len(texts), channels, height, width)
        if out is not None and (out.dtype != kind or out.shape != shape or not out.flags.writeable):
            raise UsageError(f"out is a {out.dtype} array of shape {out.shape}, but must be a writable {kind} array of shape {shape}")
        # The library writes directly into any memory, and the program only into the shared memory.
        is_direct = out is not None and order == "NHWC" and out.flags.c_contiguous
        needs_shared = bool(texts) and session.hello.byte_count == size
        if is_direct and session.transport.name == "library":
            needs_shared = False
        shared = session.transport.buffer(len(texts) * size) if needs_shared else None
        is_in_place = is_direct and shared is None
        if shared is not None and shared.place is not None:
            rows = shared.array.reshape(len(texts), size)
            buffers = [Buffer(row, shared.place + size * i) for i, row in enumerate(rows)]
        elif out is not None and is_in_place:
            rows = out.view(numpy.uint8).reshape(len(texts), size)
            buffers = [Buffer(row, None) for row in rows]
        else:
            rows = numpy.empty((len(texts), size), numpy.uint8)
            buffers = [Buffer(row, None) for row in rows]
        answers: list[Optional[Answer]] = [None] * len(texts)
        for part in _parts(texts):
            pending = session.get([Item(texts[i], buffers[i]) for i in part])
            session.wait(pending)
            for place, answer in zip(part, pending.answers):
                answers[place] = answer
        told: list[Answer] = []
        for answer in answers:
            assert answer is not None
            error = error_of(answer, self._path)
            if error is not None:
                raise error
            if (answer.width, answer.height) != (width, height):
                raise UsageError(
                    f"frame {answer.frame} has {answer.width}x{answer.height} pixels, but other frames have {width}x{height}: "
                    "one array cannot contain both sizes (use frames())",
                    file=self._path,
                    advice="use frames()",
                    frame=answer.frame,
                )
            told.append(answer._replace(data=None))
        pictures = rows.view(kind).reshape(len(texts), height, width, channels)
        made = pictures if order == "NHWC" else pictures.transpose(0, 3, 1, 2)
        if out is None:
            return made, told
        if not is_in_place:
            numpy.copyto(out, made)
        return out, told

    def _frame(self, answer: Answer, copy: Optional[bool]) -> Frame:
        assert answer.data is not None
        owns = self._options.copy if copy is None else copy
        samples = (answer.data.copy() if owns else answer.data).view(self._pixels.kind)
        array = samples.reshape(answer.height, answer.width, self._pixels.channels)
        array.flags.writeable = owns
        return Frame(array, *self._told(answer))

    def _told(self, answer: Answer) -> tuple[int, Fraction, Times, Verdict, str]:
        verdict = VERDICTS[answer.status] if answer.status < len(VERDICTS) else VERDICTS[-1]
        return answer.frame, answer.time_base, self._times_of(answer.frame), verdict, answer.text

    def _times_of(self, number: int) -> Times:
        chunk, row = divmod(number, _TIMES_CHUNK)
        table = self._times.get(chunk)
        if table is None:
            first = chunk * _TIMES_CHUNK
            table = self._sessions.get(self._pixels).times(first, min(_TIMES_CHUNK, self._first().frame - first))
            self._times[chunk] = table
        pts, offset, duration, _ = table[row].tolist()
        return Times(pts, offset, duration)

    def _column(self, column: int) -> NDArray[numpy.int64]:
        """Returns one value for each frame.

        column: 0, the presentation time in the container; 1, the time after the first frame; 2, the duration; 3,
            whether the container marks the frame as a key frame.
        """
        count = self._first().frame
        for first in range(0, count, _TIMES_CHUNK):
            self._times_of(first)
        made = numpy.concatenate([self._times[chunk][:, column] for chunk in range(-(-count // _TIMES_CHUNK))])
        made.flags.writeable = False
        return made


def _start(source: Source, options: Options, pixels: Pixels) -> Session:
    return Session(_choice.start(source, options, pixels), source.name)


def _end(sessions: Sessions, source: Source) -> None:
    sessions.close()
    source.close()


def _parts(texts: Sequence[str]) -> Iterator[list[int]]:
    """Divides positions into requests, and yields the indices of each request's positions.

    If a list of frame numbers is too long for one request, the frames are requested in display order, so that each
    group is decoded once.
    """
    order = list(range(len(texts)))
    if len(texts) > _REQUEST_FRAMES and all(text[0] == "f" and text[1:].isdigit() for text in texts):
        order.sort(key=lambda i: int(texts[i][1:]))
    part: list[int] = []
    size = 0
    for place in order:
        # Including the offset in the shared memory, the at sign and a space.
        length = len(texts[place].encode()) + 22
        if part and (size + length > _REQUEST_BYTES or len(part) == _REQUEST_FRAMES):
            yield part
            part, size = [], 0
        part.append(place)
        size += length
    if part:
        yield part
