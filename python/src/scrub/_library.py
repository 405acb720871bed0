"""The C library, libscrub.so: its functions and structures (scrub.h), and which file it is."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Optional

from ._errors import CancelledError, Error, LibraryNotFoundError, failure

NAME = "libscrub.so.1"
MINIMUM = (1, 0, 0)
OK, CANCELLED, USAGE, BAD_DATA, FORKED = 0, 1, 64, 65, 70
NATIVE = 0
RAW_GEOMETRY = 0x4
NO_CACHE = 0x1
UNDECODABLE = 3
_INSTALL = "install the package libscrub1, or name the file with library= or SCRUB_LIBRARY"
_known: dict[str, Library] = {}
_lock = threading.Lock()


class CError(ctypes.Structure):
    """scrub_error."""

    _fields_ = [("size", c_uint32), ("status", c_int32), ("system_error", c_int32), ("message", c_char * 1012)]


class COptions(ctypes.Structure):
    """scrub_options."""

    _fields_ = [
        ("size", c_uint32), ("flags", c_uint32), ("stream", c_int32), ("threads", c_int32), ("memory", c_uint64),
        ("cache", c_char_p), ("limits", c_uint64 * 5), ("network", c_void_p), ("progress", c_void_p), ("context", c_void_p),
    ]  # fmt: skip


class CPicture(ctypes.Structure):
    """scrub_picture."""

    _fields_ = [
        ("size", c_uint32), ("layout", c_uint32), ("flags", c_uint32), ("want_width", c_int32), ("want_height", c_int32),
        ("reserved", c_int32), ("data", c_void_p * 4), ("capacity", c_size_t * 4), ("stride", c_size_t * 4),
        ("needed", c_size_t * 4), ("row_bytes", c_int32 * 4), ("rows", c_int32 * 4), ("planes", c_int32),
        ("width", c_int32), ("height", c_int32), ("status", c_int32), ("verdict", c_int32), ("decoded", c_int32),
        ("frame", c_int64), ("pts", c_int64), ("pixel_format", c_char * 32), ("reason", c_char * 240),
    ]  # fmt: skip


# scrub_progress.
PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64)

_ERROR, _VIDEO = POINTER(CError), c_void_p
_FUNCTIONS: dict[str, list[Any]] = {
    "scrub_open": [c_char_p, POINTER(COptions), POINTER(_VIDEO), _ERROR],
    "scrub_set_progress": [_VIDEO, c_void_p, c_void_p, _ERROR],
    "scrub_get_length": [_VIDEO, POINTER(c_int64), POINTER(c_int64), POINTER(c_int64), _ERROR],
    "scrub_describe": [_VIDEO, POINTER(c_void_p), POINTER(c_size_t), _ERROR],
    "scrub_find": [_VIDEO, c_char_p, c_uint32, POINTER(c_int64), _ERROR],
    "scrub_get_times": [_VIDEO, c_int64, c_size_t, c_void_p, _ERROR],
    "scrub_get_offsets": [_VIDEO, c_int64, c_size_t, c_void_p, _ERROR],
    "scrub_read": [_VIDEO, c_int64, POINTER(CPicture), _ERROR],
    "scrub_read_many": [_VIDEO, POINTER(c_int64), c_size_t, POINTER(CPicture), _ERROR],
}


# SCRUB_PYTHON_WORDS: messages name options as this package does.
_PYTHON_WORDS = 1


class Library:
    """The loaded library. Its functions wait without the interpreter's lock."""

    def __init__(self, name: str) -> None:
        """Loads it. Raises OSError if that fails or it is another one."""
        before = _ffmpeg_files()
        # Its names stay its own: RTLD_LOCAL, which is ctypes' default.
        self.functions = ctypes.CDLL(name)
        self.name = name
        try:
            self.functions.scrub_version.restype = c_uint32
            number = int(self.functions.scrub_version())
            self.version = (number >> 16, number >> 8 & 255, number & 255)
            if self.version[0] != MINIMUM[0] or self.version < MINIMUM:
                raise OSError(f"{name} is version {'.'.join(map(str, self.version))}, and {MINIMUM[0]}.x is needed")
            for function, words in _FUNCTIONS.items():
                getattr(self.functions, function).argtypes = words
                getattr(self.functions, function).restype = c_int
            self.functions.scrub_set_words.argtypes, self.functions.scrub_set_words.restype = [c_int], None
            self.functions.scrub_set_words(_PYTHON_WORDS)
            self.functions.scrub_close.argtypes = self.functions.scrub_free.argtypes = [c_void_p]
            self.functions.scrub_close.restype = self.functions.scrub_free.restype = None
        except AttributeError as error:
            raise OSError(f"{name} is too old or another library ({error})") from error
        # FFmpeg has one callback for the messages of a whole process. Who else has the same copy of FFmpeg may take it.
        self.is_sharing = bool(before) and not _ffmpeg_files() - before

    def call(self, file: str, name: str, *words: Any) -> None:
        """Calls a function; what it complains about is raised."""
        error = CError(ctypes.sizeof(CError))
        status = getattr(self.functions, name)(*words, byref(error))
        if status != OK:
            raise failed(status, error.message.decode("utf-8", "replace"), file, error.system_error)


class ForkedError(Error):
    """This process is a child of one that has used the library."""


def failed(status: int, sentence: str, file: str, number: int = 0) -> Error:
    """Returns the error for a result."""
    if status == CANCELLED:
        return CancelledError(sentence, file=file)
    if status == FORKED:
        return ForkedError(sentence, file=file)
    return failure(status, sentence, file, number=number)


def find_library(name: Optional[str] = None) -> Library:
    """Returns the loaded library: the file `name`, else libscrub.so.1 where the system's linker looks for it.

    Raises LibraryNotFoundError.
    """
    with _lock:
        return _found(name or NAME)


def _in_child() -> None:
    global _lock
    # A thread that is not in this process may hold it.
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_in_child)


def _found(sought: str) -> Library:
    if sought not in _known:
        if sys.maxsize < 1 << 32:
            raise LibraryNotFoundError("the library is for 64 bits (use the program)", advice="use the program")
        try:
            made = Library(sought)
            # What an earlier one has loaded is the library's own copy of FFmpeg.
            for earlier in _known.values():
                made.is_sharing = earlier.is_sharing
                break
            _known[sought] = made
        except OSError as error:
            raise LibraryNotFoundError(f"{sought} cannot be used: {error} ({_INSTALL})", advice=_INSTALL) from error
    return _known[sought]


def _ffmpeg_files() -> set[str]:
    """Returns the files of FFmpeg that this process has loaded under their usual names."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = {line.split(maxsplit=5)[-1].strip() for line in maps if "/libavutil.so" in line}
    except OSError:
        return set()
    return {path for path in paths if re.match(r"libavutil\.so\.\d+", os.path.basename(path))}
