"""Sessions that answer a finger: requests at any rate, and the newest picture of each."""

from __future__ import annotations

import asyncio
import ctypes
import os
import time
import weakref
from ctypes import byref, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from fractions import Fraction
from typing import Any, AsyncIterator, Iterator, Literal, NamedTuple, Optional, SupportsFloat, SupportsIndex, Union

import numpy
from numpy.typing import NDArray

from . import _library
from ._errors import CancelledError, ClosedError, Error, UsageError
from ._formats import FORMATS, Format, Size, checked_format, checked_size
from ._frames import FrameFacts, Times, Verdict, sample_type
from ._library import CImage, CMemory, COptions, CPicture, CPlanes, CSessionOptions, CUpdate, Library
from ._options import Options
from ._positions import Position, position_text
from ._source import Source

Stage = Literal["nearest", "preview", "exact", "awaiting-memory", "failed"]
"""What an update's picture is: another frame's, the frame's at a reduced size, the frame's own; or why there is none."""

ImageFormat = Literal["png", "jpeg", "webp", "avif"]
_STAGES: tuple[Stage, ...] = ("nearest", "preview", "exact", "awaiting-memory", "failed")
_VERDICTS: tuple[Verdict, ...] = ("exact", "damaged", "approximate")
_IMAGES = ("png", "jpeg", "webp", "avif")
# How long a thread waits before it looks for signals: Ctrl-C ends a wait as soon.
_SLICE = 100


class Memory(NamedTuple):
    """Bytes of pictures: the most, those in use now, the most that ever were, and those that the program holds."""

    limit: int
    used: int
    peak: int
    held: int
    previews: int
    preview_bytes: int


class Resources:
    """Memory and decoders that several sessions share."""

    def __init__(self, memory: SupportsIndex = 256 << 20, decoders: SupportsIndex = 4, *, library: Optional[str] = None) -> None:
        """memory: bytes of all pictures together. decoders: how many are open at a time."""
        self._library = _library.find_library(library or os.environ.get("SCRUB_LIBRARY") or None)
        handle = c_void_p()
        self._library.call("", "scrub_resources_open", _positive("memory", memory), _positive("decoders", decoders), byref(handle))
        self._handle = handle.value
        self._finalizer = weakref.finalize(self, self._library.functions.scrub_resources_close, self._handle)

    @property
    def memory(self) -> Memory:
        """What is in use of it."""
        return _memory(self._library, "", "scrub_resources_get_memory", self._handle)

    def close(self) -> None:
        """Gives it back; sessions keep theirs."""
        self._finalizer()


class Planes:
    """The decoder's own planes of a picture, without a copy. Views of them keep the picture's memory."""

    def __init__(self, library: Library, handle: int, file: str) -> None:
        said = CPlanes(ctypes.sizeof(CPlanes))
        library.call(file, "scrub_pixel_buffer_get_planes", handle, byref(said))
        self.width, self.height = said.width, said.height
        self.pixel_format = said.pixel_format.decode()
        kind = sample_type(self.pixel_format)
        owner = _Reference(library, handle)
        planes: list[NDArray[Any]] = []
        for number in range(said.planes):
            rows, row, stride = said.rows[number], said.row_bytes[number], said.stride[number]
            bytes_ = _Lent(owner, said.data[number], rows, row, stride).array
            planes.append(bytes_.view(kind) if row % kind.itemsize == 0 and stride % kind.itemsize == 0 else bytes_)
        self.arrays = tuple(planes)


class _Reference:
    """A reference to a picture of the library, which is released with this object."""

    __slots__ = ("_release", "handle", "_process")

    def __init__(self, library: Library, handle: int) -> None:
        library.functions.scrub_pixel_buffer_retain(handle)
        self._release, self.handle, self._process = library.functions.scrub_pixel_buffer_release, handle, os.getpid()

    def __del__(self) -> None:
        self._release(self.handle)


class _Lent:
    """What the views of a plane refer to."""

    __slots__ = ("_owner", "__array_interface__")

    def __init__(self, owner: _Reference, address: int, rows: int, row: int, stride: int) -> None:
        self._owner = owner
        self.__array_interface__ = {
            "data": (address, True), "shape": (rows, row), "strides": (stride, 1), "typestr": "|u1", "version": 3,
        }  # fmt: skip

    @property
    def array(self) -> NDArray[numpy.uint8]:
        return numpy.asarray(self)


class Update(FrameFacts):
    """What a session has to say: a picture, or why there is none.

    number: the frame that the picture shows; -1 if the request failed.
    requested: the frame that was requested. request: the number of the request.
    stage: `"nearest"`, another frame's picture; `"preview"`, the frame at a reduced size; `"exact"`; `"awaiting-memory"`
        if the program holds too many pictures; `"failed"`.
    latency: seconds from the request to the picture. skipped: updates that this one replaced.

    The picture counts against the session's memory until `close()`, the end of a `with`, or the end of this object.
    """

    __slots__ = (
        "request", "requested", "stage", "latency", "skipped", "is_reduced", "error", "_library", "_file", "_handle", "_session",
    )  # fmt: skip

    def __init__(self, session: Session, said: CUpdate) -> None:
        reason = said.reason.decode("utf-8", "replace")
        verdict: Verdict = _VERDICTS[said.verdict] if said.verdict < len(_VERDICTS) else "damaged"
        super().__init__(said.frame, session.time_base, Times(said.pts, said.offset, said.duration), verdict, reason)
        self._session, self._library, self._file, self._handle = session, session._library, session._file, said.picture
        self.request, self.requested = said.request, said.requested_frame
        self.stage: Stage = _STAGES[said.stage - 1]
        self.latency, self.skipped, self.is_reduced = said.latency_ns / 1e9, said.skipped, bool(said.is_reduced)
        self.error: Optional[Error] = _library.failed(said.status, reason, session._file) if self.stage == "failed" else None

    @property
    def has_picture(self) -> bool:
        """Whether there is a picture that was not closed."""
        return self._handle is not None

    @property
    def array(self) -> NDArray[Any]:
        """The picture in the format and the size of the video's frames; a copy of the caller's own, made anew each time."""
        return self.array_as()

    def array_as(
        self, format: Optional[Format] = None, *, size: Size = None, out: Optional[NDArray[Any]] = None
    ) -> NDArray[Any]:
        """Returns the picture in another format or size, as those of `scrub.open`.

        out: an array of the right shape and type to write into, whose rows may have padding; it is returned.
        """
        pixels = FORMATS[checked_format(format)] if format else self._session._pixels
        picture = CPicture(ctypes.sizeof(CPicture), pixels.layout)
        picture.want_width, picture.want_height = checked_size(size) if size is not None else self._session._size
        self._call("scrub_pixel_buffer_copy", byref(picture))
        shape = (picture.height, picture.width, *([pixels.channels] if pixels.channels > 1 else []))
        if out is None:
            out = numpy.empty(shape, pixels.kind)
        elif out.shape != shape or out.dtype != pixels.kind or not out.flags.writeable or not _has_rows(out):
            raise UsageError(f"out is to be a writable array of {shape} and {pixels.kind}, each row in one piece")
        picture.data[0], picture.stride[0] = out.ctypes.data, out.strides[0]
        picture.capacity[0] = out.strides[0] * (shape[0] - 1) + picture.row_bytes[0]
        self._call("scrub_pixel_buffer_copy", byref(picture))
        return out

    @property
    def planes(self) -> Planes:
        """The decoder's own planes, without a copy and read-only."""
        return Planes(self._library, self._live(), self._file)

    def encode(self, format: ImageFormat = "png", *, width: int = 0, height: int = 0, quality: int = 0) -> bytes:
        """Returns the picture as the bytes of an image file, at most `width` by `height` pixels; 0 is no limit."""
        if format not in _IMAGES:
            raise UsageError(f"there is no image format {format!r}: take one of {', '.join(map(repr, _IMAGES))}")
        image = CImage(ctypes.sizeof(CImage), 1 + _IMAGES.index(format), 0, quality, width, height)
        found, count = c_void_p(), c_size_t()
        self._call("scrub_pixel_buffer_encode", byref(image), byref(found), byref(count))
        try:
            return ctypes.string_at(found, count.value)
        finally:
            self._library.functions.scrub_free(found)

    def close(self) -> None:
        """Releases the picture. Arrays stay as they are."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._library.functions.scrub_pixel_buffer_release(handle)

    def __enter__(self) -> Update:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _live(self) -> int:
        if self._handle is None:
            raise ClosedError(self.reason or "the update's picture was closed, or there is none", file=self._file)
        return int(self._handle)

    def _call(self, name: str, *words: Any) -> None:
        self._library.call(self._file, name, self._live(), *words)

    def _repr_png_(self) -> Optional[bytes]:
        # Notebooks: no larger than a page.
        return self.encode("png", width=960) if self.has_picture else None

    def __repr__(self) -> str:
        return f"<scrub.Update frame {self.number} for {self.requested}, {self.stage}>"


class Session:
    """A session: `Video.session` or `scrub.session` makes it. Safe from any thread; no call waits for the decoder but `take`.

    It has a video of its own, so that nothing waits for the calls of others, and needs the C library.
    """

    def __init__(
        self, library: Library, source: Source, options: Options, *, memory: int, resources: Optional[Resources],
        previews: bool, preview_side: int, keep_previews: bool, reduced_alone: bool, fine_speeds: bool, decoders: int,
    ) -> None:  # fmt: skip
        """Opens it; nothing is decoded yet."""
        self._library, self._file = library, source.name
        self._pixels, self._size = options.pixels, options.size
        flags = 0 if options.cache and source.is_named else _library.NO_CACHE
        flags |= _library.KEEP_PREVIEWS if keep_previews else 0
        stream = -1 if options.stream is None else options.stream
        opening = COptions(ctypes.sizeof(COptions), flags, stream, options.threads or 0)
        video, handle = c_void_p(), c_void_p()
        library.call(self._file, "scrub_open", os.fsencode(source.path), byref(opening), byref(video))
        try:
            count, numerator, denominator = c_int64(), c_int64(), c_int64()
            library.call(self._file, "scrub_get_length", video, byref(count), byref(numerator), byref(denominator))
            wanted = CSessionOptions(ctypes.sizeof(CSessionOptions))
            wanted.flags = (0 if previews else _library.NO_PREVIEWS) | (_library.FINE_SPEEDS if fine_speeds else 0)
            wanted.flags |= _library.REDUCED_ALONE if reduced_alone else 0
            wanted.resources = resources._handle if resources else None
            wanted.memory, wanted.threads = memory, options.threads or 0
            wanted.preview_side, wanted.decoders = preview_side, decoders
            library.call(self._file, "scrub_session_open", video, byref(wanted), byref(handle))
        finally:
            # A session keeps what it needs of its video.
            library.functions.scrub_close(video)
        self.frame_count, self.time_base = count.value, Fraction(numerator.value, denominator.value)
        self._handle = handle.value
        self._finalizer = weakref.finalize(self, library.functions.scrub_session_close, self._handle)

    # Requests

    def request(
        self,
        position: Union[Position, float, None] = None,
        *,
        fraction: Optional[SupportsFloat] = None,
        seconds: Optional[SupportsFloat] = None,
        resting: bool = False,
    ) -> int:
        """Requests a frame, in place of the request before, and returns the request's number. Waits for nothing.

        position: a frame's number, a text such as `"42%"` or `"12.5s"`, or a `float`, which is a fraction here: 0.42 is
            where a slider at 42% is.
        fraction, seconds: the same by name: of the film, and after its first frame. Outside of it, it is the nearest end.
        resting: the exact picture comes also where there is a preview, as after `rest()`.
        """
        given = [value for value in (position, fraction, seconds) if value is not None]
        if len(given) != 1:
            raise UsageError("give one of a position, fraction= and seconds=")
        flags, number = _library.RESTING if resting else 0, c_uint64()
        if isinstance(position, float):
            fraction = position
        if fraction is not None:
            self._call("scrub_session_request_fraction", float(fraction), flags, None, byref(number))
        elif seconds is not None:
            self._call("scrub_session_request_seconds", float(seconds), flags, None, byref(number))
        else:
            text = position_text(position, self.frame_count)  # type: ignore[arg-type]
            self._call("scrub_session_request_at", text.encode(), flags, None, byref(number))
        return number.value

    def rest(self) -> None:
        """Says that the finger rests on the frame requested last: its exact picture comes."""
        self._call("scrub_session_rest")

    def cancel(self, request: int = 0) -> None:
        """Gives up a request, unless there is a newer one; by default the newest."""
        self._call("scrub_session_cancel", request)

    def began(self, position: Optional[Position] = None) -> None:
        """Begins a gesture at a position; by default at the frame requested last."""
        text = None if position is None else position_text(position, self.frame_count).encode()
        self._call("scrub_session_began", text)

    def moved(self, x: float, y: float = 0, *, width: float) -> Optional[int]:
        """Moves the finger to a distance from where the gesture began; `width` of them are the whole film.

        Returns the frame under it; None before a gesture began.
        """
        frame = c_int64()
        self._call("scrub_session_moved", x, y, width, byref(frame), None)
        return frame.value if frame.value >= 0 else None

    def ended(self, *, returns: bool = False) -> None:
        """Ends the gesture. returns: whether the playhead goes back to where it began."""
        self._call("scrub_session_ended", _library.RETURN if returns else 0)

    # Pictures

    def take(self, timeout: Optional[float] = None) -> Optional[Update]:
        """Returns the newest update that was not taken yet, or None after so many seconds; None for no limit, 0 to look.

        Raises CancelledError if the session is closed meanwhile.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE if deadline is None else min(_SLICE, max(0, round((deadline - time.monotonic()) * 1000)))
            said = CUpdate(ctypes.sizeof(CUpdate))
            self._call("scrub_session_take", left, byref(said))
            if said.stage:
                return Update(self, said)
            if deadline is not None and time.monotonic() >= deadline:
                return None

    def updates(self) -> Iterator[Update]:
        """Yields every newest update, until the session is closed. Close each, or let go of it."""
        while True:
            try:
                update = self.take()
            except ClosedError:
                return
            if update is not None:
                yield update

    async def __aiter__(self) -> AsyncIterator[Update]:
        """The same for asyncio; a thread waits meanwhile."""
        while True:
            try:
                update = await asyncio.get_running_loop().run_in_executor(None, self.take, _SLICE / 1000)
            except ClosedError:
                return
            if update is not None:
                yield update

    def fileno(self) -> int:
        """A descriptor that is readable exactly while `take(0)` has something: for select, QSocketNotifier and GLib.

        Never read from it and never close it.
        """
        number = c_int32()
        self._call("scrub_session_get_descriptor", byref(number))
        return number.value

    # Its state

    def prepare_previews(self, around: SupportsIndex = 0, timeout: Optional[float] = None) -> bool:
        """Makes the previews around a frame and waits for them, so many seconds at most. Returns whether they are there."""
        deadline = None if timeout is None else time.monotonic() + timeout
        done = c_int32()
        while True:
            left = _SLICE if deadline is None else min(_SLICE, max(0, round((deadline - time.monotonic()) * 1000)))
            self._call("scrub_session_prepare_previews", int(around), left, byref(done))
            if done.value or (deadline is not None and time.monotonic() >= deadline):
                return bool(done.value)

    @property
    def memory(self) -> Memory:
        """What is in use of its memory."""
        return _memory(self._library, self._file, "scrub_session_get_memory", self._handle)

    def close(self) -> None:
        """Ends it. A `take` that waits raises CancelledError. Updates that are held stay as they are."""
        self._finalizer()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, name: str, *words: Any) -> None:
        if not self._finalizer.alive:
            raise ClosedError("the session was closed", file=self._file)
        try:
            self._library.call(self._file, name, self._handle, *words)
        except UsageError as error:
            # Another thread may have closed it since.
            if self._finalizer.alive or isinstance(error, ClosedError):
                raise
            raise CancelledError("the session was closed", file=self._file) from None


def _memory(library: Library, file: str, name: str, handle: Optional[int]) -> Memory:
    said = CMemory(ctypes.sizeof(CMemory))
    library.call(file, name, handle, byref(said))
    return Memory(said.limit, said.used, said.peak, said.held, said.previews, said.preview_bytes)


def _has_rows(array: NDArray[Any]) -> bool:
    """Whether each row of an array lies in one piece, and rows do not overlap."""
    row = array[0] if len(array) else array
    return bool(row.flags.c_contiguous) and array.strides[0] >= row.nbytes


def _positive(name: str, value: SupportsIndex) -> int:
    number = value.__index__()
    if number < 1:
        raise UsageError(f"{name} is {number}: give 1 or more")
    return number
