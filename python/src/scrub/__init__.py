"""Exact frames of any video as NumPy arrays.

    with scrub.open("film.mp4") as v:
        v[88].array                        # (height, width, 3), uint8, red first
        v.at(2.933).number                 # 88
        v.batch([7, "42%", "last"])        # (3, height, width, 3)
        for frame in v: ...

Every frame says with `verdict` whether it is the very picture of a linear decode. The work is done by the C library
libscrub in this process, or by the program scrub in another one; either has to be installed.
"""

from __future__ import annotations

import operator
import os
from typing import Mapping, Optional, Sequence, SupportsIndex, Union

from ._errors import (
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
from ._formats import Format, Size
from ._formats import checked_format as _checked_format
from ._formats import checked_size as _checked_size
from ._frames import Frame, FrameBatch, NativeFrame
from ._options import Options as _Options
from ._positions import Position, Seconds
from ._program import find_program
from ._slices import Frames
from ._source import Openable, Readable
from ._source import source_of as _source_of
from ._video import Video

__version__ = "1.0.0"
__all__ = [
    "ClosedError",
    "DataError",
    "Error",
    "Format",
    "Frame",
    "FrameBatch",
    "Frames",
    "InputOutputError",
    "LibraryNotFoundError",
    "NativeFrame",
    "NoInputError",
    "Openable",
    "OutOfRangeError",
    "Position",
    "ProgramEndedError",
    "ProgramNotFoundError",
    "Readable",
    "Seconds",
    "Size",
    "UnavailableError",
    "UsageError",
    "Video",
    "find_program",
    "open",
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
    """Opens a video: a file, an http:// or https:// address, the bytes of a file, or a file that is open for reading.

    source: a path or an address; `bytes` or other memory, which is copied; or a file object in binary mode, which may be
        closed afterwards. One that is no file of the system's, such as `io.BytesIO` or a member of an archive, is read
        from its beginning to its end and kept in memory.
    stream: its place in the file; by default the program chooses.
    threads: how many decode; by default one for each processor. With several workers, 1 is a good number.
    format: the channels of arrays: `"rgb"`, `"rgba"`, `"bgra"` and `"gray"` are `uint8`; `"rgb48"` and `"rgba64"` are
        `uint16` with 65535 for white. Alpha is straight; without it pictures lie on black.
    size: (width, height) of arrays; with None for one of them it follows from the shape. Smaller pictures are averaged
        over areas. Frames are decoded whole in any case: they are exact before they are made smaller.
    raw_geometry: ignore cropping, rotation and the shape of pixels.
    copy: give each frame memory of its own, which may be written. Otherwise arrays are read-only, lie where they were
        made, in memory that is used again or shared with the program, and are not copied at all.
    ahead: how many frames are asked for ahead when frames are read in a row. Each has memory for its picture; a few
        more are decoded.
    shared_memory: the most bytes of such memory; frames beyond it have memory of their own.
    limits: what the file may cost, such as `{"pixels": "200M"}` (`scrub help network` has the names).
    sandbox: whether to decode in processes that can neither open files nor reach the network; by default only for
        addresses and playlists.
    cache: whether a saved index is used and kept.
    arguments: further options of `scrub drive` that `scrub info` has, too, such as `("--timeout", "5")`.
    program: the scrub program, and with it that the library is not used; else `$SCRUB_PROGRAM` for both, else
        `scrub-video` or `scrub` in `PATH`.
    library: the C library's file, or True for that of the system, and with it that the library is used; False for the
        program. Else `$SCRUB_LIBRARY`. Without a word about either, the library is used if it is there. What only the
        program can do (sandbox, limits, arguments, a fork of a process that uses the library) it does in any case.

    Raises NoInputError (also FileNotFoundError, PermissionError, IsADirectoryError), DataError, UnavailableError,
    UsageError (a ValueError); ProgramNotFoundError or LibraryNotFoundError.
    """
    ahead, shared_memory = operator.index(ahead), operator.index(shared_memory)
    if ahead < 0 or shared_memory < 0:
        raise UsageError("ahead and shared_memory are not negative")
    threads = None if threads is None else operator.index(threads)
    if threads is not None and not 1 <= threads <= 1024:
        raise UsageError(f"threads is {threads}: give 1 to 1024, or None for one for each processor")
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
