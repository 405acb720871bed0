"""The program's commands for one film: strips, sheets, sets, posters, scenes, frame maps, previews and proofs.

Each call opens the video separately in the C library, so it does not wait for other calls. It blocks until it is done.
"""

from __future__ import annotations

import ctypes
import json
import operator
import os
import re
import threading
from ctypes import byref, c_char_p, c_int32, c_size_t, c_void_p
from fractions import Fraction
from queue import SimpleQueue
from typing import Any, Callable, Iterable, Literal, NamedTuple, Optional, Sequence, SupportsIndex, TypedDict, Union

from . import _library
from ._engine import opening_options
from ._errors import Error, UsageError
from ._library import CPoster, CPosterOptions, CScene, CSceneOptions, CThumbnails, Library
from ._options import Options
from ._positions import Position, position_text
from ._source import Source

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int], object]
Tolerance = Union[Literal["exact", "keyframe", "auto"], Fraction, int, float, None]
ThumbnailFormat = Literal["jpeg", "png", "webp", "avif"]
SheetFormat = Literal["jpeg", "png", "webp", "avif", "svg"]
FrameMap = Literal["torchcodec", "cvat", "csv", "json", "timecodes"]
Seconds = Union[Fraction, int, float]
# The numbers of the formats and tolerances in scrub.h.
_FORMATS = {"png": 1, "jpeg": 2, "webp": 3, "avif": 4, "svg": 5}
_TOLERANCES = {"exact": 1, "keyframe": 2, "auto": 3}
_SECONDS = 4
_CRITERIA = (
    "sharpness", "exposure", "contrast", "colorfulness", "entropy", "subject", "skin", "fade", "letterbox", "text",
)  # fmt: skip


class Poster(NamedTuple):
    """A frame that represents the film.

    score: from 0 to 1. scores: the value of each criterion, from 0 to 1; fade, letterbox and text lower the score.
    is_blank: whether the frame is black, white, a single color or noise. is_damaged: whether the file is damaged at
    this frame. blur_hash, thumb_hash: placeholders to show while the picture loads.
    """

    frame: int
    score: float
    scores: dict[str, float]
    is_blank: bool
    is_damaged: bool
    blur_hash: str
    thumb_hash: str


class Scene(NamedTuple):
    """A scene. start, end: seconds after the first frame. frame: the frame to show for the scene. strength: how much
    the scene's start differs from the preceding pictures, from 0 to 1."""

    start: Fraction
    end: Fraction
    first_frame: int
    last_frame: int
    frame: int
    strength: float


class _Keywords(TypedDict, total=False):
    """Keywords of strips, sheets and sets."""

    count: Optional[SupportsIndex]
    interval: Optional[Seconds]
    positions: Optional[Iterable[Position]]
    scenes: bool
    shortest_scene: Optional[Seconds]
    tolerance: Tolerance
    clamp: bool
    quality: Optional[SupportsIndex]
    background: str
    deinterlace: bool
    replace: bool
    wait: bool
    threads: Optional[SupportsIndex]


class StripKeywords(_Keywords, total=False):
    """Keywords of `Video.strip`."""

    width: Union[SupportsIndex, str, Sequence[Union[SupportsIndex, str]], None]
    height: Optional[SupportsIndex]
    columns: Optional[SupportsIndex]
    rows: Optional[SupportsIndex]
    format: Optional[ThumbnailFormat]
    base_url: Optional[str]
    blur_hashes: bool
    from_previews: bool
    plan: bool


class SheetKeywords(_Keywords, total=False):
    """Keywords of `Video.sheet`."""

    width: Optional[SupportsIndex]
    columns: Optional[SupportsIndex]
    rows: Optional[SupportsIndex]
    format: Optional[SheetFormat]
    no_times: bool


class SetKeywords(_Keywords, total=False):
    """Keywords of `Video.thumbs`."""

    width: Optional[SupportsIndex]
    height: Optional[SupportsIndex]
    base_url: Optional[str]
    from_previews: bool
    skip_current: bool
    beside: bool
    plan: bool


# The switches of strips, sheets and sets.
_SWITCHES = {
    "scenes": _library.SCENES, "clamp": _library.CLAMP, "deinterlace": _library.DEINTERLACE, "replace": _library.REPLACE,
    "wait": _library.WAIT,
}  # fmt: skip


def thumbnails(frame_count: int, which: dict[str, Any], switches: dict[str, int], allowed: type) -> CThumbnails:
    """Returns the settings that define which thumbnails are made, and how.

    which: the keywords, by name. switches: the flags of keywords that only some functions accept. allowed: the keywords
    that the function accepts.
    """
    for name in which:
        if name not in allowed.__annotations__ and name not in _Keywords.__annotations__:
            raise TypeError(f"there is no keyword {name!r}")
    chosen = [name for name in ("interval", "positions") if which.get(name) is not None]
    if len(chosen) + bool(which.get("scenes") or which.get("count") is not None) > 1:
        raise UsageError("use only one of count=, interval=, positions= and scenes=, except that scenes=True can be combined with count=")
    if which.get("format") == "svg" and allowed is not SheetKeywords:
        raise UsageError("format 'svg' is only for sheets: use one of 'png', 'jpeg', 'webp', 'avif'")
    made = CThumbnails(ctypes.sizeof(CThumbnails))
    for name, flag in {**_SWITCHES, **switches}.items():
        made.flags |= flag if which.pop(name, False) else 0
    for name, most in (("count", 100_000), ("height", 16_384), ("columns", 65_535), ("rows", 65_535)):
        setattr(made, name, number(name, which.pop(name, None), most))
    for name, most in (("quality", 100), ("threads", 256)):
        setattr(made, name, number(name, which.pop(name, None), most))
    made.interval_num, made.interval_den = seconds_fraction("interval", which.pop("interval", None))
    made.scene_num, made.scene_den = seconds_fraction("shortest_scene", which.pop("shortest_scene", None), takes_zero=True)
    positions = which.pop("positions", None)
    if positions is not None:
        texts = [position_text(position, frame_count).encode() for position in positions]
        made.positions = (c_char_p * (len(texts) + 1))(*texts)
    tolerance = which.pop("tolerance", None)
    if isinstance(tolerance, str):
        made.tolerance = _word("tolerance", tolerance, _TOLERANCES)
    elif tolerance is not None:
        made.tolerance = _SECONDS
        made.tolerance_num, made.tolerance_den = seconds_fraction("tolerance", tolerance) if tolerance else (0, 1)
    width = which.pop("width", None)
    if isinstance(width, str) or isinstance(width, Sequence) and any(isinstance(side, str) for side in width):
        sizes = text("width", width if isinstance(width, str) else ",".join(map(str, width)))
        if allowed is not StripKeywords or not re.fullmatch(rb"[0-9]+(x[0-9]+)?(,[0-9]+(x[0-9]+)?)*", sizes):
            advice = "160, '160x90' or a list of these" if allowed is StripKeywords else "a number, and height= for a box"
            raise UsageError(f"width is {width!r}: give {advice}")
        if made.height:
            raise UsageError(f"width is {width!r}, which has a height: omit height=")
        made.sizes = sizes
    elif isinstance(width, Sequence):
        sides = [number("width", side, 16_384) for side in width]
        made.widths = (c_int32 * (len(sides) + 1))(*sides)
    else:
        made.width = number("width", width, 16_384)
    format = which.pop("format", None)
    made.format = 0 if format is None else _word("format", format, _FORMATS)
    made.background = _color(which.pop("background", "#000000"))
    base_url = which.pop("base_url", None)
    made.base_url = None if base_url is None else text("base_url", base_url)
    return made


class Work:
    """A video that is open for one call.

    A separate thread makes each call, so that the caller's thread can handle Ctrl-C and report the progress.
    """

    def __init__(self, library: Library, source: Source, options: Options, progress: Optional[Progress]) -> None:
        self._library, self._source, self._options, self._progress = library, source, options, progress
        self._video = c_void_p()
        self._news: SimpleQueue[None] = SimpleQueue()
        self._newest: Optional[tuple[int, int]] = None
        self._last = (0, 0)
        self._must_end = False
        self._is_open = False
        # Keep the callback alive as long as C may call it.
        self._function = _library.PROGRESS(self._tell)

    def __enter__(self) -> Work:
        opening = opening_options(self._options, self._source)
        opening.progress = ctypes.cast(self._function, c_void_p)
        try:
            self._run("scrub_open", os.fsencode(self._source.path), byref(opening), byref(self._video))
        except BaseException:
            self.__exit__()
            raise
        self._is_open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._library.functions.scrub_close(self._video)

    def _tell(self, _: object, done: int, total: int) -> int:
        """Runs on the call's thread. If the caller is slow, it receives only the newest progress."""
        if self._is_open and total > 0 and (done, total) != self._last:
            self._last = (done, total)
            is_first, self._newest = self._newest is None, (done, total)
            if is_first:
                self._news.put(None)
        return 1 if self._must_end else 0

    def call(self, name: str, *words: Any) -> None:
        """Calls a function with the video."""
        self._run(name, self._video, *words)

    def _run(self, name: str, *words: Any) -> None:
        failure: list[BaseException] = []
        is_over = threading.Event()

        def work() -> None:
            try:
                self._library.call(self._source.name, name, *words)
            except BaseException as error:
                failure.append(error)
            finally:
                is_over.set()
                self._news.put(None)

        thread = threading.Thread(target=work, name="scrub", daemon=True)
        try:
            thread.start()
            while not is_over.is_set():
                self._news.get()
                self._report()
            if not failure:
                self._report()
        except BaseException:
            # An exception from the progress function, or Ctrl-C, cancels the call. The call uses its memory until it
            # ends.
            self._must_end = True
            while (thread.ident is not None or thread.is_alive()) and not is_over.is_set():
                try:
                    is_over.wait()
                except KeyboardInterrupt:
                    pass
            raise
        finally:
            self._newest = None
        if failure:
            raise failure[0]

    def _report(self) -> None:
        newest, self._newest = self._newest, None
        if newest is not None and self._progress is not None:
            self._progress(*newest)

    def bytes_alone(self, name: str, *words: Any, is_kept: bool = False) -> bytes:
        """Calls a function that takes no video and makes bytes, and returns them.

        is_kept: whether the error contains the bytes as `report` if the call fails.
        """
        found, count = c_void_p(), c_size_t()
        try:
            self._run(name, *words, byref(found), byref(count))
        except Error as error:
            if is_kept and found:
                error.report = json.loads(ctypes.string_at(found, count.value))
            raise
        finally:
            made = ctypes.string_at(found, count.value) if found else b""
            self._library.functions.scrub_free(found)
        return made

    def bytes(self, name: str, *words: Any, is_kept: bool = False) -> bytes:
        """The same for a function that takes the video."""
        return self.bytes_alone(name, self._video, *words, is_kept=is_kept)

    def objects(self, name: str, *words: Any) -> list[dict[str, Any]]:
        """Calls a function that returns one JSON object per line."""
        return [json.loads(line) for line in self.bytes(name, *words).split(b"\n") if line]

    def object(self, name: str, *words: Any) -> dict[str, Any]:
        """Calls a function that returns one JSON object. If the call fails, the error has the object as `report`."""
        made: dict[str, Any] = json.loads(self.bytes(name, *words, is_kept=True))
        return made

    def posters(self, options: CPosterOptions, count: int) -> list[Poster]:
        found, number = (CPoster * count)(), c_size_t()
        self.call("scrub_find_posters", byref(options), found, count, byref(number))
        return [
            Poster(
                one.frame, one.score, {name: getattr(one, name) for name in _CRITERIA}, bool(one.is_blank), bool(one.is_damaged),
                one.blur_hash.decode(), one.thumb_hash.decode(),
            )
            for one in found[: number.value]
        ]  # fmt: skip

    def scenes(self, options: CSceneOptions) -> list[Scene]:
        found, number = ctypes.POINTER(CScene)(), c_size_t()
        try:
            self.call("scrub_find_scenes", byref(options), byref(found), byref(number))
            return [
                Scene(
                    Fraction(one.start_num, one.start_den), Fraction(one.end_num, one.end_den), one.first_frame,
                    one.last_frame, one.frame, one.strength,
                )
                for one in found[: number.value]
            ]  # fmt: skip
        finally:
            self._library.functions.scrub_free(ctypes.cast(found, c_void_p))


def poster_options(
    count: SupportsIndex, candidates: Optional[SupportsIndex], threads: Optional[SupportsIndex], *,
    width: Optional[SupportsIndex] = None, longest_side: Optional[SupportsIndex] = None, format: Optional[str] = None,
    quality: Optional[SupportsIndex] = None, background: str = "#000000", flags: int = 0,
) -> CPosterOptions:  # fmt: skip
    """Returns the options for finding and writing posters."""
    return CPosterOptions(
        ctypes.sizeof(CPosterOptions), flags, number("count", count, 1000), number("candidates", candidates, 10_000),
        number("threads", threads, 256), number("width", width, 16_384), number("longest_side", longest_side, 16_384),
        0 if format is None else _word("format", format, _FORMATS), number("quality", quality, 100), _color(background),
    )  # fmt: skip


def cover_options(
    width: Optional[SupportsIndex], longest_side: Optional[SupportsIndex], format: Optional[str],
    quality: Optional[SupportsIndex], replace: bool,
) -> CPosterOptions:  # fmt: skip
    """Returns the options for writing cover art."""
    flags = _library.REPLACE if replace else 0
    options = poster_options(1, None, None, width=width, longest_side=longest_side, format=format, quality=quality, flags=flags)
    options.count = 0
    return options


def scene_options(
    count: Optional[SupportsIndex], threshold: Optional[float], shortest: Optional[Seconds], tolerance: str, blank: bool,
    threads: Optional[SupportsIndex],
) -> CSceneOptions:  # fmt: skip
    """Returns the options for finding scenes."""
    if tolerance not in ("exact", "keyframe"):
        raise UsageError(f"tolerance must be 'exact' or 'keyframe', not {tolerance!r}")
    flags = (_library.KEYFRAMES if tolerance == "keyframe" else 0) | (_library.BLANK_SCENES if blank else 0)
    if threshold is not None and not 0.01 <= threshold <= 1:
        raise UsageError(f"threshold is {threshold}: use 0.01 to 1")
    return CSceneOptions(
        ctypes.sizeof(CSceneOptions), flags, number("count", count, 100_000), number("threads", threads, 256),
        threshold or 0, *seconds_fraction("shortest", shortest, takes_zero=True),
    )  # fmt: skip


def output(path: Optional[Path]) -> bytes:
    """Returns a path as bytes for C."""
    made = os.fsencode(path) if path is not None else b""
    if not made or b"\0" in made:
        raise UsageError(f"{path!r} is not an output path: specify a file or a folder")
    return made


def text(name: str, value: str) -> bytes:
    """Returns a string as bytes for C."""
    if "\0" in value:
        raise UsageError(f"{name} contains a NUL character: remove it")
    return value.encode()


def integer(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """Checks that a number is from `least` to `most`, and returns it."""
    number = operator.index(value)
    if not least <= number <= most:
        raise UsageError(f"{name} is {number}: use {least} to {most}")
    return number


def number(name: str, value: Optional[SupportsIndex], most: int) -> int:
    """Checks that a number is from 1 to `most`, and returns it. Returns 0, C's default, for None."""
    if value is None:
        return 0
    number = operator.index(value)
    if not 1 <= number <= most:
        raise UsageError(f"{name} is {number}: use 1 to {most}")
    return number


def seconds_fraction(name: str, value: Optional[Seconds], takes_zero: bool = False) -> tuple[int, int]:
    """Returns seconds as a fraction, or 0/0, C's default, for None. Reads a `float` as its shortest decimal number."""
    if value is None:
        return 0, 0
    try:
        # The error of a computed number is less than a nanosecond.
        seconds = Fraction(str(value)).limit_denominator(10**9) if isinstance(value, float) else Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise UsageError(f"{name} is {value!r}: use a number of seconds above 0") from None
    if seconds < 0 or (seconds == 0 and not takes_zero) or max(seconds.numerator, seconds.denominator) >= 1 << 63:
        raise UsageError(f"{name} is {value!r}: use a number of seconds above 0")
    return seconds.numerator, seconds.denominator


def _word(name: str, word: str, words: dict[str, int]) -> int:
    if word not in words:
        raise UsageError(f"{name} is {word!r}: use one of {', '.join(map(repr, words))}")
    return words[word]


def _color(text: str) -> int:
    digits = text.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    try:
        if len(digits) != 6 or not digits.isalnum():
            raise ValueError
        return int(digits, 16)
    except ValueError:
        raise UsageError(f"{text!r} is not a color: write it as '#ffffff' or '#fff'") from None
