"""Scrubbing sessions, which accept requests at any rate and always return the newest picture."""

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
"""What an update contains: the nearest available picture, a preview, the exact picture, or the reason why there is no
picture."""

ImageFormat = Literal["png", "jpeg", "webp", "avif"]
_STAGES: tuple[Stage, ...] = ("nearest", "preview", "exact", "awaiting-memory", "failed")
_VERDICTS: tuple[Verdict, ...] = ("exact", "damaged", "approximate")
_IMAGES = ("png", "jpeg", "webp", "avif")
# How many milliseconds a thread waits before it checks for signals, so that Ctrl-C ends a wait.
_SLICE = 100


class Memory(NamedTuple):
    """The memory for pictures, in bytes.

    limit: the maximum. used: the memory in use now. peak: the maximum of `used` so far. held: the memory of pictures
        that the caller holds.
    previews: the number of previews. preview_bytes: their size.
    """

    limit: int
    used: int
    peak: int
    held: int
    previews: int
    preview_bytes: int


class Resources:
    """Memory and decoders that several sessions share."""

    def __init__(self, memory: SupportsIndex = 256 << 20, decoders: SupportsIndex = 4, *, library: Optional[str] = None) -> None:
        """Creates shared resources.

        memory: the maximum number of bytes of all pictures. decoders: the maximum number of open decoders.
        library: as for `open`.
        """
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
        """Closes the resources. Sessions that use them are not affected."""
        self._finalizer()


class Planes:
    """The planes of a picture as the decoder wrote them, without a copy. Views of them keep the picture in memory."""

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
    """The only reference to one of the library's pictures. The picture is released with this object."""

    __slots__ = ("_release", "handle")

    def __init__(self, library: Library, handle: int) -> None:
        self._release, self.handle = library.functions.scrub_pixel_buffer_release, handle

    def __del__(self) -> None:
        self._release(self.handle)


class _Taken:
    """Receives an update from a call. A picture that is not passed on is released, for example after Ctrl-C."""

    def __init__(self, library: Library) -> None:
        self._library, self.update = library, CUpdate(ctypes.sizeof(CUpdate))

    def picture(self) -> Optional[_Reference]:
        """Returns a reference to the picture on the first call, and None afterwards."""
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
    """An update from a session: a picture, or the reason why there is none.

    number: the frame that the picture shows; -1 if the request failed.
    requested: the frame that was requested. request: the number of the request.
    stage: `"nearest"` for the picture of another frame; `"preview"` for a reduced picture of the requested frame;
        `"exact"` for the exact picture; `"awaiting-memory"` if there is no picture yet because the caller holds too
        many; `"failed"` if the request failed.
    is_final: whether this is the last update for the request. error: why there is no picture; None if there is one.
    latency: seconds from the request to the picture. skipped: the number of updates that this one replaced.

    The picture counts against the session's memory until the update is closed or dropped and all arrays of `planes` are
    dropped. `close()` and the end of a `with` block close the update.
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
            advice = "close updates that are no longer needed"
            self.error = UnavailableError(f"this process holds too many pictures ({advice})", file=session._file, advice=advice)
        elif picture is None:
            self.error = DataError(reason, file=session._file, frame=said.frame)

    @property
    def has_picture(self) -> bool:
        """Whether there is a picture that has not been closed."""
        return self._picture is not None

    @property
    def array(self) -> NDArray[Any]:
        """The picture in the format and size that were passed to `open`. If no size was passed, previews are smaller.

        Each access makes a copy, which the caller owns. Raises `error` if there is no picture.
        """
        return self.array_as()

    def array_as(
        self, format: Optional[Format] = None, *, size: Size = None, out: Optional[NDArray[Any]] = None
    ) -> NDArray[Any]:
        """Returns the picture in another format or size.

        format, size: as for `scrub.open`.
        out: an array of the right shape and type to write into. Its rows may have padding. The array is returned.
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
        """The planes as the decoder wrote them, read-only and without a copy."""
        return Planes(self._library, self._live(), self._file)

    def encode(self, format: ImageFormat = "png", *, width: int = 0, height: int = 0, quality: int = 0) -> bytes:
        """Encodes the picture, and returns the bytes of the image file.

        width, height: the maximum size of the image in pixels; 0 means no limit.
        """
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
        """Releases the picture. Arrays remain valid."""
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
        # Keep the picture while the call runs, even if another thread closes the update.
        picture = self._live()
        self._library.call(self._file, name, picture.handle, *words)

    def _repr_png_(self) -> Optional[bytes]:
        # For notebooks: no wider than a page.
        return self.encode("png", width=960) if self.has_picture else None

    def __repr__(self) -> str:
        return f"<scrub.Update frame {self.number} for {self.requested}, {self.stage}>"


class Session:
    """A scrubbing session, created by `Video.session` or `scrub.session`. It needs the C library.

    Several threads may use a session. A session opens its video separately, so it does not wait for other calls to the
    same video. Requests do not wait for the decoder.
    """

    def __init__(
        self, library: Library, source: Source, options: Options, *, memory: int, resources: Optional[Resources],
        previews: bool, preview_side: int, keep_previews: bool, reduced_alone: bool, fine_speeds: bool, decoders: int,
    ) -> None:  # fmt: skip
        """Opens the session. Does not decode anything yet."""
        self._library, self._file = library, source.name
        self._pixels, self._size = options.pixels, options.size
        self._flags = _library.RAW_GEOMETRY if options.raw_geometry else 0
        if resources is not None and resources._library is not library:
            raise UsageError("the resources and the video use different copies of libscrub (create both with the same library=)")
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
            # Ctrl-C raises an exception after the call has returned.
            library.functions.scrub_session_close(handle)
            raise
        finally:
            # The session retains the video.
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
        """Requests a frame without waiting for it, and returns the request's number. Replaces the previous request.

        position: a frame number, a string such as `"42%"` or `"12.5s"`, or a `float`, which is a fraction of the film:
            0.42 is the position of a slider at 42%.
        fraction: a fraction of the film. seconds: a time as for `Video.at`. A fraction or time outside the film means
            the nearest end.
        resting: whether the exact picture follows even if there is a preview, as after `rest()`.
        """
        given = [value for value in (position, fraction, seconds) if value is not None]
        if len(given) != 1:
            raise UsageError("pass exactly one of position, fraction= and seconds=")
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
        """Tells the session that the finger rests on the last requested frame. Its exact picture follows."""
        self._call("scrub_session_rest")

    def cancel(self, request: int = 0) -> None:
        """Cancels a request, by default the newest. Does nothing if there is a newer request."""
        self._call("scrub_session_cancel", _number("request", request, 0))

    def began(self, position: Optional[Position] = None) -> int:
        """Begins a gesture at a position, by default at the last requested frame. Returns the number of the request."""
        text = None if position is None else position_text(position, self.frame_count).encode()
        number = c_uint64()
        self._call("scrub_session_began", text, byref(number))
        return number.value

    def moved(self, x: float, y: float = 0, *, width: float) -> Optional[int]:
        """Moves the finger, and requests the frame under it.

        Returns the number of this frame, or None if no gesture has begun.

        x, y: the distance to the right and downward from the point where the gesture began. width: the distance that
            represents the whole film.
        """
        frame = c_int64()
        self._call("scrub_session_moved", x, y, width, byref(frame), None)
        return frame.value if frame.value >= 0 else None

    def ended(self, *, returns: bool = False) -> int:
        """Ends the gesture. The exact picture follows.

        Returns the number of the request for this picture, or 0 if there was no request.

        returns: whether the playhead returns to where the gesture began.
        """
        number = c_uint64()
        self._call("scrub_session_ended", _library.RETURN if returns else 0, byref(number))
        return number.value

    # Pictures

    def take(self, timeout: Optional[float] = None) -> Optional[Update]:
        """Returns the newest update that has not been taken yet, or None if there is none within `timeout` seconds.

        timeout: the maximum wait in seconds. None means no limit, and 0 means not to wait.

        Raises CancelledError if another thread closes the session during the wait.
        """
        for wait in _waits(timeout):
            said = _Taken(self._library)
            self._call("scrub_session_take", wait, byref(said.update))
            if said.update.stage:
                return Update(self, said.update, said.picture())
        return None

    def updates(self) -> Iterator[Update]:
        """Yields updates, each time the newest, until the session is closed. Close or drop each update after use."""
        while True:
            try:
                update = self.take()
            except ClosedError:
                return
            if update is not None:
                yield update
                # Only the caller references the update.
                del update

    async def __aiter__(self) -> AsyncIterator[Update]:
        """Yields updates as `updates` does, for asyncio."""
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
        """Waits until there is an update to take or the session is closed."""
        loop = asyncio.get_running_loop()
        # When the session is closed, a copy of the descriptor stays open and becomes readable.
        copy = os.dup(self.fileno())
        try:
            ready = asyncio.Event()
            loop.add_reader(copy, ready.set)
            try:
                await ready.wait()
            finally:
                loop.remove_reader(copy)
        except NotImplementedError:
            # The event loop does not support descriptors, as in some user interfaces.
            await asyncio.sleep(0.005)
        finally:
            os.close(copy)

    def fileno(self) -> int:
        """Returns a descriptor that is readable exactly while `take(0)` would return an update.

        Use it with select, QSocketNotifier or GLib. Do not read from the descriptor, and do not close it.
        """
        number = c_int32()
        self._call("scrub_session_get_descriptor", byref(number))
        return number.value

    # State

    def prepare_previews(self, around: SupportsIndex = 0, timeout: Optional[float] = None) -> bool:
        """Makes the previews around a frame, and waits for them for at most `timeout` seconds.

        Returns whether the previews are ready.
        """
        frame, done = _number("around", around, 0), c_int32()
        for wait in _waits(timeout):
            self._call("scrub_session_prepare_previews", frame, wait, byref(done))
            if done.value:
                return True
        return False

    @property
    def memory(self) -> Memory:
        """The memory use of the session."""
        if not self._finalizer.alive:
            raise ClosedError("the session was closed", file=self._file)
        return _memory(self._library, self._file, "scrub_session_get_memory", self._handle)

    def close(self) -> None:
        """Closes the session. A waiting `take` raises CancelledError. Updates that were taken remain valid."""
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
            # Another thread may have closed the session in the meantime.
            if self._finalizer.alive or isinstance(error, ClosedError):
                raise
            raise CancelledError("the session was closed", file=self._file) from None


def _memory(library: Library, file: str, name: str, handle: Optional[int]) -> Memory:
    said = CMemory(ctypes.sizeof(CMemory))
    library.call(file, name, handle, byref(said))
    return Memory(said.limit, said.used, said.peak, said.held, said.previews, said.preview_bytes)


def _has_rows(array: NDArray[Any]) -> bool:
    """Whether each row of an array is contiguous, and the rows do not overlap."""
    row = array[0] if len(array) else array
    return bool(row.flags.c_contiguous) and array.strides[0] >= row.nbytes


def _number(name: str, value: SupportsIndex, least: int, most: int = (1 << 63) - 1) -> int:
    number = operator.index(value)
    if not least <= number <= most:
        raise UsageError(f"{name} is {number}: use {least} to {most}")
    return number


def _waits(timeout: Optional[float]) -> Iterator[int]:
    """Yields how many milliseconds each call may wait, until `timeout` seconds have passed. None means no limit.

    Yields at least one value, even if `timeout` is 0.
    """
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    while True:
        yield round(min(_SLICE, max(0, (deadline - time.monotonic()) * 1000)))
        if time.monotonic() >= deadline:
            return
