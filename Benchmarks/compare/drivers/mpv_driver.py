"""mpv over its JSON IPC, paused, without a window: from `seek … absolute+exact` to the event `playback-restart`, which
comes when the exact picture is decoded. The picture itself is then taken as a screenshot, not timed."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import tempfile
import time
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from comparison.picture import rgb_signature
from probe import probe
from protocol import Answer, Seek, at_end, serve, threads

OPTIONS = """--no-config --idle=yes --vo=null --no-audio --no-sub --pause --keep-open=yes --hr-seek=yes --hwdec=no
    --really-quiet --screenshot-format=png --screenshot-png-compression=0 --screenshot-png-filter=0
    --screenshot-sw=yes""".split()


class Player:
    def __init__(self, folder: str) -> None:
        self.path = Path(folder) / "socket"
        options = [*OPTIONS, *os.environ.get("COMPARE_OPTIONS", "").split()]
        if (count := threads()) is not None:
            options.append(f"--vd-lavc-threads={count}")
        quiet = subprocess.DEVNULL
        command = ["mpv", *options, f"--input-ipc-server={self.path}"]
        self.process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        at_end(self.process.kill)
        self.connection = socket.socket(socket.AF_UNIX)
        for _ in range(1000):
            try:
                self.connection.connect(str(self.path))
                break
            except OSError:
                time.sleep(0.01)
        self.lines = self.connection.makefile("r")
        self.sent = 0

    def ask(self, *words: Any, until: str | None = None) -> Any:
        """Sends a command and returns its data; with `until` only after that event, which may not come before it."""
        self.sent += 1
        message = {"command": words, "request_id": self.sent}
        self.connection.sendall((json.dumps(message) + "\n").encode())
        answer: dict[str, Any] | None = None
        for line in self.lines:
            heard = json.loads(line)
            if heard.get("request_id") == self.sent and "error" in heard:
                answer = heard
                if heard["error"] != "success":
                    raise RuntimeError(f"{words[0]}: {heard['error']}")
            elif answer is not None and heard.get("event") == "end-file" and heard.get("reason") == "error":
                raise RuntimeError("mpv does not play the file")
            if answer is not None and until in (None, heard.get("event")):
                return answer.get("data")
        raise RuntimeError("mpv has ended")


def read_unfiltered_png(path: Path) -> np.ndarray:
    """An 8-bit RGB PNG whose rows are not filtered, as the options above make mpv write it."""
    data = path.read_bytes()
    width, height, depth, colours = struct.unpack(">IIBB", data[16:26])
    packed, place = b"", 8
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        if kind == b"IDAT":
            packed += data[place + 8 : place + 8 + size]
        place += size + 12
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
    if (depth, colours) != (8, 2) or rows[:, 0].any():
        raise RuntimeError("mpv wrote another kind of PNG than asked for")
    return rows[:, 1:].reshape(height, width, 3)


def open_file(path: str) -> tuple[int, Seek]:
    facts = probe(path)
    folder = tempfile.TemporaryDirectory(prefix="compare-mpv-")
    at_end(folder.cleanup)
    shot = Path(folder.name) / "picture.png"
    player = Player(folder.name)
    player.ask("loadfile", path, until="playback-restart")
    # Which time mpv gives to the first picture depends on the container; it shows that picture now.
    facts.first_picture = player.ask("get_property", "time-pos")

    def look(number: int, answer: Answer) -> str:
        if player.ask("get_property", "eof-reached") and number < facts.count - 1:
            raise RuntimeError("mpv has run to the end of the file")  # and would show the picture before this request
        answer.pts = str(player.ask("get_property", "time-pos"))
        player.ask("screenshot-to-file", str(shot), "video")
        return rgb_signature(read_unfiltered_png(shot))

    def seek(number: int) -> Answer:
        player.ask("seek", facts.time(number, Fraction(1, 4)), "absolute+exact", until="playback-restart")
        answer = Answer("-", lambda: look(number, answer))
        return answer

    return facts.count, seek


serve(open_file)
