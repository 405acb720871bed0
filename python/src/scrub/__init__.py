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

import os
from typing import Mapping, Optional, Sequence, Union

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
from ._frames import Frame, FrameBatch, NativeFrame
from ._options import Options as _Options
from ._options import place_of as _place_of
from ._positions import Position, Seconds
from ._program import find_program
from ._video import Video

__version__ = "1.0.0"
__all__ = [
    "ClosedError",
    "DataError",
    "Error",
    "Frame",
    "FrameBatch",
    "InputOutputError",
    "LibraryNotFoundError",
    "NativeFrame",
    "NoInputError",
    "OutOfRangeError",
    "Position",
    "ProgramEndedError",
    "ProgramNotFoundError",
    "Seconds",
    "UnavailableError",
    "UsageError",
    "Video",
    "find_program",
    "open",
]


def open(
    path: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"],
    *,
    stream: Optional[int] = None,
    threads: Optional[int] = None,
    raw_geometry: bool = False,
    copy: bool = False,
    ahead: int = 2,
    shared_memory: int = 1 << 30,
    limits: Optional[Mapping[str, Union[int, str]]] = None,
    sandbox: Optional[bool] = None,
    cache: bool = True,
    arguments: Sequence[str] = (),
    program: Union[None, str, "os.PathLike[str]"] = None,
    library: Union[None, bool, str, "os.PathLike[str]"] = None,
) -> Video:
    """Opens a video: a file, or an http:// or https:// address.

    stream: its place in the file; by default the program chooses.
    threads: how many decode; by default one for each processor. With several workers, 1 is a good number.
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

    Raises NoInputError, DataError, UnavailableError, UsageError; ProgramNotFoundError or LibraryNotFoundError.
    """
    if ahead < 0 or shared_memory < 0:
        raise UsageError("ahead and shared_memory are not negative")
    options = _Options(
        program=None if program is None else os.fspath(program),
        library=library if library is None or isinstance(library, bool) else os.fspath(library),
        stream=stream,
        threads=threads,
        raw_geometry=bool(raw_geometry),
        limits=tuple((limits or {}).items()),
        sandbox=sandbox,
        cache=bool(cache),
        copy=bool(copy),
        ahead=ahead,
        shared_memory=shared_memory,
        arguments=tuple(arguments),
    )
    return Video(_place_of(path), options)
