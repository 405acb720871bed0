"""What a video makes of a film: the same files as the program's verbs, progress, cancellation and errors."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

import scrub
from conftest import LIBRARY, clip, need_library
from scrub import _library

FILM = clip("demo.mp4")


@pytest.fixture(autouse=True)
def transport(monkeypatch: pytest.MonkeyPatch) -> str:
    """They are the library's."""
    need_library()
    monkeypatch.setenv("SCRUB_LIBRARY", LIBRARY)
    return "library"


@pytest.fixture
def film() -> Iterator[scrub.Video]:
    with scrub.open(FILM, threads=2) as opened:
        yield opened


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def by_program(folder: Path, *words: str) -> list[Any]:
    """Runs the program in a folder; returns its lines of JSON."""
    command = [os.environ["SCRUB_PROGRAM"], *words]
    made = subprocess.run([*command, "--json"], cwd=folder, capture_output=True, check=True)
    return [json.loads(line) for line in made.stdout.splitlines()]


Made = Callable[[scrub.Video], Any]
CASES: list[tuple[Made, list[str]]] = [
    (lambda v: v.strip("strip", count=12, width=64, columns=4, rows=2), ["strip", "-o", "strip", "--count", "12", "--width", "64", "--columns", "4", "--rows", "2"]),
    (
        lambda v: v.strip("strip", interval=0.5, width=[96, 64], format="webp", quality=60, background="#369", blur_hashes=True, tolerance="keyframe", base_url="https://example.org/t/"),
        ["strip", "-o", "strip", "--every", "0.5", "--width", "64,96", "--format", "webp", "--quality", "60", "--ground", "#369", "--blur-hash", "--tolerance", "keyframe", "--base-url", "https://example.org/t/"],
    ),
    (lambda v: v.strip("at", positions=["10%", 30, "1s", -1], height=40), ["strip", "-o", "at", "--at", "10%,f30,1s,f-1", "--height", "40"]),
    (lambda v: v.strip("scenes", scenes=True, count=3, shortest_scene=Fraction(1, 4), width=64), ["strip", "-o", "scenes", "--scenes", "--count", "3", "--min-scene", "0.25", "--width", "64"]),
    (lambda v: [v.sheet("sheet.png", columns=3, rows=2, width=640, tolerance=0.25, no_times=True)], ["sheet", "-o", "sheet.png", "--columns", "3", "--rows", "2", "--width", "640", "--tolerance", "0.25", "--no-times"]),
    (lambda v: v.thumbs("sets", ["web", "hls"], interval=1, width=160, skip_current=True), ["thumbs", "-o", "sets", "--profile", "web,hls", "--every", "1", "--width", "160", "--skip-current"]),
    (lambda v: [v.write_posters("posters/", 2, candidates=9, longest_side=100, explain=True)], ["poster", "-o", "posters/", "--count", "2", "--candidates", "9", "--size", "100", "--explain"]),
    (lambda v: v.strip("boxes", count=3, width=["64x48", 96]), ["strip", "-o", "boxes", "--count", "3", "--width", "64x48,96"]),
    (lambda v: v.strip("box", count=3, width="64x48"), ["strip", "-o", "box", "--count", "3", "--width", "64x48"]),
    (lambda v: v.strip(count=3, plan=True), ["strip", "--count", "3", "--plan"]),
    (lambda v: v.thumbs(None, "web", interval=2, plan=True), ["thumbs", "--profile", "web", "--every", "2", "--plan"]),
    (lambda v: [v.plan("0.42")], ["plan", "f88"]),
    (lambda v: [v.verify(["backward"], sample=8)], ["verify", "--orders", "backward", "--sample", "8"]),
    (lambda v: [v.verify(["backward"], sample=4, determinism=True)], ["verify", "--orders", "backward", "--sample", "4", "--determinism"]),
]  # fmt: skip


@pytest.mark.parametrize("make, words", CASES, ids=[" ".join(words[:3]) + f" {i}" for i, (_, words) in enumerate(CASES)])
def test_files_are_the_programs(
    film: scrub.Video, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Made, words: list[str]
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    monkeypatch.chdir(here)
    made = make(film)
    said = by_program(there, words[0], FILM, *words[1:])
    assert made == said
    assert files(here) == files(there)


def test_sets_are_converted(film: scrub.Video, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film.strip(tmp_path / "strip", interval=1, width=64)
    for name, words in (("json", {}), ("bif", {"quality": 70}), ("vtt", {"copy_only": True, "base_url": "https://example.org/"})):
        here, there = tmp_path / f"here-{name}", tmp_path / f"there-{name}"
        here.mkdir()
        there.mkdir()
        monkeypatch.chdir(here)
        made = scrub.convert(os.path.join("..", "strip"), name, "made", **words)  # type: ignore[arg-type]
        options = [f"--{word.replace('_', '-')}" + ("" if value is True else f"={value}") for word, value in words.items()]
        assert [made] == by_program(there, "convert", os.path.join("..", "strip"), "--to", name, "-o", "made", *options)
        assert files(here) == files(there) and files(here)
    with pytest.raises(scrub.UsageError, match="vcr"):
        scrub.convert(tmp_path / "strip", "vcr", tmp_path / "no")  # type: ignore[arg-type]
    with pytest.raises(scrub.NoInputError):
        scrub.convert(tmp_path / "none", "vtt", tmp_path / "no")
    with pytest.raises(scrub.UsageError):
        scrub.convert(tmp_path / "strip", "bif", tmp_path / "no", copy_only=True)


def test_a_song_has_a_cover(film: scrub.Video, tmp_path: Path) -> None:
    art, song = tmp_path / "art.png", tmp_path / "song.flac"
    film.write_posters(art, longest_side=64)
    words = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=0.2", "-i", str(art), "-map", "0", "-map", "1", "-c:v", "copy"]
    subprocess.run([*words, "-disposition:v", "attached_pic", str(song)], check=True)
    made = scrub.write_cover(song, tmp_path / "cover")
    assert Path(made["cover"]["file"]).read_bytes() == art.read_bytes()
    assert [made] == by_program(tmp_path, "poster", str(song), "--cover", "-o", str(tmp_path / "cover"))
    with pytest.raises(scrub.DataError, match="cover"):
        scrub.write_cover(FILM, tmp_path / "none")
    with pytest.raises(scrub.NoInputError):
        scrub.write_cover(tmp_path / "no such file", tmp_path / "none")


def test_scenes_posters_and_maps(film: scrub.Video, tmp_path: Path) -> None:
    rows = by_program(tmp_path, "scenes", FILM)
    scenes = film.scenes()
    assert [(s.first_frame, s.last_frame, s.frame) for s in scenes] == [(r["firstFrame"], r["lastFrame"], r["frame"]) for r in rows]
    assert scenes[0].start == 0 and scenes[-1].end == film.duration
    assert [len(film.scenes(count=1)), film.scenes(tolerance="keyframe")[0].first_frame] == [1, 0]
    [said] = by_program(tmp_path, "poster", FILM, "--count", "2")
    posters = film.posters(2)
    assert [(p.frame, p.scores, p.blur_hash, p.thumb_hash) for p in posters] == [
        (p["frame"], p["scores"], p["blurHash"], p["thumbHash"]) for p in said["posters"]
    ]
    assert not posters[0].is_blank and 0 < posters[0].score <= 1
    text = film.frame_map("csv")
    assert text.count("\n") == len(film) + 1
    film.frame_map("csv", tmp_path / "map.csv")
    assert (tmp_path / "map.csv").read_text() == text


def test_a_sheet_in_memory(film: scrub.Video) -> None:
    made = film.sheet(count=4, format="webp", width=320)
    assert isinstance(made, bytes) and made[8:12] == b"WEBP"


def test_previews_are_found_by_sessions(film: scrub.Video, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    report = film.previews(progress=lambda done, total: steps.append((done, total)))
    assert report["frames"] == len(film) and steps[-1] == (len(film), len(film))
    with film.session(keep_previews=True) as s:
        assert s.memory.previews == len(film)


def test_sets_are_proven(film: scrub.Video, tmp_path: Path) -> None:
    film.thumbs(tmp_path / "sets", "web", interval=1)
    assert film.verify_sets(tmp_path / "sets", sample=3)["valid"]
    with scrub.open(clip("film-h264.mkv")) as other, pytest.raises(scrub.DataError) as wrong:
        other.verify_sets(tmp_path / "sets", sample=3)
    assert pickle.loads(pickle.dumps(wrong.value)).report == wrong.value.report
    assert wrong.value.report is not None and wrong.value.report["problems"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(scrub.NoInputError):
        film.verify_sets(tmp_path / "empty")


def test_progress_ends_it(film: scrub.Video, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def tell(done: int, total: int) -> None:
        assert threading.current_thread() is threading.main_thread()
        if done > 3:
            raise Enough

    for make in (
        lambda: film.strip(tmp_path / "strip", count=60, progress=tell), lambda: film.sheet(count=60, progress=tell),
        lambda: film.thumbs(tmp_path / "sets", "all", interval=1, progress=tell), lambda: film.posters(3, progress=tell),
        lambda: film.scenes(progress=tell), lambda: film.verify(progress=tell), lambda: film.previews(side=320, progress=tell),
    ):  # fmt: skip
        with pytest.raises(Enough):
            make()
    assert not (tmp_path / "strip" / "manifest.json").exists()


def test_an_interrupt_ends_it(film: scrub.Video, tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        signal.raise_signal(signal.SIGINT)
        time.sleep(0)

    with pytest.raises(KeyboardInterrupt):
        film.strip(tmp_path / "strip", count=60, progress=interrupt)
    assert len(film.strip(tmp_path / "strip", count=6)) == 1


def test_wrong_words(film: scrub.Video, tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {"count": 0}, {"count": 3, "interval": 1}, {"interval": -1}, {"interval": float("nan")}, {"format": "bmp"},
        {"background": "red"}, {"width": 1 << 20}, {"tolerance": "sloppy"}, {"positions": ["nowhere"]}, {"quality": 101},
        {"width": [64, 64]}, {"positions": ["99:00:00"]}, {"width": "64x"}, {"width": "64x48", "height": 9},
        {"plan": True, "from_previews": True},
    ]  # fmt: skip
    for words in wrong:
        with pytest.raises(scrub.UsageError):
            film.strip(tmp_path / "strip", **words)
    with pytest.raises(TypeError, match="'colums'"):
        film.strip(tmp_path / "strip", colums=3)  # type: ignore[call-arg]
    with pytest.raises(scrub.UsageError, match="vcr"):
        film.thumbs(tmp_path / "sets", "vcr")
    with pytest.raises(scrub.UsageError):
        film.sheet(tmp_path / "sheet.tiff")
    with pytest.raises(scrub.DataError, match="cover"):
        film.write_cover(tmp_path / "cover")
    assert not any(tmp_path.iterdir())
    film.close()
    with pytest.raises(scrub.ClosedError):
        film.posters()


def test_numbers_and_names_at_the_edges(film: scrub.Video, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong: list[Callable[[], object]] = [
        lambda: film.write_posters("", 2), lambda: film.write_cover(""), lambda: film.strip(""), lambda: film.sheet(""),
        lambda: film.frame_map("csv", "a.csv\0.txt"), lambda: film.strip("a\0b"), lambda: film.thumbs("a\0b", "web"),
        lambda: film.thumbs("sets", "web\0hls"), lambda: film.thumbs(None, "web"), lambda: film.frame_map("xml"),  # type: ignore[call-overload]
        lambda: film.plan("f18446744073709551617"), lambda: film.verify(sample=1 << 64), lambda: film.verify(sample=-1),
        lambda: film.write_cover("c", stream=1 << 32), lambda: film.write_cover("c", stream=-1), lambda: film.previews(threads=0),
        lambda: film.strip("s", format="svg"), lambda: film.scenes(shortest=-1), lambda: film.posters(0), lambda: film.posters(1 << 40),  # type: ignore[arg-type]
    ]  # fmt: skip
    for number, make in enumerate(wrong):
        with pytest.raises(scrub.UsageError) as found:
            make()
        assert "scrub_" not in str(found.value) and "--" not in str(found.value), number
    assert not isinstance(found.value, scrub.OutOfRangeError)
    with pytest.raises(TypeError, match="height"):
        film.sheet(height=90)  # type: ignore[call-overload]
    assert not any(tmp_path.iterdir())
    assert len(film.scenes(shortest=0)) >= len(film.scenes())


def test_computed_intervals(film: scrub.Video, tmp_path: Path) -> None:
    for interval in (1 / 3, 0.1 + 0.2, Fraction(1, 3), 2):
        [made] = film.strip(tmp_path / "strip", interval=interval, width=64, replace=True)
        times = [thumbnail["start"] for thumbnail in made["thumbnails"]]
        assert times == sorted(times) and len(times) == -(-7 // Fraction(interval).limit_denominator(100))


def test_odd_names(tmp_path: Path) -> None:
    odd = tmp_path / "a\nb \N{SNOWMAN}.mp4"
    odd.write_bytes(Path(FILM).read_bytes())
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    with scrub.open(odd) as film:
        made = [film.write_posters(here / "posters/", 2), film.sheet(here / "s.jpg"), *film.thumbs(here / "sets", "web", interval=1)]
    said = [
        *by_program(there, "poster", str(odd), "--count", "2", "-o", "posters/"), *by_program(there, "sheet", str(odd), "-o", "s.jpg"),
        *by_program(there, "thumbs", str(odd), "-o", "sets", "--profile", "web", "--every", "1"),
    ]  # fmt: skip
    assert [one["file"] for one in made] == [one["file"] for one in said] == [str(odd)] * 3
    assert files(here) == files(there)


def test_slow_and_late_progress(film: scrub.Video, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []

    def slow(done: int, total: int) -> None:
        time.sleep(0.2)
        steps.append((done, total))

    begin = time.monotonic()
    film.strip(tmp_path / "strip", count=60, width=32, progress=slow)
    assert steps[-1] == (60, 60) and len(steps) < 30 and time.monotonic() - begin < 30

    class Enough(Exception):
        pass

    def late(done: int, total: int) -> None:
        if done == total:
            raise Enough

    with pytest.raises(Enough):
        film.posters(1, candidates=8, progress=late)
    assert film.posters(1, candidates=8)


def test_bytes_have_no_name_for_file_managers(tmp_path: Path) -> None:
    with scrub.open(Path(FILM).read_bytes()) as film:
        with pytest.raises(scrub.UsageError, match="files with a name"):
            film.thumbs(None, "freedesktop")
        assert len(film.strip(tmp_path / "strip", count=3)) == 1


def test_the_film_is_not_replaced(tmp_path: Path) -> None:
    own = tmp_path / "film.jpg"
    own.write_bytes(Path(FILM).read_bytes())
    with scrub.open(own) as film:
        for make in (
            lambda: film.sheet(own, replace=True), lambda: film.write_posters(own, replace=True),
            lambda: film.frame_map("csv", own, replace=True),
        ):  # fmt: skip
            with pytest.raises(scrub.UsageError):
                make()
    assert own.read_bytes() == Path(FILM).read_bytes()


def test_structures_are_the_headers() -> None:
    import ctypes

    sizes = {"CThumbnails": 128, "CPosterOptions": 40, "CPoster": 232, "CSceneOptions": 40, "CScene": 64}
    assert {name: ctypes.sizeof(getattr(_library, name)) for name in sizes} == sizes
