"""The program's commands for one film, as methods of a video."""

from __future__ import annotations

import operator
from ctypes import byref
from typing import TYPE_CHECKING, Any, Iterable, Literal, Optional, SupportsIndex, Union, overload

from . import _choice, _library
from ._asking import Asking
from ._errors import DataError, UsageError
from ._positions import Position, frame_number, position_text
from ._thumbnails import (
    FrameMap, Path, Poster, Progress, Scene, Seconds, SetKeywords, SheetKeywords, StripKeywords, ThumbnailFormat, Work,
    cover_options, integer, number, output, poster_options, scene_options, seconds_fraction, text, thumbnails,
)  # fmt: skip

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Verbs(Asking):
    """These methods need the C library. They block until they are done, and do not wait for other calls.

    `progress` is called with the completed and the total amount of work. If it raises an exception, the work is cancelled.
    """

    def strip(
        self, folder: Optional[Path] = None, *, progress: Optional[Progress] = None, **which: Unpack[StripKeywords]
    ) -> list[dict[str, Any]]:
        """Writes a thumbnail strip to a folder: sheets, thumbnails.vtt and manifest.json, like `scrub strip`.

        One keyword selects the thumbnails: count (100), interval in seconds, positions, or scenes=True, optionally with
        a count. Others: tolerance ("exact"), clamp, shortest_scene, width (160, or a box such as "160x90"; several: a
        folder each), height, columns and rows (10), format ("jpeg"), quality (80), background ("#000000"), deinterlace,
        base_url, blur_hashes, from_previews, replace, wait, threads. docs/python.md describes them.

        With plan=True, nothing is written, and no folder is needed.

        Returns the manifest of each width; with plan=True, one object that says what would be decoded.
        """
        flags = {"blur_hashes": _library.BLUR_HASHES, "from_previews": _library.FROM_PREVIEWS, "plan": _library.PLAN_ONLY}
        wanted = thumbnails(self._first().frame, dict(which), flags, StripKeywords)
        place = None if which.get("plan") else output(folder)
        with self._work(progress) as work:
            return work.objects("scrub_write_strip", place, byref(wanted))

    def sheet(
        self, path: Optional[Path] = None, *, progress: Optional[Progress] = None, **which: Unpack[SheetKeywords]
    ) -> Union[bytes, dict[str, Any]]:
        """Makes a contact sheet, like `scrub sheet`. Returns its bytes. With a path, writes it and returns its facts.

        The keywords are those of `strip`, without height, base_url, blur_hashes, from_previews and plan; width is the
        sheet's (1600). By default, columns is 4, rows is 5 and tolerance is "auto". format may also be "svg". no_times
        omits the times.
        """
        wanted = thumbnails(self._first().frame, dict(which), {"no_times": _library.NO_TIMES}, SheetKeywords)
        with self._work(progress) as work:
            if path is None:
                return work.bytes("scrub_encode_sheet", byref(wanted))
            return work.object("scrub_write_sheet", output(path), byref(wanted))

    def thumbs(
        self,
        folder: Optional[Path],
        profile: Union[str, Iterable[str]],
        *,
        progress: Optional[Progress] = None,
        **which: Unpack[SetKeywords],
    ) -> list[dict[str, Any]]:
        """Writes thumbnail sets for players and servers, like `scrub thumbs`, each to a folder named after its profile.

        profile: "web", "jellyfin", "plex", "roku", "hls", "dash", "contact", "freedesktop", several of them, or "all".
        folder: may be None if "freedesktop" is the only profile, and with beside=True, which writes Jellyfin's folder
        beside the film.
        The keywords are those of `strip`, without columns, rows, format and blur_hashes. By default, interval is 10 and
        tolerance is "auto". skip_current does not rewrite sets that were made from the same film with the same options.

        Returns the facts of each set; with plan=True, which writes nothing, one object that says what would be decoded.
        """
        flags = {
            "from_previews": _library.FROM_PREVIEWS, "skip_current": _library.SKIP_CURRENT, "beside": _library.BESIDE,
            "plan": _library.PLAN_ONLY,
        }  # fmt: skip
        wanted = thumbnails(self._first().frame, dict(which), flags, SetKeywords)
        words = profile if isinstance(profile, str) else ",".join(profile)
        is_plan = bool(which.get("plan"))
        if folder is None and not is_plan and not which.get("beside") and words != "freedesktop":
            raise UsageError("specify a folder: it is optional only with plan=True or beside=True, or if 'freedesktop' is the only profile")
        if not self._source.is_named and not is_plan and ("freedesktop" in words or words == "all" or which.get("beside")):
            raise UsageError("thumbnails for file managers and beside=True are only possible for files with a name", file=self._path)
        with self._work(progress) as work:
            place = None if folder is None else output(folder)
            return work.objects("scrub_write_sets", place, text("profile", words), byref(wanted))

    def posters(
        self,
        count: SupportsIndex = 1,
        *,
        candidates: Optional[SupportsIndex] = None,
        threads: Optional[SupportsIndex] = None,
        progress: Optional[Progress] = None,
    ) -> list[Poster]:
        """Finds frames that represent the film, best first. candidates: the number of frames to choose from (60)."""
        capacity = operator.index(count)
        with self._work(progress) as work:
            return work.posters(poster_options(capacity, candidates, threads), capacity)

    def write_posters(
        self,
        path: Path,
        count: SupportsIndex = 1,
        *,
        candidates: Optional[SupportsIndex] = None,
        width: Optional[SupportsIndex] = None,
        longest_side: Optional[SupportsIndex] = None,
        format: Optional[ThumbnailFormat] = None,
        quality: Optional[SupportsIndex] = None,
        background: str = "#000000",
        deinterlace: bool = False,
        explain: bool = False,
        replace: bool = False,
        wait: bool = False,
        threads: Optional[SupportsIndex] = None,
        progress: Optional[Progress] = None,
    ) -> dict[str, Any]:
        """Finds posters and writes them, like `scrub poster`. Returns facts about them.

        path: a file, or a folder such as "posters/". For several posters, "p.jpg" means "p-1.jpg", "p-2.jpg" and so on.
        A folder also gets a posters.json. width or longest_side: the size of the posters in pixels; by default, the
        size of the video. explain: whether to also write the scores of all candidates to the folder. The other keywords
        are those of `strip`.
        """
        flags = _library.DEINTERLACE if deinterlace else 0
        flags |= (_library.EXPLAIN if explain else 0) | (_library.REPLACE if replace else 0) | (_library.WAIT if wait else 0)
        options = poster_options(
            count, candidates, threads, width=width, longest_side=longest_side, format=format, quality=quality,
            background=background, flags=flags,
        )  # fmt: skip
        with self._work(progress) as work:
            return work.object("scrub_write_posters", output(path), byref(options))

    def write_cover(
        self,
        path: Path,
        *,
        stream: Optional[SupportsIndex] = None,
        width: Optional[SupportsIndex] = None,
        longest_side: Optional[SupportsIndex] = None,
        format: Optional[ThumbnailFormat] = None,
        quality: Optional[SupportsIndex] = None,
        replace: bool = False,
    ) -> dict[str, Any]:
        """Writes one of the file's covers, by default the first, like `scrub poster --cover`."""
        options = cover_options(width, longest_side, format, quality, replace)
        with self._work(None) as work:
            place = -1 if stream is None else integer("stream", stream, 0, (1 << 31) - 1)
            return work.object("scrub_write_cover", output(path), place, byref(options))

    def scenes(
        self,
        *,
        count: Optional[SupportsIndex] = None,
        threshold: Optional[float] = None,
        shortest: Optional[Seconds] = None,
        tolerance: Literal["exact", "keyframe"] = "exact",
        blank: bool = True,
        threads: Optional[SupportsIndex] = None,
        progress: Optional[Progress] = None,
    ) -> list[Scene]:
        """Finds where scenes begin and end, like `scrub scenes`. Together, the scenes cover the whole film.

        count: the maximum number of scenes; the shortest are merged with their neighbors. threshold: how large a change
        between two frames counts as a cut, 0.01 to 1 (0.06). shortest: the minimum duration of a scene in seconds (1).
        tolerance: "keyframe" decodes only keyframes. blank: whether a cut to black, white, a single color or noise
        begins a scene.
        """
        options = scene_options(count, threshold, shortest, tolerance, blank, threads)
        with self._work(progress) as work:
            return work.scenes(options)

    @overload
    def frame_map(self, format: FrameMap, path: None = ..., *, replace: bool = ...) -> str: ...
    @overload
    def frame_map(self, format: FrameMap, path: Path, *, replace: bool = ...) -> None: ...
    def frame_map(self, format: FrameMap, path: Optional[Path] = None, *, replace: bool = False) -> Optional[str]:
        """Lists the frames for another program, like `scrub frames --as`. Returns the text, or writes it to `path`."""
        flags = _library.REPLACE if replace and path is not None else 0
        with self._work(None) as work:
            if path is None:
                return work.bytes("scrub_write_frame_map", text("format", format), None, flags).decode()
            work.bytes("scrub_write_frame_map", text("format", format), output(path), flags)
            return None

    def previews(
        self,
        *,
        side: Optional[SupportsIndex] = None,
        threads: Optional[SupportsIndex] = None,
        progress: Optional[Progress] = None,
    ) -> dict[str, Any]:
        """Makes previews of all frames and keeps them in the cache, like `scrub previews`. Sessions find them there.

        side: the longer side in pixels (640, the size that sessions look for). If a run was interrupted, the next run
        resumes it. Progress counts frames.
        """
        sides = [number("side", side, 16_384), number("threads", threads, 256)]
        with self._work(progress) as work:
            return work.object("scrub_make_previews", *sides)

    def plan(self, position: Position) -> dict[str, Any]:
        """Describes what must be decoded to show a frame exactly, like `scrub plan`. Does not decode anything."""
        with self._work(None) as work:
            count = self._first().frame
            return work.object("scrub_plan", frame_number(self._find(position_text(position, count)), count))

    def verify(
        self,
        orders: Optional[Iterable[str]] = None,
        *,
        sample: Optional[SupportsIndex] = None,
        determinism: bool = False,
        progress: Optional[Progress] = None,
    ) -> dict[str, Any]:
        """Proves that frames are correct, like `scrub verify`, by comparing them with a linear decode of the film.

        orders: "forward", "backward", "random", "alone", "batch"; all by default. sample: frames in each order; 0
        means all of them. determinism: also decode with other thread counts and other processor instructions; nothing
        else in this process may decode in the meantime. Progress counts frames, and then runs. Raises DataError, with
        the findings as `report`, if a picture was wrong.
        """
        words = None if orders is None else text("orders", ",".join([orders] if isinstance(orders, str) else orders))
        frames = -1 if sample is None else integer("sample", sample, 0, 100_000_000)
        with self._work(progress) as work:
            failure: Optional[DataError] = None
            try:
                report = work.object("scrub_verify", words, frames)
            except DataError as error:
                if error.report is None or not determinism:
                    raise
                report, failure = error.report, error
            if determinism:
                try:
                    report["determinism"] = work.object("scrub_check_determinism", frames)
                except DataError as error:
                    if error.report is None:
                        raise
                    report["determinism"] = error.report
                    failure = failure or error
            if failure is not None:
                failure.report = report
                raise failure
            return report

    def verify_sets(
        self,
        folder: Path,
        *,
        sample: Optional[SupportsIndex] = None,
        interval: Optional[Seconds] = None,
        progress: Optional[Progress] = None,
    ) -> dict[str, Any]:
        """Proves that the thumbnail sets in a folder are well formed and show this video, like `scrub verify-set`.

        sample: the number of thumbnails to compare in each set (24). interval: the seconds between thumbnails, for
        Jellyfin folders without a manifest. Raises DataError, with the findings as `report`, if a set is wrong.
        """
        words = [number("sample", sample, 1_000_000), *seconds_fraction("interval", interval)]
        with self._work(progress) as work:
            return work.object("scrub_verify_sets", output(folder), *words)

    def _work(self, progress: Optional[Progress]) -> Work:
        if self._sessions.is_closed:
            self._sessions.get(self._pixels)  # raises
        return Work(_choice.needed_library("this", self._source, self._options), self._source, self._options, progress)
