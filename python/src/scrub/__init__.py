"""Exact frames of any video as NumPy arrays.

    with scrub.open("film.mp4") as v:
        v[88].array                        # (height, width, 3), uint8, red first
        v.at(2.933).number                 # 88
        v.batch([7, "42%", "last"])        # (3, height, width, 3)
        for frame in v: ...

A frame's `verdict` says whether it is the same picture that a linear decode makes. The work is done by the C
library libscrub in this process, or by the program scrub in another process. One of the two must be installed.
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
    stream: the stream's number in the file; by default, Scrub chooses the stream.
    threads: the number of decoding threads; by default, one per processor. If several worker processes decode, use 1.
    format: the pixel format of arrays. `"rgb"`, `"rgba"`, `"bgra"` and `"gray"` are `uint8`; `"rgb48"` and `"rgba64"`
        are `uint16` with 65535 for white. Alpha is straight. In formats without alpha, pictures are composited over
        black.
    size: the (width, height) of arrays. If one of them is None, it is computed from the aspect ratio. Pictures are
        reduced by averaging areas. Frames are always decoded at full size; the verdict applies to the full-size frame.
    raw_geometry: whether to ignore cropping, rotation and the pixel aspect ratio.
    copy: whether to copy each frame to separate, writable memory. If false, arrays are read-only and are not copied.
        Their memory may be shared with the program, and is reused after the last reference to it is gone.
    ahead: how many frames to request in advance when reading consecutive frames. Each of them needs memory for its
        picture. The decoder works a few frames further ahead.
    shared_memory: the maximum number of bytes of the reusable memory. Frames that do not fit get separate memory.
    limits: limits on the resources that the file may use, such as `{"pixels": "200M"}` (`scrub help network` lists the
        names).
    sandbox: whether to decode in processes that can neither open files nor reach the network; by default, only for
        addresses and playlists.
    cache: whether to use a saved index, and to save new ones.
    arguments: more command-line options, which both `scrub drive` and `scrub info` must support, such as
        `("--timeout", "5")`.
    program: the path of the scrub program. If it is set here or in `$SCRUB_PROGRAM`, the program is used instead of the
        library. If it is not set and the program is needed, it is `scrub-video` or `scrub` in `PATH`.
    library: the path of the C library, or True for the system's library. With either of these, or with
        `$SCRUB_LIBRARY`, the library is used; with False, the program is used. If neither program nor library is
        specified, the library is used if it is installed. Only the program supports sandbox, limits, arguments, and
        processes that were forked from one that uses the library. In these cases, the program is always used.

    Raises NoInputError (which is also a FileNotFoundError, PermissionError or IsADirectoryError), DataError,
    UnavailableError, UsageError (which is also a ValueError), ProgramNotFoundError or LibraryNotFoundError.
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
