"""The C library in this process: when it is taken, what it leaves to the program, and that it answers alike."""

from __future__ import annotations

import ctypes
import http.server
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Iterator

import numpy
import pytest

import scrub
from conftest import LIBRARY, MANIFEST, clip, need_library
from scrub import _library

FILM = clip("h264-bf3.mp4")


@pytest.fixture(autouse=True)
def transport(monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test says itself what does the work."""
    need_library()
    return ""


@pytest.fixture
def unsaid(monkeypatch: pytest.MonkeyPatch) -> str:
    """Nothing is said about either. Returns the program."""
    program = os.environ["SCRUB_PROGRAM"]
    monkeypatch.delenv("SCRUB_PROGRAM")
    monkeypatch.setenv("PATH", "/nonexistent")
    return program


def run(script: str, *words: str, **changes: str) -> str:
    """The output of a script in a new process, in which the library is where the linker looks."""
    environment = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(LIBRARY), **changes}
    environment = {name: value for name, value in environment.items() if value}
    result = subprocess.run([sys.executable, "-c", script, *words], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_structures_are_the_headers() -> None:
    sizes = {"CError": 1024, "COptions": 96, "CPicture": 496}
    assert {name: ctypes.sizeof(getattr(_library, name)) for name in sizes} == sizes
    assert _library.find_library(LIBRARY).version >= _library.MINIMUM


def test_the_choice(unsaid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(**options: Any) -> str:
        with scrub.open(FILM, **options) as video:
            assert video[3].number == 3
            return video.transport

    monkeypatch.setattr(_library, "NAME", LIBRARY)
    assert taken() == taken(library=True) == taken(library=LIBRARY) == "library"
    assert taken(program=unsaid) == "program"
    assert taken(program=unsaid, library=True) == "library"
    monkeypatch.setenv("SCRUB_PROGRAM", unsaid)
    assert taken() == taken(library=False) == "program" and taken(library=True) == "library"
    for only in ({"sandbox": True}, {"limits": {"pixels": "1G"}}, {"arguments": ("--timeout", "5")}):
        assert taken(**only) == taken(**only, library=True) == "program"
    assert taken(sandbox=False, library=True) == "library"
    monkeypatch.setenv("SCRUB_LIBRARY", LIBRARY)
    assert taken() == "library" and taken(program=unsaid) == taken(library=False) == "program"


def test_the_systems_library_is_taken_by_itself() -> None:
    script = "import scrub, sys\nwith scrub.open(sys.argv[1]) as v: print(v[5].number, v.transport)"
    assert run(script, FILM, SCRUB_PROGRAM="") == "5 library"
    assert run(script, FILM) == "5 program"


def test_no_library(unsaid: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_library, "NAME", "libscrub-that-is-not-there.so.1")
    with pytest.raises(scrub.ProgramNotFoundError):
        scrub.open(FILM)
    with scrub.open(FILM, program=unsaid) as video:
        assert video.transport == "program"
    text = tmp_path / "text.so"
    text.write_text("no library")
    for wrong in (True, "/nonexistent/libscrub.so.1", str(text), "libc.so.6"):
        with pytest.raises(scrub.LibraryNotFoundError) as caught:
            scrub.open(FILM, library=wrong)
        assert caught.value.code == 69 and caught.value.advice and "libscrub1" in str(caught.value)
    with pytest.raises(scrub.ProgramNotFoundError, match="sandbox=True"):
        scrub.open(FILM, library=LIBRARY, sandbox=True)


def test_wrong_words() -> None:
    for wrong in ({"threads": 0}, {"threads": -3}, {"threads": 5000}, {"stream": -1}, {"stream": 1 << 40}):
        with pytest.raises(scrub.UsageError):
            scrub.open(FILM, library=LIBRARY, **wrong)
    with pytest.raises(scrub.UsageError, match="zero byte"):
        scrub.open(FILM + "\0.mp4", library=LIBRARY)
    with pytest.raises(scrub.Error):
        scrub.open(FILM, library=LIBRARY, stream=7)


def told(path: str, **options: Any) -> list[Any]:
    """All that a video says, and all errors."""
    said: list[Any] = []

    def ask(work: Any) -> None:
        try:
            said.append(work())
        except scrub.Error as error:
            said.append((type(error), error.code, error.file, error.frame, error.advice, error.message))

    with scrub.open(path, cache=False, **options) as video:
        said += [len(video), video.width, video.height, video.time_base, video.duration, video.metadata]
        for position in ("42%", "1:02.5", "f-2", "f100000", "nonsense", "2", "last"):
            ask(lambda: video.frames([position])[0].number)
        for number in range(len(video)):
            ask(lambda: [(f.number, f.pts, f.time, f.duration, f.verdict, f.reason) for f in video.frames([number])])
    return said


@pytest.mark.parametrize("file", ["vfr.mp4", "elst-two.mp4", "avc3-size-change.mp4", "nonzero.ts", "damaged-h264.mp4"])
def test_both_say_the_same(file: str) -> None:
    assert told(clip(file), library=LIBRARY) == told(clip(file), library=False)


def test_refusals_are_the_same() -> None:
    for entry in [entry for entry in MANIFEST if entry["kind"] == "refused"] + [{"file": "not-there.mp4"}]:
        said = []
        for library in (LIBRARY, False):
            with pytest.raises(scrub.Error) as caught:
                scrub.open(clip(entry["file"]), cache=False, library=library)
            error = caught.value
            said.append((type(error), error.code, error.file, error.frame, error.advice, error.message))
        assert said[0] == said[1]


def test_undecodable_frames_are_the_same() -> None:
    found = 0
    for entry in MANIFEST:
        if entry["kind"] != "damaged" or entry["file"] == "damaged-av1.mkv":
            continue
        with scrub.open(clip(entry["file"]), library=False) as other, scrub.open(clip(entry["file"]), library=LIBRARY) as video:
            for number, frame in enumerate(other.frames(range(len(other)), errors="none")):
                if frame is None:
                    found += 1
                    said = []
                    for each in (other, video):
                        with pytest.raises(scrub.DataError) as caught:
                            each[number]
                        said.append((str(caught.value), caught.value.frame, caught.value.file, caught.value.code))
                    assert said[0] == said[1]
    assert found


OTHERS = {
    "av": "container = av.open(path); theirs = next(container.decode(video=0)).to_ndarray(format='rgb24')",
    "cv2": "theirs = av.VideoCapture(path).read()[1]",
    "decord": "theirs = av.VideoReader(path)[0].asnumpy()",
    "torchcodec": "theirs = decoders.VideoDecoder(path)[0].numpy()",
}


@pytest.mark.parametrize("module", OTHERS)
@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_beside_other_decoders(module: str, first: str) -> None:
    """Each gives the frames that it gives alone, in one process, in turns and side by side, whoever was there first."""
    import importlib.util

    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not there")
    ours = "import scrub\nvideo = scrub.open(path)\nv = video.batch(range(30))\n"
    theirs = f"import {module} as av\n" if module != "torchcodec" else "from torchcodec import decoders\n"
    theirs += f"def decode():\n    {OTHERS[module]}\n    return theirs\n"
    digest = "digest = lambda array: hashlib.md5(array.tobytes()).hexdigest()[:8]\n"
    begin = "import hashlib, sys, threading\npath = sys.argv[1]\n" + digest
    alone = run(begin + theirs + "print(digest(decode()))", FILM, SCRUB_PROGRAM=""), run(
        begin + ours + "print(digest(v), video.transport)", FILM, SCRUB_PROGRAM="", SCRUB_LIBRARY=LIBRARY
    )
    together = ours + theirs + "t = decode()\n" if first == "ours" else theirs + "t = decode()\n" + ours
    together += "seen = set()\n"
    together += "work = threading.Thread(target=lambda: seen.update(digest(decode()) for _ in range(20)))\nwork.start()\n"
    together += "w = {digest(video.batch(range(30))) for _ in range(5)}\nwork.join()\n"
    together += "verdicts = set(video.get_frames_at(range(30)).verdicts)\n"
    together += "print(digest(t), *seen, digest(v), *w, *verdicts, video.transport)"
    both = run(begin + together, FILM, SCRUB_PROGRAM="", SCRUB_LIBRARY=LIBRARY)
    mine, name = alone[1].split()
    assert both == f"{alone[0]} {alone[0]} {mine} {mine} exact {name}" and name == "library"


AVUTIL = "import ctypes, sys, scrub\nutil = {}\ncallback = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(lambda *_: None)\n"
AVUTIL += "def take(): util[0] = ctypes.CDLL('libavutil.so.57'); util[0].av_log_set_callback(callback)\n"


def test_a_package_with_the_same_ffmpeg_was_there_first() -> None:
    """Its callback for messages stays its own: the program does the work."""
    script = AVUTIL + "take()\nv = scrub.open(sys.argv[1])\nprint(v.transport, v[7].verdict)"
    assert run(script, FILM, SCRUB_PROGRAM="", PATH=os.path.dirname(ours_as_command())) == "program exact"


def test_a_package_with_the_same_ffmpeg_comes_later(tmp_path: Path) -> None:
    """What is decoded in this process is not proven from then on: the program goes on."""
    script = AVUTIL + "v = scrub.open(sys.argv[1])\nkept = v[7]\nprint(v.transport, kept.verdict)\ntake()\n"
    script += "f = v.frames([80, 20, 20])\nprint({x.verdict for x in f}, v.transport, v[30].verdict, v.batch([1, 99]).shape)\n"
    script += "r = list(v.read(40, 44))\nprint([x.number for x in r], {x.verdict for x in r}, v.metadata['codec'])\n"
    script += "w = scrub.open(sys.argv[1], program=sys.argv[2])\nprint((w[20].array == f[1].array).all())"
    words = dict(SCRUB_LIBRARY=LIBRARY)
    assert run(script, FILM, os.environ["SCRUB_PROGRAM"], **words).splitlines() == [
        "library exact",
        "{'exact'} program exact (2, 112, 192, 3)",
        "[40, 41, 42, 43] {'exact'} h264",
        "True",
    ]
    # Without a program, frames say why they are not proven.
    script = AVUTIL + "v = scrub.open(sys.argv[1])\ntake()\nprint(v[80].verdict, 'av_log' in v[81].reason)"
    assert run(script, FILM, SCRUB_PROGRAM="", PATH="/nonexistent", **words) == "damaged True"


def ours_as_command() -> str:
    """A folder with the program under its own name, as packages have it."""
    folder = Path(os.environ["SCRUB_CACHE_DIR"]) / "bin"
    folder.mkdir(exist_ok=True)
    if not (folder / "scrub-video").exists():
        (folder / "scrub-video").symlink_to(os.environ["SCRUB_PROGRAM"])
    return str(folder / "scrub-video")


def test_a_fork_without_a_program_says_so(unsaid: str) -> None:
    script = "import os, scrub, sys\nv = scrub.open(sys.argv[1])\nv[3]\nsys.stdout.flush()\nif os.fork() == 0:\n"
    script += "    try: v[3]\n    except scrub.ProgramNotFoundError as error: print(error, flush=True)\n    os._exit(0)\n"
    script += "os.wait()\nprint(v[4].number)"
    lines = run(script, FILM, SCRUB_LIBRARY=LIBRARY, PATH="/nonexistent").splitlines()
    assert "forked" in lines[0] and "scrub-video" in lines[0] and lines[1] == "4"


def test_a_fork_of_a_process_that_only_loaded_it() -> None:
    """Nothing was opened before: the child uses the library itself."""
    script = "import os, scrub, sys\nfrom scrub import _library\n_library.find_library(sys.argv[2])\n"
    script += "if os.fork() == 0:\n    v = scrub.open(sys.argv[1])\n    print(v[3].number, v.transport, flush=True)\n    os._exit(0)\n"
    script += "os.wait()"
    assert run(script, FILM, LIBRARY, SCRUB_LIBRARY=LIBRARY) == "3 library"


class Gate(http.server.BaseHTTPRequestHandler):
    """A server of one film that answers only while its gate is open."""

    film = b""
    gate = threading.Event()
    asked = threading.Event()
    protocol_version = "HTTP/1.1"

    def pass_gate(self) -> None:
        if not self.gate.is_set():
            self.asked.set()
            self.gate.wait()

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:  # the client has gone
            pass

    def do_GET(self) -> None:
        self.pass_gate()
        span = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first = int(span[1]) if span else 0
        last = min(int(span[2]) if span and span[2] else len(self.film) - 1, len(self.film) - 1)
        self.send_response(206 if span else 200)
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("ETag", '"1"')
        self.send_header("Accept-Ranges", "bytes")
        if span:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(self.film)}")
        self.end_headers()
        if self.command == "GET":
            # A long answer stops, too, where its reader goes on.
            for place in range(first, last + 1, 1 << 16):
                self.pass_gate()
                self.wfile.write(self.film[place : min(place + (1 << 16), last + 1)])

    do_HEAD = do_GET

    def log_message(self, *_: Any) -> None:
        pass


def noise(number: int) -> Any:
    """A picture that no codec makes small: its luma, and its chroma below."""
    return numpy.random.default_rng(number).integers(0, 256, (360, 320), numpy.uint8)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A film whose frames lie far apart."""
    av = pytest.importorskip("av")
    path = tmp_path_factory.mktemp("film") / "film.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"qp": "0", "g": "10", "preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for number in range(120):
            for packet in stream.encode(av.VideoFrame.from_ndarray(noise(number), format="yuv420p")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path.read_bytes()


@pytest.fixture
def slow(film: bytes) -> Iterator[str]:
    """The address of that film. Its gate is open at first."""
    Gate.film = film
    Gate.gate.set()
    Gate.asked.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/film.mp4"
    Gate.gate.set()
    server.shutdown()
    thread.join()
    server.server_close()


def shut() -> None:
    Gate.gate.clear()
    Gate.asked.clear()


def reached(thread: threading.Thread) -> None:
    """Waits until the server is asked for something, which the thread then waits for."""
    while not Gate.asked.is_set():
        assert thread.is_alive()
        os.sched_yield()


def remote(address: str) -> scrub.Video:
    return scrub.open(address, library=LIBRARY, sandbox=False, cache=False)


def test_waiting_leaves_other_threads_alone(slow: str) -> None:
    with remote(slow) as video:
        assert video.transport == "library" and len(video) == 120
        got: list[int] = []
        shut()
        thread = threading.Thread(target=lambda: got.append(video[90].number))
        thread.start()
        reached(thread)
        # The server runs in this process, too: it would not have heard of the request otherwise.
        assert sum(range(200_000)) and not got
        Gate.gate.set()
        thread.join()
        assert got == [90]


def test_close_ends_a_thread_that_waits(slow: str) -> None:
    video = remote(slow)
    shut()
    seen: list[BaseException] = []

    def ask() -> None:
        try:
            video[90]
        except scrub.Error as error:
            seen.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    reached(thread)
    video.close()
    thread.join()
    assert isinstance(seen[0], scrub.CancelledError) and not Gate.gate.is_set()


@pytest.mark.parametrize("way", ["open", "one", "batch"])
def test_an_interrupted_request(slow: str, way: str) -> None:
    """Ctrl-C while something is waited for: the next request works."""
    video = None if way == "open" else remote(slow)
    shut()

    over = threading.Event()

    def interrupt() -> None:
        while not Gate.asked.is_set() and not over.is_set():
            os.sched_yield()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        if video is None:
            remote(slow)
        elif way == "one":
            video[90]
        else:
            video.batch([30, 90])
        over.set()
        thread.join()
    thread.join()
    assert not over.is_set()
    assert not Gate.gate.is_set()
    if video is None:
        # An opening that is interrupted is over: nothing of it goes on beside the program.
        assert not [thread for thread in threading.enumerate() if thread.name == "scrub"]
    Gate.gate.set()
    video = video or remote(slow)
    assert video.transport == "library" and (video.native(90).planes[0] == noise(90)[:240]).all()
    assert video.batch([30, 90]).shape[0] == 2
    video.close()
