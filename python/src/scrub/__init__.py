"""Exact frames of any video as NumPy arrays.

    with scrub.open("film.mp4") as v:
        v[88].array                        # (height, width, 3), uint8, red first
        v.at(2.933).number                 # 88
        v.batch([7, "42%", "last"])        # (3, height, width, 3)
        for frame in v: ...

`verdict` says whether a frame is the same picture that a linear decode makes. The C library libscrub in this process or
the program scrub in another does the work; one of the two must be installed.
"""

from __future__ import annotations

import operator
import os
from typing import Any, Mapping, Optional, Sequence, SupportsIndex, Union

from ._errors import (
    CancelledError,
    ClosedError,
    DataError,
    Error,
    InputOutputError,
    LibraryNotFoundError,
    NoInputError,
    OutOfRangeError,
    ProgramEndedError,
    ProgramNotFoundError,
    UnavailableError,
    UsageError,
)
from ._files import convert, write_cover
from ._formats import Format, Size
from ._formats import checked_format as _checked_format
from ._formats import checked_size as _checked_size
from ._frames import Frame, FrameBatch, NativeFrame
from ._options import Options as _Options
from ._positions import Position, Seconds
from ._program import find_program
from ._scrubbing import ImageFormat, Memory, Planes, Resources, Session, Stage, Update
from ._slices import Frames
from ._source import Openable, Readable
from ._source import source_of as _source_of
from ._thumbnails import Poster, Scene
from ._video import Video

__version__ = "1.0.0"
__all__ = [
    "CancelledError",
    "ClosedError",
    "DataError",
    "Error",
    "Format",
    "Frame",
    "FrameBatch",
    "Frames",
    "ImageFormat",
    "InputOutputError",
    "LibraryNotFoundError",
    "Memory",
    "NativeFrame",
    "NoInputError",
    "Openable",
    "OutOfRangeError",
    "Planes",
    "Position",
    "Poster",
    "ProgramEndedError",
    "ProgramNotFoundError",
    "Readable",
    "Resources",
    "Scene",
    "Seconds",
    "Session",
    "Size",
    "Stage",
    "UnavailableError",
    "Update",
    "UsageError",
    "Video",
    "convert",
    "find_program",
    "open",
    "session",
    "write_cover",
]


def open(
    source: Openable,
    *,
    stream: Optional[SupportsIndex] = None,
    threads: Optional[SupportsIndex] = None,
    format: Format = "rgb",
    size: Size = None,
    raw_geometry: bool = False,
    copy: bool = False,
    ahead: SupportsIndex = 2,
    shared_memory: SupportsIndex = 1 << 30,
    limits: Optional[Mapping[str, Union[int, str]]] = None,
    sandbox: Optional[bool] = None,
    cache: bool = True,
    arguments: Sequence[str] = (),
    program: Union[None, str, "os.PathLike[str]"] = None,
    library: Union[None, bool, str, "os.PathLike[str]"] = None,
) -> Video:
    """Opens a video: a file, an http:// or https:// address, the bytes of a file, or an open binary file object.

    source: a path or an address; `bytes` or another buffer, which is copied; or a file object in binary mode, which may
        be closed afterwards. A file object without an operating system file, such as `io.BytesIO` or an archive member,
        is read from beginning to end and kept in memory.
    stream: the stream's number in the file; by default the program chooses.
    threads: the number of decoder threads; by default one per processor. With several workers, use 1.
    format: the channels of arrays: `"rgb"`, `"rgba"`, `"bgra"` and `"gray"` are `uint8`; `"rgb48"` and `"rgba64"` are
        `uint16` with 65535 for white. Alpha is straight; formats without alpha are composited over black.
    size: (width, height) of arrays; None for one of them keeps the aspect ratio. Smaller pictures are area averages.
        Frames are always decoded at full size, and are exact before they are scaled.
    raw_geometry: ignore cropping, rotation and the pixel aspect ratio.
    copy: copy each frame to its own writable memory. Otherwise arrays are read-only and are not copied. Their memory is
        reused or shared with the program.
    ahead: how many frames to request ahead when reading consecutive frames. Each has memory for its picture; a few more
        are decoded.
    shared_memory: the most bytes of such memory; frames beyond it have their own memory.
    limits: limits on the resources for the file, such as `{"pixels": "200M"}` (`scrub help network` lists the names).
    sandbox: whether to decode in processes that can neither open files nor reach the network; by default only for
        addresses and playlists.
    cache: whether to use and save an index.
    arguments: further options of `scrub drive` that `scrub info` also has, such as `("--timeout", "5")`.
    program: the path of the scrub program, which is then used instead of the library. `$SCRUB_PROGRAM` has the same
        effect. Otherwise the program is `scrub-video` or `scrub` in `PATH`.
    library: the C library's file, or True for the system's library, which is then used; False for the program.
        `$SCRUB_LIBRARY` has the same effect. If neither is given, the library is used if it is installed. Only the
        program supports sandbox, limits, arguments, and forks of a process that uses the library, so these always use
        the program.

    Raises NoInputError (also FileNotFoundError, PermissionError, IsADirectoryError), DataError, UnavailableError,
    UsageError (a ValueError); ProgramNotFoundError or LibraryNotFoundError.
    """
    ahead, shared_memory = operator.index(ahead), operator.index(shared_memory)
    if ahead < 0 or shared_memory < 0:
        raise UsageError("ahead and shared_memory must not be negative")
    threads = None if threads is None else operator.index(threads)
    if threads is not None and not 1 <= threads <= 1024:
        raise UsageError(f"threads is {threads}: use 1 to 1024, or None for one per processor")
    stream = None if stream is None else operator.index(stream)
    if stream is not None and not 0 <= stream < 1 << 31:
        raise UsageError(f"there is no stream {stream}: streams are counted from 0")
    options = _Options(
        program=None if program is None else os.fspath(program),
        library=library if library is None or isinstance(library, bool) else os.fspath(library),
        stream=stream,
        threads=threads,
        raw_geometry=bool(raw_geometry),
        format=_checked_format(format),
        size=_checked_size(size),
        limits=tuple((limits or {}).items()),
        sandbox=sandbox,
        cache=bool(cache),
        copy=bool(copy),
        ahead=ahead,
        shared_memory=shared_memory,
        arguments=tuple(arguments),
    )
    return Video(_source_of(source), options)


def session(video: Video, **options: Any) -> Session:
    """Opens a session for a video; the options are those of `Video.session`."""
    return video.session(**options)
