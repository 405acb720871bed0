"""A terminal without a screen: keeps what a program writes as cells, kitty pictures and sixels, and answers what it is asked."""
import base64
import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import threading
import time


class FakeTerminal:
    """Runs a program in a pseudo terminal. `kind`: kitty, sixel, color or dumb."""

    def __init__(self, command, kind="color", columns=80, rows=25, cell=(8, 16), environment=None, type_early=b"", tells_cell=True):
        self.kind, self.columns, self.rows, self.cell, self.tells_cell = kind, columns, rows, cell, tells_cell
        self.lock = threading.Condition()
        self.raw = bytearray()
        self.pending = b""
        self.grid = [[" "] * columns for _ in range(rows)]
        self.colors = [[(None, None)] * columns for _ in range(rows)]
        self.fore = self.back = None
        self.row = self.column = 0
        self.images, self.placed, self.history, self.sixel = {}, {}, [], None
        self.modes, self.problems, self.chunks = set(), [], None
        self.is_paused = threading.Event()
        self.master, slave = pty.openpty()
        self.resize(columns, rows, tell=False)
        # A shell's: cooked.
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        words = {"kitty": "xterm-kitty", "sixel": "xterm-256color", "color": "xterm-256color", "dumb": "dumb"}
        full = {k: v for k, v in os.environ.items() if k not in ("TMUX", "COLORTERM", "TERM")}
        full.update({"TERM": words[kind], "COLORTERM": "truecolor" if kind == "color" else ""}, **(environment or {}))
        if type_early:
            os.write(self.master, type_early)
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=full, start_new_session=True,
                                        preexec_fn=FakeTerminal._prepare)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    @staticmethod
    def _prepare():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    # MARK: The person's side

    def type(self, text):
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def mouse(self, kind, column, row, button=0):
        """press, drag, release, up, down, at a cell from 0."""
        code = {"press": button, "drag": button + 32, "release": button, "up": 64, "down": 65}[kind]
        self.type(f"\x1b[<{code};{column + 1};{row + 1}{'m' if kind == 'release' else 'M'}")

    def resize(self, columns, rows, tell=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        with self.lock:
            self.grid = [[" "] * columns for _ in range(rows)]
            self.colors = [[(None, None)] * columns for _ in range(rows)]
            self.columns, self.rows = columns, rows
            self.row, self.column = min(self.row, rows - 1), min(self.column, columns - 1)
        if tell:
            os.killpg(self.process.pid, signal.SIGWINCH)

    def line(self, row):
        with self.lock:
            return "".join(self.grid[row]).rstrip()

    def wait(self, condition, seconds=15):
        """Waits until a condition of this terminal holds, looked at whenever something came."""
        end = time.monotonic() + seconds
        with self.lock:
            while not condition(self):
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError("never; the screen:\n" + "\n".join("".join(r).rstrip() for r in self.grid[-4:])
                                         + f"\n{len(self.history)} pictures")
                self.lock.wait(min(left, 0.2))

    def status(self):
        return "".join(self.grid[self.rows - 1]).rstrip()

    def wait_status(self, *words, seconds=15):
        self.wait(lambda t: all(re.search(w, t.status()) for w in words), seconds)

    def end(self, seconds=10):
        code = self.process.wait(seconds)
        # What is still on its way.
        time.sleep(0.1)
        return code, self.process.stderr.read().decode(errors="replace")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()
        os.close(self.slave)
        self.thread.join(2)
        os.close(self.master)

    # MARK: The terminal's side

    def _read(self):
        while True:
            while self.is_paused.is_set():
                time.sleep(0.01)
            try:
                if not select.select([self.master], [], [], 0.2)[0]:
                    if self.process.poll() is not None:
                        return
                    continue
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            with self.lock:
                self.raw += data
                self.pending += data
                self._parse()
                self.lock.notify_all()

    def _parse(self):
        data, place = self.pending, 0
        while place < len(data):
            byte = data[place]
            if byte != 0x1B:
                if byte >= 0x80:
                    length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2
                    if place + length > len(data):
                        break
                    self._put(data[place:place + length].decode(errors="replace"))
                    place += length
                    continue
                if byte == 13:
                    self.column = 0
                elif byte == 10:
                    if self.row == self.rows - 1:
                        self.problems.append("scrolled")
                    self.row = min(self.rows - 1, self.row + 1)
                elif byte >= 32:
                    self._put(chr(byte))
                place += 1
                continue
            rest = data[place:]
            if len(rest) < 2:
                break
            if rest[1:2] in b"_P]":
                end = rest.find(b"\x1b\\")
                if end < 0:
                    break
                self._text(chr(rest[1]), rest[2:end])
                place += end + 2
            elif rest[1:2] == b"[":
                found = re.match(rb"\x1b\[([<-?]?)([\d;:]*)([ -/]*)([@-~])", rest)
                if not found:
                    break
                self._control(found[1].decode(), found[2].decode(), found[4].decode())
                place += found.end()
            elif rest[1:2] == b"\\":
                place += 2
            else:
                self.problems.append(f"escape {rest[1:2]!r}")
                place += 2
        self.pending = data[place:]

    def _put(self, character):
        if self.column >= self.columns:
            self.problems.append("wrapped")
            self.column = 0
        self.grid[self.row][self.column] = character
        self.colors[self.row][self.column] = (self.fore, self.back)
        self.column += 1

    def _control(self, mark, text, final):
        numbers = [int(n or 0) for n in text.split(";")] if text else []
        if final == "H":
            self.row, self.column = (numbers + [1, 1])[0] - 1, (numbers + [1, 1])[1] - 1
            if not (0 <= self.row < self.rows and 0 <= self.column < self.columns):
                self.problems.append(f"cursor {self.row},{self.column}")
                self.row, self.column = min(self.row, self.rows - 1), min(self.column, self.columns - 1)
        elif final == "J":
            self.grid = [[" "] * self.columns for _ in range(self.rows)]
            self.colors = [[(None, None)] * self.columns for _ in range(self.rows)]
        elif final == "K":
            for column in range(self.column, self.columns):
                self.grid[self.row][column] = " "
        elif final == "m":
            while numbers or text == "":
                text = "0"
                code = numbers.pop(0) if numbers else 0
                if code == 0:
                    self.fore = self.back = None
                elif code in (38, 48):
                    kind = numbers.pop(0)
                    color = tuple(numbers.pop(0) for _ in range(3)) if kind == 2 else numbers.pop(0)
                    if code == 38:
                        self.fore = color
                    else:
                        self.back = color
                if not numbers:
                    break
        elif final in "hl" and mark == "?":
            for number in numbers:
                (self.modes.add if final == "h" else self.modes.discard)(number)
        elif final == "c" and not mark:
            self.type("\x1b[?62;4;22c" if self.kind == "sixel" else "\x1b[?62;22c")
        elif final == "t" and numbers[:1] == [16]:
            if self.tells_cell:
                self.type(f"\x1b[6;{self.cell[1]};{self.cell[0]}t")
        else:
            self.problems.append(f"CSI {mark}{text}{final}")

    def _text(self, kind, content):
        if kind == "_" and content[:1] == b"G":
            keys, _, payload = content[1:].partition(b";")
            keys = dict(k.split("=") for k in keys.decode().split(",") if k)
            if keys.get("a") == "q":
                if self.kind == "kitty":
                    self.type(f"\x1b_Gi={keys['i']};OK\x1b\\")
                return
            if self.kind != "kitty" and keys.get("a") != "d":
                self.problems.append("a kitty picture for a terminal that cannot")
            if keys.get("a") == "d":
                if keys.get("d") == "A":
                    self.placed.clear()
                elif keys.get("d") == "I":
                    if len(self.placed) < 2 and int(keys["i"]) in self.placed:
                        self.emptied = True
                    self.placed.pop(int(keys["i"]), None)
                    self.images.pop(int(keys["i"]), None)
                return
            if len(payload) > 4096:
                self.problems.append("a piece over 4096")
            if self.chunks is None:
                self.chunks = (keys, bytearray(), self.row, self.column)
            self.chunks[1].extend(payload)
            if keys.get("m", "0") == "0":
                first, data, row, column = self.chunks
                self.chunks = None
                pixels = base64.b64decode(bytes(data))
                width, height = int(first["s"]), int(first["v"])
                if len(pixels) != width * height * 3:
                    self.problems.append("torn picture")
                number = int(first["i"])
                self.images[number] = (width, height, pixels)
                self.placed[number] = (row, column, int(first["c"]), int(first["r"]))
                if row + int(first["r"]) > self.rows or column + int(first["c"]) > self.columns:
                    self.problems.append("a picture beyond the edge")
                self.history.append((width, height, pixels))
        elif kind == "P":
            if self.kind != "sixel":
                self.problems.append("sixels for a terminal that cannot")
            self.sixel = (self.row, self.column) + decode_sixels(content)
            self.history.append(self.sixel[2:])
            if self.row + -(-self.sixel[3] // self.cell[1]) > self.rows - 1:
                self.problems.append("sixels in the last row scroll")

    emptied = False

    def picture(self):
        """What is on the screen: width, height, RGB."""
        with self.lock:
            if self.kind == "kitty":
                return next((self.images[n] for n in self.placed), None)
            if self.kind == "sixel":
                return self.sixel and self.sixel[2:]
            rows = [r for r in range(self.rows) if any(isinstance(c[1], tuple) for c in self.colors[r])]
            if not rows:
                return None
            columns = [c for c in range(self.columns) if isinstance(self.colors[rows[0]][c][1], tuple)]
            pixels = bytearray()
            for row in rows:
                for half in (1, 0):
                    for column in columns:
                        fore, back = self.colors[row][column]
                        upper = back
                        lower = fore if self.grid[row][column] == "▄" else back
                        pixels += bytes(upper if half else lower)
            return (len(columns), len(rows) * 2, bytes(pixels))


def decode_sixels(content):
    """(width, height, RGB) of DCS content behind the P."""
    body = content[content.index(b"q") + 1:]
    width = height = 0
    palette, rows, current, x, y = {}, {}, 0, 0, 0
    for token in re.finditer(rb'"([\d;]+)|#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~]+)|(\$)|(-)', body):
        raster, number, r, g, b, count, one, several, back, line = token.groups()
        if raster:
            width, height = [int(n) for n in raster.split(b";")][2:4]
            canvas = bytearray(width * height * 3)
        elif number:
            current = int(number)
            if r is not None:
                palette[current] = (int(r), int(g), int(b))
        elif back:
            x = 0
        elif line:
            x, y = 0, y + 6
        else:
            run = bytes([one[0]]) * int(count) if count else several
            for bits in run:
                bits -= 63
                for place in range(6):
                    if bits >> place & 1 and x < width and y + place < height:
                        at = ((y + place) * width + x) * 3
                        canvas[at:at + 3] = bytes(palette[current])
                x += 1
    return width, height, bytes(canvas)
