"""Decides whether the library in this process or the program does the work for a video."""

from __future__ import annotations

import os
from typing import Optional

from ._errors import LibraryNotFoundError, ProgramNotFoundError
from ._formats import Pixels
from ._library import ForkedError, Library, find_library
from ._library_transport import LibraryTransport
from ._options import Options
from ._program_transport import start_program
from ._source import Source
from ._transport import Transport


def start(source: Source, options: Options, pixels: Pixels) -> Transport:
    """Opens a video."""
    reason = _program_reason(source.path, options)
    library = _library(options) if reason is None else None
    if library is not None:
        try:
            return LibraryTransport(library, source, options, pixels)
        except ForkedError:
            reason = "this process was forked from a process that uses the library"
    try:
        return start_program(source, options, pixels, options.shared_memory)
    except ProgramNotFoundError as error:
        if reason is None:
            raise
        sentence = f"{reason}, so the program is needed: {error.message}"
        raise ProgramNotFoundError(sentence, file=source.name, advice=error.advice) from error


def needed_library(what: str, source: Source, options: Options) -> Library:
    """Returns the library for a feature that the program does not support.

    what: the name of the feature in messages.

    Raises LibraryNotFoundError if the library cannot be used, or if an option is supported only by the program.
    """
    reason = _program_reason(source.path, options)
    if reason is not None:
        advice = "open the video with options that the library supports"
        raise LibraryNotFoundError(f"{what} needs the C library, but {reason} ({advice})", file=source.name, advice=advice)
    if options.library is False:
        advice = "open the video without library=False"
        raise LibraryNotFoundError(f"{what} needs the C library ({advice})", file=source.name, advice=advice)
    library = _named_library(options)
    if library.is_sharing and not _wants_library(options):
        advice = "open the video with library=True, and make sure that the other package does not set FFmpeg's log callback"
        raise LibraryNotFoundError(f"another package uses the same copy of FFmpeg ({advice})", file=source.name, advice=advice)
    return library


def _program_reason(path: str, options: Options) -> Optional[str]:
    """Returns the reason why only the program can open the video with these options, or None."""
    if options.sandbox:
        return "sandbox=True requires decoding in separate processes"
    if options.limits:
        return "only the program supports limits="
    if options.arguments:
        return "only the program supports arguments="
    if options.sandbox is None and _is_foreign(path):
        return "data from the network is decoded in a sandbox unless sandbox=False"
    return None


def _is_foreign(path: str) -> bool:
    """Whether the program would use a sandbox by default.

    It does so for addresses, and for playlists, because these may contain addresses.
    """
    if path.lower().startswith(("http://", "https://")):
        return True
    try:
        # Without O_NONBLOCK, opening a pipe without a writer would block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.read(descriptor, 16).removeprefix(b"\xef\xbb\xbf").startswith(b"#EXTM3U")
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _wants_library(options: Options) -> bool:
    """Whether an option or the environment explicitly requests the library."""
    if options.library is not None:
        return options.library is not False
    return options.program is None and bool(os.environ.get("SCRUB_LIBRARY"))


def _named_library(options: Options) -> Library:
    """Returns the library that an option or `$SCRUB_LIBRARY` specifies, or else the system's library."""
    named = options.library if isinstance(options.library, str) else os.environ.get("SCRUB_LIBRARY")
    return find_library(named or None)


def _library(options: Options) -> Optional[Library]:
    """Returns the library, or None if the program is used instead. Arguments take precedence over the environment."""
    if _wants_library(options):
        return _named_library(options)
    if options.library is False or options.program is not None or os.environ.get("SCRUB_PROGRAM"):
        return None
    try:
        library = find_library()
    except LibraryNotFoundError:
        return None
    # If another package uses the same copy of FFmpeg, leave FFmpeg's messages to it.
    return None if library.is_sharing else library
