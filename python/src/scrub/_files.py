"""What the program's verbs do with files that are not videos: thumbnail sets, and cover art of any file."""

from __future__ import annotations

import json
import os
from ctypes import byref
from typing import Any, Literal, Optional, SupportsIndex, Union

from . import _choice, _library
from ._engine import opening_options
from ._options import Options
from ._source import Source, source_of
from ._thumbnails import Path, ThumbnailFormat, Work, cover_options, integer, number, output, text

SetFormat = Literal["vtt", "json", "hls", "dash", "jellyfin", "bif"]


def convert(
    set: Path,
    format: SetFormat,
    folder: Path,
    *,
    base_url: Optional[str] = None,
    quality: Optional[SupportsIndex] = None,
    copy_only: bool = False,
    replace: bool = False,
    wait: bool = False,
    library: Union[None, bool, str, "os.PathLike[str]"] = None,
) -> dict[str, Any]:
    """Converts a thumbnail set to another format, like `scrub convert`; pictures are copied if possible.

    set: a folder with a manifest.json, as `Video.strip` and `Video.thumbs` write it, or a BIF file of any program.
    folder: the output folder. base_url: the prefix of the sheets' names in WebVTT and JSON. quality: of pictures that
    have to be encoded again, 1 to 100 (90). copy_only: refuse conversions in which pictures would have to be encoded
    again. replace, wait: as for `Video.strip`. library: as for `open`.

    Returns the names of the written files, and how many pictures were encoded again. Raises NoInputError or DataError
    for something that is not a set, UsageError if the format cannot store it; LibraryNotFoundError.
    """
    flags = (_library.REPLACE if replace else 0) | (_library.WAIT if wait else 0) | (_library.COPY_ONLY if copy_only else 0)
    place, options = Source(os.fsdecode(set)), _options(library)
    work = Work(_choice.needed_library("convert", place, options), place, options, None)
    prefix = None if base_url is None else text("base_url", base_url)
    made: dict[str, Any] = json.loads(
        work.bytes_alone(
            "scrub_convert_set", output(set), text("format", format), output(folder), flags,
            number("quality", quality, 100), prefix,
        )
    )  # fmt: skip
    return made


def write_cover(
    file: Union[str, "os.PathLike[str]"],
    path: Path,
    *,
    stream: Optional[SupportsIndex] = None,
    width: Optional[SupportsIndex] = None,
    longest_side: Optional[SupportsIndex] = None,
    format: Optional[ThumbnailFormat] = None,
    quality: Optional[SupportsIndex] = None,
    replace: bool = False,
    sandbox: Optional[bool] = None,
    library: Union[None, bool, str, "os.PathLike[str]"] = None,
) -> dict[str, Any]:
    """Writes the cover art of a file that need not contain a video, such as a song, like `scrub poster --cover`.

    The keywords are those of `Video.write_cover`; sandbox and library are those of `open`. The art of an address needs
    sandbox=False, because it is decoded in this process. Returns the cover's facts.
    """
    source, options = source_of(file), _options(library, sandbox)
    wanted = cover_options(width, longest_side, format, quality, replace)
    place = -1 if stream is None else integer("stream", stream, 0, (1 << 31) - 1)
    work = Work(_choice.needed_library("write_cover", source, options), source, options, None)
    opening = opening_options(options, source)
    made: dict[str, Any] = json.loads(
        work.bytes_alone(
            "scrub_write_cover_of", os.fsencode(source.path), byref(opening), output(path), place, byref(wanted)
        )
    )
    return made


def _options(library: Union[None, bool, str, "os.PathLike[str]"], sandbox: Optional[bool] = None) -> Options:
    return Options(library=library if library is None or isinstance(library, bool) else os.fspath(library), sandbox=sandbox)
