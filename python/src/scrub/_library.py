"""The C library, libscrub.so: its functions and structures (scrub.h), and how the library is found."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from fractions import Fraction
from typing import Any, Optional

from ._errors import CancelledError, Error, LibraryNotFoundError, failure

NAME = "libscrub.so.1"
MINIMUM = (1, 0, 0)
OK, CANCELLED, USAGE, BAD_DATA, FORKED = 0, 1, 64, 65, 70
NATIVE = 0
RAW_GEOMETRY = 0x4
NO_CACHE = 0x1
KEEP_PREVIEWS = 0x400
RESTING, NO_PREVIEWS, REDUCED_ALONE, FINE_SPEEDS, RETURN = 0x800, 0x1000, 0x2000, 0x4000, 0x8000
REPLACE, KEYFRAMES, CLAMP = 0x80, 0x20, 0x2
WAIT, SCENES, DEINTERLACE, FROM_PREVIEWS, BLUR_HASHES = 0x20000, 0x40000, 0x80000, 0x100000, 0x200000
NO_TIMES, SKIP_CURRENT, BESIDE, EXPLAIN, BLANK_SCENES = 0x400000, 0x800000, 0x1000000, 0x2000000, 0x4000000
PLAN_ONLY, COPY_ONLY = 0x8000000, 0x10000000
UNDECODABLE = 3
_INSTALL = "install the package libscrub1, or specify the file with library= or SCRUB_LIBRARY"
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


class CSessionOptions(ctypes.Structure):
    """scrub_session_options."""

    _fields_ = [
        ("size", c_uint32), ("flags", c_uint32), ("resources", c_void_p), ("memory", c_uint64), ("decoders", c_int32),
        ("threads", c_int32), ("preview_side", c_int32), ("key_pictures", c_int32), ("patience", c_int32),
        ("reserved", c_int32),
    ]  # fmt: skip


class CUpdate(ctypes.Structure):
    """scrub_update."""

    _fields_ = [
        ("size", c_uint32), ("stage", c_int32), ("status", c_int32), ("verdict", c_int32), ("request", c_uint64),
        ("requested_frame", c_int64), ("frame", c_int64), ("pts", c_int64), ("duration", c_int64), ("offset", c_int64),
        ("latency_ns", c_int64), ("picture", c_void_p), ("width", c_int32), ("height", c_int32), ("decoded", c_int32),
        ("skipped", c_int32), ("is_cached", c_int32), ("is_reduced", c_int32), ("is_final", c_int32),
        ("system_error", c_int32), ("reason", c_char * 240),
    ]  # fmt: skip


class CPlanes(ctypes.Structure):
    """scrub_planes."""

    _fields_ = [
        ("size", c_uint32), ("planes", c_int32), ("width", c_int32), ("height", c_int32), ("data", c_void_p * 4),
        ("stride", c_size_t * 4), ("row_bytes", c_int32 * 4), ("rows", c_int32 * 4), ("pixel_format", c_char * 32),
    ]  # fmt: skip


class CImage(ctypes.Structure):
    """scrub_image."""

    _fields_ = [
        ("size", c_uint32), ("format", c_uint32), ("flags", c_uint32), ("quality", c_int32), ("want_width", c_int32),
        ("want_height", c_int32),
    ]  # fmt: skip


class CMemory(ctypes.Structure):
    """scrub_memory."""

    _fields_ = [
        ("size", c_uint32), ("preview_side", c_int32), ("limit", c_uint64), ("used", c_uint64), ("peak", c_uint64),
        ("held", c_uint64), ("previews", c_int64), ("preview_bytes", c_uint64), ("reserved", c_uint64),
    ]  # fmt: skip


class CThumbnails(ctypes.Structure):
    """scrub_thumbnails."""

    _fields_ = [
        ("size", c_uint32), ("flags", c_uint32), ("count", c_uint32), ("tolerance", c_uint32), ("interval_num", c_int64),
        ("interval_den", c_int64), ("positions", POINTER(c_char_p)), ("tolerance_num", c_int64), ("tolerance_den", c_int64),
        ("scene_num", c_int64), ("scene_den", c_int64), ("widths", POINTER(c_int32)), ("width", c_int32), ("height", c_int32),
        ("columns", c_int32), ("rows", c_int32), ("format", c_uint32), ("quality", c_int32), ("background", c_uint32),
        ("threads", c_int32), ("base_url", c_char_p), ("sizes", c_char_p),
    ]  # fmt: skip


class CPosterOptions(ctypes.Structure):
    """scrub_poster_options."""

    _fields_ = [
        ("size", c_uint32), ("flags", c_uint32), ("count", c_uint32), ("candidates", c_uint32), ("threads", c_int32),
        ("width", c_int32), ("longest_side", c_int32), ("format", c_uint32), ("quality", c_int32), ("background", c_uint32),
    ]  # fmt: skip


class CPoster(ctypes.Structure):
    """scrub_poster."""

    _fields_ = [
        ("frame", c_int64), ("score", c_double), ("sharpness", c_double), ("exposure", c_double), ("contrast", c_double),
        ("colorfulness", c_double), ("entropy", c_double), ("subject", c_double), ("skin", c_double), ("fade", c_double),
        ("letterbox", c_double), ("text", c_double), ("is_blank", c_int32), ("is_damaged", c_int32),
        ("blur_hash", c_char * 64), ("thumb_hash", c_char * 64),
    ]  # fmt: skip


class CSceneOptions(ctypes.Structure):
    """scrub_scene_options."""

    _fields_ = [
        ("size", c_uint32), ("flags", c_uint32), ("count", c_uint32), ("threads", c_int32), ("threshold", c_double),
        ("shortest_num", c_int64), ("shortest_den", c_int64),
    ]  # fmt: skip


class CScene(ctypes.Structure):
    """scrub_scene."""

    _fields_ = [
        ("start_num", c_int64), ("start_den", c_int64), ("end_num", c_int64), ("end_den", c_int64), ("first_frame", c_int64),
        ("last_frame", c_int64), ("frame", c_int64), ("strength", c_double),
    ]  # fmt: skip


# scrub_progress.
PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64)

_ERROR, _VIDEO = POINTER(CError), c_void_p
# Where a function stores the address and the number of bytes, which scrub_free releases.
_BYTES = (POINTER(c_void_p), POINTER(c_size_t))
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
    "scrub_write_strip": [_VIDEO, c_char_p, POINTER(CThumbnails), *_BYTES, _ERROR],
    "scrub_write_sheet": [_VIDEO, c_char_p, POINTER(CThumbnails), *_BYTES, _ERROR],
    "scrub_encode_sheet": [_VIDEO, POINTER(CThumbnails), *_BYTES, _ERROR],
    "scrub_write_sets": [_VIDEO, c_char_p, c_char_p, POINTER(CThumbnails), *_BYTES, _ERROR],
    "scrub_find_posters": [_VIDEO, POINTER(CPosterOptions), POINTER(CPoster), c_size_t, POINTER(c_size_t), _ERROR],
    "scrub_write_posters": [_VIDEO, c_char_p, POINTER(CPosterOptions), *_BYTES, _ERROR],
    "scrub_write_cover": [_VIDEO, c_char_p, c_int32, POINTER(CPosterOptions), *_BYTES, _ERROR],
    "scrub_write_cover_of": [c_char_p, POINTER(COptions), c_char_p, c_int32, POINTER(CPosterOptions), *_BYTES, _ERROR],
    "scrub_convert_set": [c_char_p, c_char_p, c_char_p, c_uint32, c_int32, c_char_p, *_BYTES, _ERROR],
    "scrub_find_scenes": [_VIDEO, POINTER(CSceneOptions), POINTER(POINTER(CScene)), POINTER(c_size_t), _ERROR],
    "scrub_write_frame_map": [_VIDEO, c_char_p, c_char_p, c_uint32, *_BYTES, _ERROR],
    "scrub_make_previews": [_VIDEO, c_int32, c_int32, *_BYTES, _ERROR],
    "scrub_plan": [_VIDEO, c_int64, *_BYTES, _ERROR],
    "scrub_verify": [_VIDEO, c_char_p, c_int64, *_BYTES, _ERROR],
    "scrub_check_determinism": [_VIDEO, c_int64, *_BYTES, _ERROR],
    "scrub_verify_sets": [_VIDEO, c_char_p, c_uint32, c_int64, c_int64, *_BYTES, _ERROR],
    "scrub_resources_open": [c_uint64, c_int32, POINTER(c_void_p), _ERROR],
    "scrub_resources_get_memory": [c_void_p, POINTER(CMemory), _ERROR],
    "scrub_session_open": [_VIDEO, POINTER(CSessionOptions), POINTER(c_void_p), _ERROR],
    "scrub_session_request": [c_void_p, c_int64, c_uint32, POINTER(c_uint64), _ERROR],
    "scrub_session_request_at": [c_void_p, c_char_p, c_uint32, POINTER(c_int64), POINTER(c_uint64), _ERROR],
    "scrub_session_request_fraction": [c_void_p, c_double, c_uint32, POINTER(c_int64), POINTER(c_uint64), _ERROR],
    "scrub_session_rest": [c_void_p, _ERROR],
    "scrub_session_cancel": [c_void_p, c_uint64, _ERROR],
    "scrub_session_began": [c_void_p, c_char_p, POINTER(c_uint64), _ERROR],
    "scrub_session_moved": [c_void_p, c_double, c_double, c_double, POINTER(c_int64), POINTER(c_uint64), _ERROR],
    "scrub_session_ended": [c_void_p, c_uint32, POINTER(c_uint64), _ERROR],
    "scrub_session_prepare_previews": [c_void_p, c_int64, c_int32, POINTER(c_int32), _ERROR],
    "scrub_session_take": [c_void_p, c_int32, POINTER(CUpdate), _ERROR],
    "scrub_session_get_descriptor": [c_void_p, POINTER(c_int32), _ERROR],
    "scrub_session_get_memory": [c_void_p, POINTER(CMemory), _ERROR],
    "scrub_pixel_buffer_copy": [c_void_p, POINTER(CPicture), _ERROR],
    "scrub_pixel_buffer_get_planes": [c_void_p, POINTER(CPlanes), _ERROR],
    "scrub_pixel_buffer_encode": [c_void_p, POINTER(CImage), POINTER(c_void_p), POINTER(c_size_t), _ERROR],
}
# Functions that cannot fail.
_ENDS = (
    "scrub_close", "scrub_free", "scrub_resources_close", "scrub_session_close", "scrub_pixel_buffer_release",
)  # fmt: skip


# SCRUB_PYTHON_WORDS: messages name options as this package does.
_PYTHON_WORDS = 1


class Library:
    """The loaded library. Its functions release the interpreter's lock while they wait."""

    def __init__(self, name: str) -> None:
        """Loads the library. Raises OSError if that fails or if the file is a different library."""
        before = _ffmpeg_files()
        # Its symbols stay private: RTLD_LOCAL, the default of ctypes.
        self.functions = ctypes.CDLL(name)
        self.name = name
        try:
            self.functions.scrub_version.restype = c_uint32
            number = int(self.functions.scrub_version())
            self.version = (number >> 16, number >> 8 & 255, number & 255)
            if self.version[0] != MINIMUM[0] or self.version < MINIMUM:
                raise OSError(f"{name} is version {'.'.join(map(str, self.version))}, but {MINIMUM[0]}.x is needed")
            for function, words in _FUNCTIONS.items():
                getattr(self.functions, function).argtypes = words
                getattr(self.functions, function).restype = c_int
            self.functions.scrub_set_words.argtypes, self.functions.scrub_set_words.restype = [c_int], None
            self.functions.scrub_set_words(_PYTHON_WORDS)
            for function in _ENDS:
                getattr(self.functions, function).argtypes = [c_void_p]
                getattr(self.functions, function).restype = None
        except AttributeError as error:
            raise OSError(f"{name} is too old or is a different library ({error})") from error
        # FFmpeg has one log callback for the whole process. Another package with the same copy of FFmpeg may replace
        # it.
        self.is_sharing = bool(before) and not _ffmpeg_files() - before

    def call(self, file: str, name: str, *words: Any) -> None:
        """Calls a function, and raises an error if the function fails."""
        error = CError(ctypes.sizeof(CError))
        status = getattr(self.functions, name)(*words, byref(error))
        if status != OK:
            raise failed(status, error.message.decode("utf-8", "replace"), file, error.system_error)

    def length(self, file: str, video: Any) -> tuple[int, Fraction]:
        """Returns the number of frames of an open video, and its time base in seconds."""
        count, numerator, denominator = c_int64(), c_int64(), c_int64()
        self.call(file, "scrub_get_length", video, byref(count), byref(numerator), byref(denominator))
        return count.value, Fraction(numerator.value, denominator.value)


class ForkedError(Error):
    """This process is a child of a process that has used the library."""


def failed(status: int, sentence: str, file: str, number: int = 0) -> Error:
    """Returns the error for a status that a function returned."""
    if status == CANCELLED:
        return CancelledError(sentence, file=file)
    if status == FORKED:
        return ForkedError(sentence, file=file)
    return failure(status, sentence, file, number=number)


def find_library(name: Optional[str] = None) -> Library:
    """Loads and returns the library from the file `name`, or else libscrub.so.1 as found by the dynamic linker.

    Raises LibraryNotFoundError if the library cannot be used.
    """
    with _lock:
        return _found(name or NAME)


def _in_child() -> None:
    global _lock
    # A thread of the parent may hold the lock.
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_in_child)


def _found(sought: str) -> Library:
    if sought not in _known:
        if sys.maxsize < 1 << 32:
            raise LibraryNotFoundError("the library needs a 64-bit Python (use the program)", advice="use the program")
        try:
            made = Library(sought)
            # An earlier libscrub may have loaded this copy of FFmpeg, so use what was determined for that library.
            for earlier in _known.values():
                made.is_sharing = earlier.is_sharing
                break
            _known[sought] = made
        except OSError as error:
            raise LibraryNotFoundError(f"{sought} cannot be used: {error} ({_INSTALL})", advice=_INSTALL) from error
    return _known[sought]


def _ffmpeg_files() -> set[str]:
    """Returns the paths of the libavutil files that this process has loaded, if they have the usual name."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = {line.split(maxsplit=5)[-1].strip() for line in maps if "/libavutil.so" in line}
    except OSError:
        return set()
    return {path for path in paths if re.match(r"libavutil\.so\.\d+", os.path.basename(path))}
