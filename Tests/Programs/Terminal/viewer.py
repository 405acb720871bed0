"""Tests the viewer in the terminal on terminals that are none: kitty, sixel, half blocks, tmux.

    python3 Tests/Programs/Terminal/viewer.py PROGRAM CLIP [TEST...]

PROGRAM is scrub, CLIP testdata/clips/demo.mp4 (640 x 360, 210 frames, 30 a second). What is on the screen is compared with what
`scrub seek --hash --output` gives for the frame that the status line names. Ends with 1 when something is not as it should be.
"""
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from fake_terminal import FakeTerminal  # noqa: E402

PROGRAM, CLIP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
VERB = os.environ.get("VIEW", "view --terminal").split()
COUNT, RATE = 210, 30
work = pathlib.Path(tempfile.mkdtemp())


def viewer(*files, **options):
    return FakeTerminal([PROGRAM, *VERB, "--no-cache", *(files or (CLIP,))], **options)


@functools.lru_cache(maxsize=None)
def truth(number):
    """The frame's hash by the command line, and the pixels of its PNG."""
    path = work / f"{number}.png"
    told = subprocess.run([PROGRAM, "seek", CLIP, f"f{number}", "--no-cache", "--hash", "--json", "--output", str(path)],
                          check=True, capture_output=True, text=True).stdout
    answer = json.loads(told)
    assert answer["frame"] == number and answer["verdict"] == "exact", answer
    return answer["hash"], pixels(path)


def pixels(path, *filters):
    return subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), *filters, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                          check=True, capture_output=True).stdout


@functools.lru_cache(maxsize=None)
def all_small(width, height):
    """Every frame at a small size, by ffmpeg alone."""
    data = subprocess.run(["ffmpeg", "-v", "error", "-i", CLIP, "-vf", f"scale={width}:{height}:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                          check=True, capture_output=True).stdout
    size = width * height * 3
    return [data[i:i + size] for i in range(0, len(data), size)]


def resolve(position):
    told = subprocess.run([PROGRAM, "seek", CLIP, position, "--no-cache", "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(told)["frame"]


STATUS = re.compile(r"f(\d+)/209")


def arrived(terminal, number, seconds=15):
    """The line says this frame is exact, and the picture is its very pixels."""
    # Without an arrow to another one: reads may part a line.
    terminal.wait_status(rf"f{number}/209 ", r" exact  [^>]*$", seconds=seconds)
    told = terminal.status()
    time_text = f"{number / RATE // 60:.0f}:{int(number / RATE % 60):02d}.{int(number * 1000 / RATE) % 1000:03d}/0:07.000"
    assert time_text in told, (told, time_text)
    assert re.search(r" [IPB]  exact  (kept|\d+ decoded)", told), told
    check_picture(terminal, number)
    return told


def quantized(rgb, width):
    """What the sixel renderer makes of pixels, said again: dither, nearest of 240, percent."""
    pattern = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
    steps = [0, 95, 135, 175, 215, 255]

    def color(number):
        if number >= 232:
            return (8 + 10 * (number - 232),) * 3
        place = number - 16
        return steps[place // 36], steps[place // 6 % 6], steps[place % 6]

    def step(value):
        return min(range(6), key=lambda i: (abs(steps[i] - value), i))

    @functools.lru_cache(maxsize=None)
    def nearest(r5, g5, b5):
        r, g, b = (v << 3 | v >> 2 for v in (r5, g5, b5))
        cube = 16 + 36 * step(r) + 6 * step(g) + step(b)
        # Swift divides towards zero.
        gray = 232 + max(0, min(23, int(((r + g + b) // 3 - 3) / 10)))

        def distance(number):
            x, y, z = (c - v for c, v in zip(color(number), (r, g, b)))
            return 3 * x * x + 6 * y * y + z * z
        chosen = gray if distance(gray) < distance(cube) else cube
        return bytes((c * 100 + 127) // 255 for c in color(chosen))

    out = bytearray()
    for at in range(0, len(rgb), 3):
        y, x = divmod(at // 3, width)
        shift = pattern[(y & 3) << 2 | x & 3] * 2 - 15
        out += nearest(*(max(0, min(255, v + shift)) >> 3 for v in rgb[at:at + 3]))
    return bytes(out)


def check_picture(terminal, number):
    width, height, shown = terminal.picture()
    if terminal.kind == "color":
        small = all_small(width, height)
        distance = [sum(abs(a - b) for a, b in zip(shown[::7], one[::7])) for one in small]
        assert distance.index(min(distance)) == number, (number, distance.index(min(distance)))
        return
    hash_, rgb = truth(number)
    assert (width, height) == (640, 360), (width, height)
    wanted = rgb if terminal.kind == "kitty" else quantized(rgb, width)
    assert hashlib.md5(shown).hexdigest() == hashlib.md5(wanted).hexdigest(), f"{number} ({hash_}) is another picture"


def finish(terminal, code=0):
    terminal.type("q")
    got, errors = terminal.end()
    assert got == code, (got, errors)
    restored(terminal)
    assert not terminal.problems, terminal.problems
    assert not terminal.emptied, "there was nothing on the screen between two pictures"
    terminal.close()
    return errors


def restored(terminal):
    assert not terminal.modes & {1000, 1002, 1006, 1049, 2026}, terminal.modes
    assert b"\x1b[?25l" not in terminal.raw or 25 in terminal.modes, "no cursor"
    assert not terminal.placed, "a picture stays behind"
    now = termios.tcgetattr(terminal.slave)
    assert now[:4] == terminal.before[:4], (now[:4], terminal.before[:4])


# MARK: The tests

def keys(kind="kitty"):
    """Every key of the table, one after the other: picture, number, verdict and time are of one frame."""
    terminal = viewer(kind=kind)
    arrived(terminal, 0)
    frame = 0
    every = truth_keys()
    for text, number in (
        ("\x1b[C", 1), ("..", 3), (",", 2), ("\x1b[A", 3), ("\x1b[B", 2), ("\x1b[1;2C", 32), ("\x1b[1;2D", 2), ("\x1b[D\x1b[D\x1b[D", 0),
        ("\x1b[F", 209), ("\x1b[C", 209), ("\x1b[H", 0), ("5", resolve("50%")), ("9", resolve("90%")), ("0", 0), ("\x1b[5~", 209),
        ("\x1b[6~", 0), (">", every[1]), (">", every[2]), ("<", every[1]), ("\x1b[C<", every[1]), ("\x1bOC", every[1] + 1),
    ):
        terminal.type(text)
        arrived(terminal, number)
        frame = number
    finish(terminal)
    return f"{len(every)} key pictures, the last frame was {frame}"


def truth_keys():
    told = subprocess.run([PROGRAM, "frames", CLIP, "--no-cache", "--json"], check=True, capture_output=True, text=True).stdout
    return [json.loads(line)["frame"] for line in told.splitlines() if json.loads(line)["keyframe"]]


def go_to():
    terminal = viewer(kind="kitty")
    arrived(terminal, 0)
    for text, number in (("gf88\r", 88), (":0:02.5\r", resolve("0:02.5")), ("f12\x7f3\r", 13), ("g42%\r", resolve("42%")), ("glast\r", 209)):
        terminal.type(text)
        arrived(terminal, number)
    terminal.type("gf500")
    terminal.wait_status("^go to: f500")
    assert "exact" not in terminal.status()
    terminal.type("\r")
    terminal.wait_status("^go to: f500")
    terminal.type("\x7f" * 4 + "zz")
    terminal.wait_status("zz .*not a position")
    # A lone Escape is one when nothing follows.
    terminal.type("\x1b")
    arrived(terminal, 209)
    terminal.type("gq\x15f1")
    terminal.wait_status("frame 1, 0:00.033")
    terminal.type("\r")
    arrived(terminal, 1)
    terminal.type("g" + "1" * 300)
    terminal.wait_status("go to: 1111")
    terminal.type("\x1b")
    arrived(terminal, 1)
    finish(terminal)


def drags(kind="kitty"):
    """The library's gesture on the picture, and places on the line of time."""
    terminal = viewer(kind=kind)
    arrived(terminal, 0)
    terminal.type("5")
    begin = resolve("50%")
    arrived(terminal, begin)
    # From the frame's own place: so many cells of 80 to the right.
    terminal.mouse("press", 30, 10)
    for column in range(31, 51):
        terminal.mouse("drag", column, 10)
    number = resolve(str(begin / COUNT + 20 / 80))
    terminal.wait_status(rf"f{number}/209")
    arrived(terminal, number)
    # Further down it is finer: 7 rows of 16 are 112 points, a quarter.
    terminal.mouse("drag", 50, 17)
    terminal.wait_status("fine 1/4")
    terminal.mouse("drag", 58, 17)
    number = resolve(repr(begin / COUNT + 20 / 80 + 8 / 80 / 4))
    arrived(terminal, number)
    terminal.mouse("release", 58, 17)
    terminal.wait(lambda t: "fine" not in t.status())
    arrived(terminal, number)
    # Escape takes a drag back.
    terminal.mouse("press", 70, 3)
    terminal.mouse("drag", 10, 3)
    terminal.wait(lambda t: f"f{number}/209" not in t.status())
    terminal.type("\x1b")
    arrived(terminal, number)
    terminal.mouse("release", 10, 3)
    # Beyond the end it stays at the end.
    terminal.mouse("press", 0, 3)
    terminal.mouse("drag", 79, 3)
    terminal.mouse("release", 79, 3)
    arrived(terminal, 209)
    # The line: both ends and the middle.
    for column, position in ((0, "0"), (78, "last"), (39, "0.5")):
        terminal.mouse("press", column, 23)
        terminal.mouse("release", column, 23)
        arrived(terminal, resolve(position))
    head = terminal.line(23).index("█")
    assert abs(head - 39) <= 1, terminal.line(23)
    assert terminal.line(23).count("┴") >= 1, terminal.line(23)
    terminal.mouse("down", 5, 5)
    arrived(terminal, resolve("0.5") + 1)
    terminal.mouse("up", 5, 5)
    arrived(terminal, resolve("0.5"))
    # Other buttons and the status line do nothing.
    terminal.mouse("press", 3, 3, button=2)
    terminal.mouse("release", 3, 3, button=2)
    terminal.mouse("press", 3, 24)
    terminal.mouse("release", 3, 24)
    arrived(terminal, resolve("0.5"))
    finish(terminal)


def sixels():
    keys("sixel")


def half_blocks():
    terminal = viewer(kind="color")
    for text, number in (("", 0), ("f88\r", 88), ("\x1b[C", 89), ("\x1b[F", 209)):
        terminal.type(text)
        terminal.wait_status(rf"f{number}/209 ", " exact ")
        check_picture(terminal, number)
    finish(terminal)


def plays():
    """Plays forward, faster, backward, and stops by itself at the end; the status names what is shown."""
    terminal = viewer(kind="kitty")
    arrived(terminal, 0)
    terminal.type(" ")
    terminal.wait_status(r"^>  f\d")
    terminal.wait_status(r"f(3\d|4\d)/209")
    terminal.type("l")
    terminal.wait_status(r"^> x2")
    terminal.type("ll")
    terminal.wait_status(r"^> x8")
    arrived(terminal, 209)
    terminal.type("j")
    terminal.wait_status(r"^<  f")
    terminal.wait(lambda t: (m := STATUS.search(t.status())) and int(m[1]) < 200)
    terminal.type("k")
    terminal.wait_status("^f", " exact ")
    terminal.wait(lambda t: "->" not in t.status())
    number = int(STATUS.search(terminal.status())[1])
    arrived(terminal, number)
    # A drag while it plays: it pauses, and goes on when it is let go.
    terminal.type("0 ")
    terminal.wait_status(r"^>  f")
    terminal.mouse("press", 10, 5)
    terminal.mouse("drag", 20, 5)
    terminal.wait_status(r"^f")
    terminal.mouse("release", 20, 5)
    terminal.wait_status(r"^>  f")
    finish(terminal)


def resizes():
    terminal = viewer(kind="kitty")
    arrived(terminal, 0)
    terminal.type("f50\r")
    arrived(terminal, 50)
    for columns, rows in ((40, 14), (120, 40), (20, 5), (9, 3), (2, 1), (80, 25)):
        terminal.resize(columns, rows)
        terminal.wait(lambda t: t.placed and next(iter(t.placed.values()))[2] <= columns
                      and (rows < 4 or t.status().startswith("f50")), 10)
    arrived(terminal, 50)
    finish(terminal)


def asks():
    """Without an answer about cells, with keys typed before it asks, and a terminal that answers nothing at all."""
    terminal = viewer(kind="kitty", tells_cell=False)
    arrived(terminal, 0)
    finish(terminal)
    terminal = viewer(kind="kitty", environment={"TERM": "xterm-256color"})
    arrived(terminal, 0)
    terminal.type("\x1b[6;16;8t\x1b_Gi=31;OK\x1b\\\x1b[?62c")
    terminal.type("\x1b[C")
    arrived(terminal, 1)
    finish(terminal)
    silent = viewer(kind="color")
    # One that never answers: the environment's word counts.
    silent.type = lambda text, real=silent.type: real(text) if text in ("q", "\x1b[C") else None
    silent.wait_status("f0/209", "exact")
    silent.type("\x1b[C")
    silent.wait_status("f1/209", "exact")
    finish(silent)


def ends():
    """However it ends, the terminal is as it was."""
    for how in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT, signal.SIGILL):
        terminal = viewer(kind="kitty", environment={"SWIFT_BACKTRACE": "enable=no"})
        arrived(terminal, 0)
        assert {1002, 1006, 1049} <= terminal.modes and 25 not in terminal.modes, terminal.modes
        os.kill(terminal.process.pid, how)
        code, errors = terminal.end()
        assert code == -how, (how, code, errors)
        restored(terminal)
        terminal.close()
    # Swift's own handler writes where a crash was, and asks: in a terminal that is as before.
    terminal = viewer(kind="kitty", environment={"SWIFT_BACKTRACE": "enable=yes,interactive=no,timeout=5s,threads=crashed,limit=4"})
    arrived(terminal, 0)
    os.kill(terminal.process.pid, signal.SIGILL)
    terminal.wait(lambda t: 1049 not in t.modes)
    # It may take its time.
    restored(terminal)
    terminal.close()
    for text in ("q", "\x03", "\x1b"):
        terminal = viewer(kind="kitty")
        arrived(terminal, 0)
        terminal.type(text)
        code, errors = terminal.end()
        assert code == 0 and not errors, (text, code, errors)
        restored(terminal)
        terminal.close()
    # In the middle of a drag over a terminal that does not read.
    terminal = viewer(kind="kitty", columns=160, rows=50)
    terminal.wait_status("f0/209", "exact")
    terminal.is_paused.set()
    for column in range(1, 60):
        terminal.mouse("press" if column == 1 else "drag", column, 5)
    time.sleep(0.5)
    terminal.type("q")
    terminal.is_paused.clear()
    code, errors = terminal.end()
    assert code == 0, (code, errors)
    restored(terminal)
    terminal.close()


def suspends():
    terminal = viewer(kind="kitty")
    arrived(terminal, 0)
    terminal.type("f20\r")
    arrived(terminal, 20)
    terminal.type("\x1a")
    terminal.wait(lambda t: 1049 not in t.modes)
    for _ in range(200):
        if open(f"/proc/{terminal.process.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "T":
            break
        time.sleep(0.02)
    else:
        raise AssertionError("it was not stopped")
    restored(terminal)
    os.kill(terminal.process.pid, signal.SIGCONT)
    terminal.wait(lambda t: 1049 in t.modes and t.placed)
    arrived(terminal, 20)
    terminal.type("\x1b[C")
    arrived(terminal, 21)
    finish(terminal)


def help_and_redraw():
    terminal = viewer(kind="kitty")
    arrived(terminal, 0)
    terminal.type("?")
    terminal.wait(lambda t: any("next key picture" in "".join(r) for r in t.grid))
    assert not terminal.placed, "the picture lies over the help"
    terminal.emptied = False
    terminal.type("x")
    terminal.wait(lambda t: bool(t.placed) and not any("next key picture" in "".join(r) for r in t.grid))
    arrived(terminal, 0)
    terminal.type("?\x1b\x0c")
    terminal.wait(lambda t: bool(t.placed))
    arrived(terminal, 0)
    # A picture that comes while the help is there is shown after it.
    terminal.type("l?")
    terminal.wait(lambda t: any("next key picture" in "".join(r) for r in t.grid))
    time.sleep(0.3)
    terminal.type("x")
    terminal.wait_status(r"^>  f")
    terminal.emptied = False
    finish(terminal)


def several_films():
    folder = work / "films"
    folder.mkdir()
    shutil.copy(CLIP, folder / "a.mp4")
    (folder / "b.txt").write_text("no video")
    shutil.copy(CLIP, folder / "c \x1b[31m.mp4")
    (folder / ".hidden").write_text("x")
    terminal = viewer(str(folder), kind="kitty")
    arrived(terminal, 0)
    assert "a.mp4 (1/3)" in terminal.status(), terminal.status()
    terminal.type("f7\r")
    arrived(terminal, 7)
    terminal.type("n")
    terminal.wait_status("b.txt: ")
    terminal.type("\x1b[C")
    arrived(terminal, 1)
    assert "c ?[31m.mp4 (3/3)" in terminal.status(), terminal.status()
    terminal.type("n")
    terminal.wait_status("no film after")
    terminal.type("p")
    # The one between is tried again, and told.
    terminal.wait_status("f7/209  b.txt: ")
    terminal.type(".")
    arrived(terminal, 8)
    assert "a.mp4 (1/3)" in terminal.status(), terminal.status()
    terminal.type(",")
    arrived(terminal, 7)
    terminal.type("q")
    code, errors = terminal.end()
    assert code == 65 and "b.txt" in errors, (code, errors)
    restored(terminal)
    terminal.close()
    for name, want in ((str(folder / "b.txt"), 65), (str(folder / "none.mp4"), 66)):
        terminal = viewer(name, kind="kitty")
        code, errors = terminal.end()
        assert code == want and pathlib.Path(name).name in errors, (code, errors)
        restored(terminal)
        terminal.close()


def opens_slowly():
    """A film that does not answer: it says what it waits for, and ends at once when it is told to; with another film on the screen that stays."""
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(8)
    address = f"http://127.0.0.1:{silent.getsockname()[1]}/far.mp4"
    for text in ("q", "\x1b", "\x03"):
        terminal = viewer(address, kind="kitty")
        terminal.wait(lambda t: any("opening far.mp4" in "".join(r) for r in t.grid))
        terminal.resize(70, 20)
        terminal.wait(lambda t: any("opening far.mp4" in "".join(r) for r in t.grid))
        terminal.type("xx\x1b[C")
        start = time.monotonic()
        terminal.type(text)
        code, errors = terminal.end()
        assert code == 0 and not errors and time.monotonic() - start < 3, (code, errors, time.monotonic() - start)
        restored(terminal)
        terminal.close()
    terminal = viewer(CLIP, address, CLIP, kind="kitty")
    arrived(terminal, 0)
    terminal.type("n")
    terminal.wait_status("opening far.mp4")
    terminal.type("nnpp.")
    arrived(terminal, 1)
    finish(terminal)
    silent.close()


def damaged_and_odd():
    """Damage is told by name, what is undecodable keeps the picture before; turned films and odd sizes have their shape."""
    clips = pathlib.Path(CLIP).parent
    terminal = viewer(str(clips / "damaged-h264.mp4"), kind="kitty")
    terminal.wait_status(r"f0/\d+", " exact ")
    words = set()
    for _ in range(400):
        told = terminal.status()
        number = int(re.search(r"f(\d+)/(\d+)", told)[1])
        last = int(re.search(r"f(\d+)/(\d+)", told)[2])
        words.add(re.search(r" (exact|damaged|undecodable) ", told)[1])
        if number == last:
            break
        terminal.type("\x1b[C")
        terminal.wait_status(rf"^f{number + 1}/", " (exact|damaged|undecodable) ")
    assert "damaged" in words, words
    terminal.type("q")
    terminal.end()
    restored(terminal)
    terminal.close()
    for name, is_high in (("rotate-90.mp4", True), ("h264-sar-2-1.mp4", False), ("h264-odd.mp4", False), ("h264-single.mp4", False), ("size-change.mkv", False)):
        terminal = viewer(str(clips / name), kind="kitty")
        terminal.wait_status(r"f0/\d+", " exact ")
        width, height, _ = terminal.picture()
        assert (height > width) == is_high, (name, width, height)
        terminal.type("\x1b[F")
        terminal.wait_status(" exact ")
        terminal.type("0")
        terminal.wait_status(r"f0/\d+", " exact ")
        finish(terminal)
    return sorted(words)


def refuses():
    run = functools.partial(subprocess.run, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    told = run([PROGRAM, *VERB, CLIP])
    assert told.returncode == 64 and "standard output is not a terminal" in told.stderr and not told.stdout, told
    terminal = FakeTerminal(["bash", "-c", f'"{PROGRAM}" {" ".join(VERB)} "{CLIP}" </dev/null'], kind="kitty")
    code, errors = terminal.end()
    assert code == 64 and "standard input is not a terminal" in errors, (code, errors)
    restored(terminal)
    terminal.close()
    terminal = viewer(kind="dumb")
    code, errors = terminal.end()
    assert code == 69 and "TERM" in errors, (code, errors)
    restored(terminal)
    terminal.close()


def fast_drag():
    """300 moves at 60 Hz: nothing is torn, memory stays, the last place is exact at once after the rest."""
    terminal = viewer(kind="kitty")
    arrived(terminal, 0)

    def memory(what):
        for line in open(f"/proc/{terminal.process.pid}/status"):
            if line.startswith(what):
                return int(line.split()[1])

    terminal.mouse("press", 0, 8)
    before = None
    for move in range(300):
        terminal.mouse("drag", [*range(80), *range(79, -1, -1)][move % 160], 8)
        time.sleep(1 / 60)
        if move == 100:
            before = memory("VmRSS:")
    terminal.mouse("drag", 33, 8)
    start = time.monotonic()
    terminal.mouse("release", 33, 8)
    number = resolve(repr(33 / 80))
    arrived(terminal, number, 5)
    took = time.monotonic() - start
    pictures, after, peak = len(terminal.history), memory("VmRSS:"), memory("VmHWM:")
    assert after < before * 1.25 + 20_000, (before, after)
    finish(terminal)
    return f"{pictures} pictures in 300 moves, RSS {before // 1024} then {after // 1024} MiB, peak {peak // 1024}"


def in_tmux():
    if not shutil.which("tmux"):
        return "without tmux"
    socket = str(work / "tmux")
    log = work / "tmux-errors"
    tmux = functools.partial(subprocess.run, capture_output=True, text=True)

    def do(*words):
        return tmux(["tmux", "-f", "/dev/null", "-S", socket, *words]).stdout

    environment = {k: v for k, v in os.environ.items() if k != "TMUX"}
    subprocess.run(["tmux", "-f", "/dev/null", "-S", socket, "new-session", "-d", "-x", "80", "-y", "25", "bash", "--norc"], check=True, env=environment)
    try:
        do("set", "-g", "mouse", "on")

        def wait(*words):
            for _ in range(300):
                screen = do("capture-pane", "-p")
                last = [line for line in screen.split("\n") if line.strip()][-1:] or [""]
                if all(re.search(w, last[0]) for w in words):
                    return screen
                time.sleep(0.05)
            raise AssertionError(screen)

        do("send-keys", f"'{PROGRAM}' {' '.join(VERB)} --no-cache '{CLIP}' 2>{log}; echo code $?", "Enter")
        wait("f0/209", "exact")
        do("send-keys", "Right")
        wait("f1/209", "exact")
        do("send-keys", "S-Right")
        wait("f31/209", "exact")
        do("send-keys", "f", "8", "8", "Enter")
        screen = wait("f88/209", "exact")
        assert "▄" in screen
        colors = do("capture-pane", "-p", "-e")
        assert "48;2;" in colors, "no colors of 24 bits"
        do("resize-window", "-x", "60", "-y", "20")
        wait("f88/209", "exact")
        do("send-keys", "End")
        wait("f209/209", "exact")
        # A lone Escape ends it.
        do("send-keys", "Escape")
        for _ in range(100):
            if "code 0" in do("capture-pane", "-p"):
                break
            time.sleep(0.05)
        else:
            raise AssertionError(do("capture-pane", "-p"))
        assert not log.read_text(), log.read_text()
    finally:
        do("kill-server")


def screen_like():
    """What tmux and screen say that are asked for sixels: nothing, and half blocks of 240 colors do."""
    terminal = viewer(kind="dumb", environment={"TERM": "screen-256color"})
    terminal.wait_status("f0/209", "exact")
    assert any(isinstance(c[1], int) for c in terminal.colors[5]), "no indexed colors"
    finish(terminal)


TESTS = [keys, go_to, drags, sixels, half_blocks, plays, resizes, asks, ends, suspends, help_and_redraw, several_films, opens_slowly,
         damaged_and_odd, refuses, fast_drag, in_tmux, screen_like]


def main():
    failures = 0
    try:
        for test in TESTS:
            if sys.argv[3:] and test.__name__ not in sys.argv[3:]:
                continue
            start = time.monotonic()
            try:
                note = test()
                print(f"ok    {test.__name__} {time.monotonic() - start:.1f} s" + (f" ({note})" if note is not None else ""), flush=True)
            except Exception:
                failures += 1
                print(f"FAIL  {test.__name__}\n{traceback.format_exc()}", flush=True)
    finally:
        shutil.rmtree(work)
    return 1 if failures else 0


sys.exit(main())
