"""A video opened with the C library, for use by one thread. Requests become calls, and results become answers."""

from __future__ import annotations

import collections
import ctypes
import os
from ctypes import byref, c_int64, c_size_t, c_void_p
from fractions import Fraction
from typing import Literal, Optional, Sequence

import numpy
from numpy.typing import NDArray

from . import _library
from ._errors import CancelledError, DataError, Error, UsageError
from ._formats import Pixels
from ._library import COptions, CPicture, Library
from ._memory import Buffer
from ._options import Options
from ._program_transport import ProgramTransport, start_program
from ._source import Source
from ._transport import ERROR, FACTS, HELLO, PICTURE, TIMES, Answer, Item, Request

# The size of scrub_picture.reason in bytes. A longer text is truncated between two characters.
_REASON_BYTES = 236
_DAMAGED = 1
# The beginning of a frame's reason if the library may have missed a message from the decoder.
_DEAF = "the program's own av_log callback takes its messages"

Shape = tuple[tuple[int, int], ...]


class Engine:
    """All methods except `close` must be called on one thread. `close` ends a call that is in progress."""

    def __init__(self, library: Library, source: Source, options: Options, pixels: Pixels) -> None:
        self._library, self._source, self._options = library, source, options
        self._file = source.name
        self._layout = pixels.layout
        self._video: Optional[int] = None
        self._has_closed = False
        self._time_base = Fraction(1)
        self._count = 0
        self._shape: Shape = ()
        self._relay: Optional[ProgramTransport] = None
        self._pixels = pixels

    @property
    def name(self) -> Literal["library", "program"]:
        return "program" if self._relay else "library"

    def open(self) -> Answer:
        """Opens the video and decodes the first frame, because the shape of pictures is not certain before that."""
        video = c_void_p()
        options = opening_options(self._options, self._source)
        # Keep the callback alive until the call ends.
        progress = _library.PROGRESS(lambda *_: 1 if self._has_closed else 0)
        options.progress = ctypes.cast(progress, c_void_p)
        self._library.call(self._file, "scrub_open", os.fsencode(self._source.path), byref(options), byref(video))
        self._video = video.value
        self._library.call(self._file, "scrub_set_progress", self._video, None, None)
        if self._has_closed:
            self.close()
        self._count, self._time_base = self._library.length(self._file, self._video)
        picture = CPicture()
        self._want(picture)
        try:
            self._library.call(self._file, "scrub_read", self._video, 0, byref(picture))
            self._shape = _shape(picture)
        except DataError:
            pass
        answer = self._answer(HELLO, 0, -1, picture if self._shape else None)
        return answer._replace(frame=self._count)

    def close(self) -> None:
        """Closes the video. Any thread may call this, even more than once: a closed handle is not used again."""
        self._has_closed = True
        video, self._video = self._video, None
        if video is not None:
            self._library.functions.scrub_close(video)
        if self._relay is not None:
            self._relay.stop()

    def end(self) -> None:
        """Closes the video, and the program if it was started. No other call may be in progress."""
        self.close()
        if self._relay is not None:
            self._relay.close()

    def abandon(self) -> None:
        """Drops the handle in a forked child, because the handle belongs to the parent."""
        self._video = None
        if self._relay is not None:
            self._relay.abandon()

    def answers(self, request: Request, number: int) -> collections.deque[Answer]:
        """Returns all answers to a request."""
        try:
            if request.row is not None:
                made = [self._times(number, *request.row)]
            elif request.items:
                made = [] if self._relay else self._frames(number, request.items)
                if self._relay or any(_is_deaf(answer) for answer in made):
                    made = self._relayed(number, request.items) or made
            else:
                made = [self._facts(number)]
        except (CancelledError, _library.ForkedError):
            raise
        except Error as error:
            made = [self._complaint(number, -1, error)]
        if self._has_closed:
            raise CancelledError("the video was closed while it was being read", file=self._file)
        return collections.deque(made)

    def _relayed(self, number: int, items: Sequence[Item]) -> list[Answer]:
        """Returns the program's answers, or an empty list if there is no program.

        The program is used after another package has replaced FFmpeg's log callback. From then on, frames that are
        decoded in this process are not proven.
        """
        if self._relay is None:
            try:
                self._relay = start_program(self._source, self._options, self._pixels, 0)
            except Error:
                return []
        relay = self._relay
        own = Request([Item(item.position, item.buffer and Buffer(item.buffer.array, None)) for item in items])
        try:
            relay.request(own)
            return [relay.receive(own)._replace(request=number) for _ in items]
        except Error:
            # The next request restarts the program.
            self._relay = None
            relay.stop()
            relay.close()
            raise

    def _frames(self, request: int, items: Sequence[Item]) -> list[Answer]:
        made: list[Answer] = []
        asked: list[tuple[int, int, Item]] = []
        for place, item in enumerate(items):
            try:
                asked.append((place, self._number(item.position), item))
            except UsageError as error:
                made.append(self._complaint(request, place, error))
        pictures = (CPicture * len(asked))()
        targets = [self._prepare(picture, item.buffer) for picture, (_, _, item) in zip(pictures, asked)]
        numbers = (c_int64 * len(asked))(*(number for _, number, _ in asked))
        said = _library.CError(ctypes.sizeof(_library.CError))
        # A call for a single frame also prepares the frames near it. A call for several frames decodes each group of
        # pictures once.
        is_single = len(set(numbers)) == 1
        if asked and not is_single:
            functions = self._library.functions
            status = functions.scrub_read_many(self._video, numbers, len(asked), pictures, byref(said))
            self._check(status, said)
        is_said = True
        for picture, target, (place, number, item) in zip(pictures, targets, asked):
            if is_single:
                self._read(number, picture, said)
            made.append(self._taken(request, place, number, picture, target, item.buffer, said, is_said))
            # The call's message describes the first picture that failed.
            is_said = is_said and picture.status == _library.OK
        return made

    def _taken(
        self, request: int, place: int, number: int, picture: CPicture, target: NDArray[numpy.uint8],
        buffer: Optional[Buffer], said: _library.CError, is_said: bool,
    ) -> Answer:  # fmt: skip
        """Returns the answer for a picture that was read. Reads it again if it does not have the usual shape."""
        shape = _shape(picture)
        is_short = picture.status == _library.USAGE and shape and shape != self._shape
        if is_short or (picture.status == _library.OK and shape != self._shape):
            # The stream's shape has changed or was not known: read again with the right memory. The library still has
            # the decoded frame.
            size = _size(shape)
            target = buffer.array if buffer is not None and buffer.array.nbytes >= size else numpy.empty(size, numpy.uint8)
            picture.stride = (c_size_t * 4)()
            self._point(picture, target, shape)
            self._read(number, picture, said)
        if picture.status != _library.OK:
            return self._complaint(request, place, self._error(number, picture, said if is_said else None), number, picture.pts)
        answer = self._answer(PICTURE, request, place, picture)
        return answer._replace(data=target[: answer.byte_count])

    def _read(self, number: int, picture: CPicture, said: _library.CError) -> None:
        self._check(self._library.functions.scrub_read(self._video, number, byref(picture), byref(said)), said)

    def _check(self, status: int, said: _library.CError) -> None:
        """Raises an error if the whole call failed. Each picture has a separate status."""
        if status in (_library.CANCELLED, _library.FORKED) or self._has_closed:
            raise _library.failed(status or _library.CANCELLED, said.message.decode("utf-8", "replace"), self._file)

    def _error(self, number: int, picture: CPicture, said: Optional[_library.CError]) -> Error:
        text = bytes(picture.reason)
        if said is not None and len(text) >= _REASON_BYTES:
            text = bytes(said.message)
        sentence = text.decode("utf-8", "replace").removeprefix(f"{self._source.path}: ").removeprefix(f"frame {number}: ")
        return _library.failed(picture.status, sentence, self._file)

    def _want(self, picture: CPicture) -> None:
        picture.size, picture.layout = ctypes.sizeof(CPicture), self._layout
        if self._layout != _library.NATIVE:
            picture.flags = _library.RAW_GEOMETRY if self._options.raw_geometry else 0
            picture.want_width, picture.want_height = self._options.size

    def _prepare(self, picture: CPicture, buffer: Optional[Buffer]) -> NDArray[numpy.uint8]:
        """Assigns memory to a picture and returns it. The memory fits the usual shape if that shape is known."""
        self._want(picture)
        size = _size(self._shape)
        target = buffer.array if buffer is not None and buffer.array.nbytes >= size else numpy.empty(size, numpy.uint8)
        self._point(picture, target, self._shape)
        return target

    def _point(self, picture: CPicture, target: NDArray[numpy.uint8], shape: Shape) -> None:
        """Places the planes one after another in the memory."""
        place = target.ctypes.data
        for plane, (width, rows) in enumerate(shape):
            picture.data[plane], picture.capacity[plane] = place, width * rows
            place += width * rows

    def _number(self, position: str) -> int:
        digits = position[1:]
        if position[0] == "f" and digits.isascii() and digits.isdigit() and int(digits) < self._count:
            return int(digits)
        frame = c_int64()
        self._library.call(self._file, "scrub_find", self._video, position.encode(), 0, byref(frame))
        return frame.value

    def _times(self, request: int, position: str, count: int) -> Answer:
        first = self._number(position)
        # scrub_time has the time, the duration, and the key frame flag in the low half of its last 8 bytes.
        times = numpy.empty((count, 3), numpy.int64)
        offsets = numpy.empty(count, numpy.int64)
        self._library.call(self._file, "scrub_get_times", self._video, first, count, times.ctypes.data)
        self._library.call(self._file, "scrub_get_offsets", self._video, first, count, offsets.ctypes.data)
        table = numpy.column_stack((times[:, 0], offsets, times[:, 1], times[:, 2] & 1))
        data = table.reshape(-1).view(numpy.uint8)
        return self._answer(TIMES, request, 0, None)._replace(frame=first, data=data, byte_count=data.nbytes)

    def _facts(self, request: int) -> Answer:
        text, count = c_void_p(), c_size_t()
        self._library.call(self._file, "scrub_describe", self._video, byref(text), byref(count))
        try:
            json = ctypes.string_at(text, count.value).decode("utf-8", "replace") if text else ""
        finally:
            self._library.functions.scrub_free(text)
        return self._answer(FACTS, request, 0, None)._replace(text=json)

    def _answer(self, kind: int, request: int, item: int, picture: Optional[CPicture]) -> Answer:
        if picture is None:
            return Answer(kind, request, item, -1, 0, self._time_base, 0, 0, 0, "", (), "", 0, None)
        shape = _shape(picture)
        return Answer(
            kind, request, item, picture.frame, picture.pts, self._time_base, picture.verdict, picture.width, picture.height,
            picture.pixel_format.decode(), shape, picture.reason.decode("utf-8", "replace"), _size(shape), None,
        )  # fmt: skip

    def _complaint(self, request: int, item: int, error: Error, frame: int = -1, pts: int = 0) -> Answer:
        answer = self._answer(ERROR, request, item, None)
        return answer._replace(status=error.code, text=error.message, frame=frame, pts=pts, number=getattr(error, "errno", 0) or 0)


def _is_deaf(answer: Answer) -> bool:
    return answer.kind == PICTURE and answer.status == _DAMAGED and answer.text.startswith(_DEAF)


def _shape(picture: CPicture) -> Shape:
    return tuple((picture.row_bytes[plane], picture.rows[plane]) for plane in range(picture.planes))


def _size(shape: Shape) -> int:
    return sum(width * rows for width, rows in shape)


def opening_options(options: Options, source: Source) -> COptions:
    """Returns the library's options for opening a video."""
    # The library uses 0 and -1 for its defaults; in this package, None means the default. Bytes without a name cannot
    # be found in the cache later.
    flags = 0 if options.cache and source.is_named else _library.NO_CACHE
    stream = -1 if options.stream is None else options.stream
    return COptions(ctypes.sizeof(COptions), flags, stream, options.threads or 0)
