"""Sessions that follow a finger: they accept requests at any rate and always deliver the newest picture."""

from __future__ import annotations

import asyncio
import ctypes
import math
import operator
import os
import time
import weakref
from ctypes import byref, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, AsyncIterator, Iterator, Literal, NamedTuple, Optional, SupportsFloat, SupportsIndex, Union

import numpy
from numpy.typing import NDArray

from . import _library
from ._engine import opening_options
from ._errors import CancelledError, ClosedError, DataError, Error, UnavailableError, UsageError
from ._formats import FORMATS, Format, Size, checked_format, checked_size
from ._frames import FrameFacts, Times, Verdict, sample_type
from ._library import CImage, CMemory, CPicture, CPlanes, CSessionOptions, CUpdate, Library
from ._options import Options
from ._positions import Position, Seconds, position_text, time_text
from ._source import Source

Stage = Literal["nearest", "preview", "exact", "awaiting-memory", "failed"]
"""The kind of an update's picture: another frame's, the frame's at a reduced size, exact, or why there is none."""

ImageFormat = Literal["png", "jpeg", "webp", "avif"]
_STAGES: tuple[Stage, ...] = ("nearest", "preview", "exact", "awaiting-memory", "failed")
_VERDICTS: tuple[Verdict, ...] = ("exact", "damaged", "approximate")
_IMAGES = ("png", "jpeg", "webp", "avif")
# How many milliseconds a thread waits before it checks for signals, so that Ctrl-C ends a wait.
_SLICE = 100


class Memory(NamedTuple):
    """Bytes of pictures: the limit, those in use now, the most ever in use, and those that the program holds."""

    limit: int
    used: int
    peak: int
    held: int
    previews: int
    preview_bytes: int


class Resources:
    """Memory and decoders that several sessions share."""

    def __init__(self, memory: SupportsIndex = 256 << 20, decoders: SupportsIndex = 4, *, library: Optional[str] = None) -> None:
        """memory: bytes of all pictures. decoders: how many may be open at any one time. library: as for `open`."""
        self._library = _library.find_library(library or os.environ.get("SCRUB_LIBRARY") or None)
        handle = c_void_p()
        self._library.call("", "scrub_resources_open", _number("memory", memory, 1), _number("decoders", decoders, 1, 1024), byref(handle))
        self._handle = handle.value
        self._finalizer = weakref.finalize(self, self._library.functions.scrub_resources_close, self._handle)

    @property
    def memory(self) -> Memory:
        """The memory use."""
        return _memory(self._library, "", "scrub_resources_get_memory", self._handle)

    def close(self) -> None:
        """Closes the resources; sessions that use them retain them."""
        self._finalizer()


class Planes:
    """The decoder's own planes of a picture, without a copy. Views of them keep the picture in memory."""

    def __init__(self, library: Library, owner: _Reference, file: str) -> None:
        said = CPlanes(ctypes.sizeof(CPlanes))
        library.call(file, "scrub_pixel_buffer_get_planes", owner.handle, byref(said))
        self.width, self.height = said.width, said.height
        self.pixel_format = said.pixel_format.decode()
        kind = sample_type(self.pixel_format)
        planes: list[NDArray[Any]] = []
        for number in range(said.planes):
            rows, row, stride = said.rows[number], said.row_bytes[number], said.stride[number]
            bytes_ = _Lent(owner, said.data[number], rows, row, stride).array
            planes.append(bytes_.view(kind) if row % kind.itemsize == 0 and stride % kind.itemsize == 0 else bytes_)
        self.arrays = tuple(planes)


class _Reference:
    """The only reference to one of the library's pictures. It is released with this object."""

    __slots__ = ("_release", "handle")

    def __init__(self, library: Library, handle: int) -> None:
        self._release, self.handle = library.functions.scrub_pixel_buffer_release, handle

    def __del__(self) -> None:
        self._release(self.handle)


class _Taken:
    """Receives an update from a call. A picture without an owner is released, for example after Ctrl-C."""

    def __init__(self, library: Library) -> None:
        self._library, self.update = library, CUpdate(ctypes.sizeof(CUpdate))

    def picture(self) -> Optional[_Reference]:
        """Returns the picture's owner the first time only."""
        handle, self.update.picture = self.update.picture, None
        return None if handle is None else _Reference(self._library, handle)

    def __del__(self) -> None:
        self.picture()


class _Lent:
    """The object that a plane's views reference."""

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
    """An update from a session: a picture, or why there is none.

    number: the frame that the picture shows; -1 if the request failed.
    requested: the frame that was requested. request: the number of the request.
    stage: `"nearest"`, another frame's picture; `"preview"`, the frame at a reduced size; `"exact"`; `"awaiting-memory"`
        if the program holds too many pictures; `"failed"`.
    is_final: whether this is the last update for the request. error: why it failed, if it did.
    latency: seconds from the request to the picture. skipped: updates that this one replaced.

    The picture counts against the session's memory until `close()`, the end of a `with`, or the end of this object and of
    the arrays of `planes`.
    """

    __slots__ = (
        "request", "requested", "stage", "latency", "skipped", "is_reduced", "is_final", "error", "_library", "_file",
        "_picture", "_session",
    )  # fmt: skip

    def __init__(self, session: Session, said: CUpdate, picture: Optional[_Reference]) -> None:
        reason = said.reason.decode("utf-8", "replace")
        verdict: Verdict = _VERDICTS[said.verdict] if said.verdict < len(_VERDICTS) else "damaged"
        super().__init__(said.frame, session.time_base, Times(said.pts, said.offset, said.duration), verdict, reason)
        self._session, self._library, self._file, self._picture = session, session._library, session._file, picture
        self.request, self.requested = said.request, said.requested_frame
        self.stage: Stage = _STAGES[said.stage - 1]
        self.latency, self.skipped = said.latency_ns / 1e9, said.skipped
        self.is_reduced, self.is_final = bool(said.is_reduced), bool(said.is_final)
        self.error: Optional[Error] = None
        if self.stage == "failed":
            self.error = _library.failed(said.status, reason, session._file, said.system_error)
        elif self.stage == "awaiting-memory":
            advice = "close updates"
            self.error = UnavailableError(f"the program holds too many pictures ({advice})", file=session._file, advice=advice)
        elif picture is None:
            self.error = DataError(reason, file=session._file, frame=said.frame)

    @property
    def has_picture(self) -> bool:
        """Whether there is a picture that is not closed."""
        return self._picture is not None

    @property
    def array(self) -> NDArray[Any]:
        """The picture in the video's format, and at its given size; without one, a preview is smaller.

        Each access makes a copy, which the caller owns. Raises `error` if there is no picture.
        """
        return self.array_as()

    def array_as(
        self, format: Optional[Format] = None, *, size: Size = None, out: Optional[NDArray[Any]] = None
    ) -> NDArray[Any]:
        """Returns the picture in another format or size; the values are as in `scrub.open`.

        out: an array of the right shape and type to write into, whose rows may have padding; it is returned.
        """
        pixels = FORMATS[checked_format(format)] if format else self._session._pixels
        picture = CPicture(ctypes.sizeof(CPicture), pixels.layout)
        picture.flags = self._session._flags
        picture.want_width, picture.want_height = checked_size(size) if size is not None else self._session._size
        self._call("scrub_pixel_buffer_copy", byref(picture))
        shape = (picture.height, picture.width, *([pixels.channels] if pixels.channels > 1 else []))
        if out is None:
            out = numpy.empty(shape, pixels.kind)
        elif out.shape != shape or out.dtype != pixels.kind or not out.flags.writeable or not _has_rows(out):
            raise UsageError(f"out must be a writable array of shape {shape} and type {pixels.kind} with contiguous rows")
        picture.data[0], picture.stride[0] = out.ctypes.data, out.strides[0]
        picture.capacity[0] = out.strides[0] * (shape[0] - 1) + picture.row_bytes[0]
        self._call("scrub_pixel_buffer_copy", byref(picture))
        return out

    @property
    def planes(self) -> Planes:
        """The decoder's own planes, without a copy and read-only."""
        return Planes(self._library, self._live(), self._file)

    def encode(self, format: ImageFormat = "png", *, width: int = 0, height: int = 0, quality: int = 0) -> bytes:
        """Returns the picture as the bytes of an image file, at most `width` by `height` pixels; 0 means no limit."""
        if format not in _IMAGES:
            raise UsageError(f"there is no image format {format!r}: use one of {', '.join(map(repr, _IMAGES))}")
        flags, sides = self._session._flags, [_number("a side", side, 0, 16384) for side in (width, height)]
        image = CImage(ctypes.sizeof(CImage), 1 + _IMAGES.index(format), flags, _number("quality", quality, 0, 100), *sides)
        found, count = c_void_p(), c_size_t()
        self._call("scrub_pixel_buffer_encode", byref(image), byref(found), byref(count))
        try:
            return ctypes.string_at(found, count.value)
        finally:
            self._library.functions.scrub_free(found)

    def close(self) -> None:
        """Releases the picture. Arrays stay as they are."""
        self._picture = None

    def __enter__(self) -> Update:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _live(self) -> _Reference:
        picture = self._picture
        if picture is None:
            raise (self.error and self.error.with_traceback(None)) or ClosedError("the update's picture was closed", file=self._file)
        return picture

    def _call(self, name: str, *words: Any) -> None:
        # Keep it while the call runs, even if another thread closes the update.
        picture = self._live()
        self._library.call(self._file, name, picture.handle, *words)

    def _repr_png_(self) -> Optional[bytes]:
        # Notebooks: no larger than a page.
        return self.encode("png", width=960) if self.has_picture else None

    def __repr__(self) -> str:
        return f"<scrub.Update frame {self.number} for {self.requested}, {self.stage}>"


class Session:
    """A session: `Video.session` or `scrub.session` creates it. Thread-safe; only `take` waits for the decoder.

    It has its own video, so it does not wait for calls with other videos. It needs the C library.
    """

    def __init__(
        self, library: Library, source: Source, options: Options, *, memory: int, resources: Optional[Resources],
        previews: bool, preview_side: int, keep_previews: bool, reduced_alone: bool, fine_speeds: bool, decoders: int,
    ) -> None:  # fmt: skip
        """Opens it. Does not decode anything yet."""
        self._library, self._file = library, source.name
        self._pixels, self._size = options.pixels, options.size
        self._flags = _library.RAW_GEOMETRY if options.raw_geometry else 0
        if resources is not None and resources._library is not library:
            raise UsageError("these resources belong to a different libscrub than the video (create them with library=)")
        opening = opening_options(options, source)
        opening.flags |= _library.KEEP_PREVIEWS if keep_previews else 0
        video, handle = c_void_p(), c_void_p()
        try:
            library.call(self._file, "scrub_open", os.fsencode(source.path), byref(opening), byref(video))
            self.frame_count, self.time_base = library.length(self._file, video)
            wanted = CSessionOptions(ctypes.sizeof(CSessionOptions))
            wanted.flags = (0 if previews else _library.NO_PREVIEWS) | (_library.FINE_SPEEDS if fine_speeds else 0)
            wanted.flags |= _library.REDUCED_ALONE if reduced_alone else 0
            wanted.resources = resources._handle if resources else None
            wanted.memory, wanted.threads = 0 if resources else _number("memory", memory, 1), options.threads or 0
            wanted.preview_side = _number("preview_side", preview_side, 0, 16384)
            wanted.decoders = _number("decoders", decoders, 0, 64)
            library.call(self._file, "scrub_session_open", video, byref(wanted), byref(handle))
        except BaseException:
            # Ctrl-C raises after a call has returned.
            library.functions.scrub_session_close(handle)
            raise
        finally:
            # A session keeps what it needs of its video.
            library.functions.scrub_close(video)
        self._handle = handle.value
        self._finalizer = weakref.finalize(self, library.functions.scrub_session_close, self._handle)

    # Requests

    def request(
        self,
        position: Union[Position, float, None] = None,
        *,
        fraction: Optional[SupportsFloat] = None,
        seconds: Optional[Seconds] = None,
        resting: bool = False,
    ) -> int:
        """Requests a frame, which replaces the previous request, and returns the request's number. Does not wait.

        position: a frame's number, a string such as `"42%"` or `"12.5s"`, or a `float`, which is a fraction here: 0.42 is
            where a slider at 42% is.
        fraction: of the film. seconds: a time as for `Video.at`. Outside the film it means the nearest end.
        resting: the exact picture follows even if there is a preview, as after `rest()`.
        """
        given = [value for value in (position, fraction, seconds) if value is not None]
        if len(given) != 1:
            raise UsageError("pass exactly one of a position, fraction= and seconds=")
        flags, number = _library.RESTING if resting else 0, c_uint64()
        if isinstance(position, float):
            fraction = position
        if fraction is not None:
            self._call("scrub_session_request_fraction", float(fraction), flags, None, byref(number))
        else:
            text = time_text(seconds) if seconds is not None else position_text(position, self.frame_count)  # type: ignore[arg-type]
            self._call("scrub_session_request_at", text.encode(), flags, None, byref(number))
        return number.value

    def rest(self) -> None:
        """Tells the session that the finger rests on the last requested frame, whose exact picture then follows."""
        self._call("scrub_session_rest")

    def cancel(self, request: int = 0) -> None:
        """Cancels a request, by default the newest, unless there is a newer one."""
        self._call("scrub_session_cancel", _number("request", request, 0))

    def began(self, position: Optional[Position] = None) -> int:
        """Begins a gesture at a position; by default at the last requested frame. Returns the request's number."""
        text = None if position is None else position_text(position, self.frame_count).encode()
        number = c_uint64()
        self._call("scrub_session_began", text, byref(number))
        return number.value

    def moved(self, x: float, y: float = 0, *, width: float) -> Optional[int]:
        """Moves the finger to a distance from where the gesture began; `width` is the distance for the whole film.

        Returns the frame under the finger; None before a gesture has begun.
        """
        frame = c_int64()
        self._call("scrub_session_moved", x, y, width, byref(frame), None)
        return frame.value if frame.value >= 0 else None

    def ended(self, *, returns: bool = False) -> int:
        """Ends the gesture. returns: whether the playhead goes back to where it began.

        Returns the number of the request whose exact picture follows; 0 if there was none.
        """
        number = c_uint64()
        self._call("scrub_session_ended", _library.RETURN if returns else 0, byref(number))
        return number.value

    # Pictures

    def take(self, timeout: Optional[float] = None) -> Optional[Update]:
        """Returns the newest update that has not been taken, or None after `timeout` seconds. A timeout of None means
        no limit; 0 does not wait.

        Raises CancelledError if the session is closed in the meantime.
        """
        for wait in _waits(timeout):
            said = _Taken(self._library)
            self._call("scrub_session_take", wait, byref(said.update))
            if said.update.stage:
                return Update(self, said.update, said.picture())
        return None

    def updates(self) -> Iterator[Update]:
        """Yields the newest update each time, until the session is closed. Close or drop each update."""
        while True:
            try:
                update = self.take()
            except ClosedError:
                return
            if update is not None:
                yield update
                # The caller's copy is the only one.
                del update

    async def __aiter__(self) -> AsyncIterator[Update]:
        """The same, for asyncio."""
        while True:
            try:
                update = self.take(0)
                if update is None:
                    await self._news()
            except ClosedError:
                return
            if update is not None:
                yield update
            del update

    async def _news(self) -> None:
        """Waits until there is something to take, or the session is closed."""
        loop = asyncio.get_running_loop()
        # A copy: it stays open, and becomes readable, when the session is closed.
        copy = os.dup(self.fileno())
        try:
            ready = asyncio.Event()
            loop.add_reader(copy, ready.set)
            try:
                await ready.wait()
            finally:
                loop.remove_reader(copy)
        except NotImplementedError:
            # An event loop without descriptors, as in some user interfaces.
            await asyncio.sleep(0.005)
        finally:
            os.close(copy)

    def fileno(self) -> int:
        """A descriptor that is readable exactly while `take(0)` would return an update: for select, QSocketNotifier and GLib.

        Never read from it and never close it.
        """
        number = c_int32()
        self._call("scrub_session_get_descriptor", byref(number))
        return number.value

    # Its state

    def prepare_previews(self, around: SupportsIndex = 0, timeout: Optional[float] = None) -> bool:
        """Makes the previews around a frame and waits for them, at most `timeout` seconds. Returns whether they are ready."""
        frame, done = _number("around", around, 0), c_int32()
        for wait in _waits(timeout):
            self._call("scrub_session_prepare_previews", frame, wait, byref(done))
            if done.value:
                return True
        return False

    @property
    def memory(self) -> Memory:
        """The session's memory use."""
        if not self._finalizer.alive:
            raise ClosedError("the session was closed", file=self._file)
        return _memory(self._library, self._file, "scrub_session_get_memory", self._handle)

    def close(self) -> None:
        """Closes the session. A waiting `take` raises CancelledError. Updates that the program holds stay as they are."""
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
            # Another thread may have closed it in the meantime.
            if self._finalizer.alive or isinstance(error, ClosedError):
                raise
            raise CancelledError("the session was closed", file=self._file) from None


def _memory(library: Library, file: str, name: str, handle: Optional[int]) -> Memory:
    said = CMemory(ctypes.sizeof(CMemory))
    library.call(file, name, handle, byref(said))
    return Memory(said.limit, said.used, said.peak, said.held, said.previews, said.preview_bytes)


def _has_rows(array: NDArray[Any]) -> bool:
    """Whether each row of an array is contiguous and rows do not overlap."""
    row = array[0] if len(array) else array
    return bool(row.flags.c_contiguous) and array.strides[0] >= row.nbytes


def _number(name: str, value: SupportsIndex, least: int, most: int = (1 << 63) - 1) -> int:
    number = operator.index(value)
    if not least <= number <= most:
        raise UsageError(f"{name} is {number}: use {least} to {most}")
    return number


def _waits(timeout: Optional[float]) -> Iterator[int]:
    """Yields each call's wait in milliseconds, at least one, until `timeout` seconds have passed; None means no limit."""
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    while True:
        yield round(min(_SLICE, max(0, (deadline - time.monotonic()) * 1000)))
        if time.monotonic() >= deadline:
            return
