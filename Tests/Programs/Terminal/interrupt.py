"""Runs a command on a terminal, presses Ctrl-C as soon as it has said or printed something, and tells what is left there.

    interrupt.py PROGRAM [WORD…]     prints one JSON object: status, screen (its lines), pressed
"""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios


def screen(text: str) -> list[str]:
    """The lines that a terminal shows: returns to the line's beginning, and wiping to its end."""
    lines, column = [""], 0
    place = 0
    while place < len(text):
        if text.startswith("\x1b[K", place):
            lines[-1] = lines[-1][:column]
            place += 3
            continue
        sign = text[place]
        if sign == "\r":
            column = 0
        elif sign == "\n":
            lines.append("")
            column = 0
        else:
            lines[-1] = lines[-1][:column].ljust(column) + sign + lines[-1][column + 1:]
            column += 1
        place += 1
    return [line for line in lines if line]


def main() -> None:
    above, below = pty.openpty()
    reading, writing = os.pipe()

    def own_terminal() -> None:
        os.setsid()
        # A test that runs in the background has it ignored, and its thread may have it blocked.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        fcntl.ioctl(2, termios.TIOCSCTTY, 0)

    child = subprocess.Popen(sys.argv[1:], stdin=below, stdout=writing, stderr=below, preexec_fn=own_terminal)
    os.close(below)
    os.close(writing)
    text, pressed, sources = b"", False, [above, reading]
    while sources:
        for source in select.select(sources, [], [])[0]:
            try:
                new = os.read(source, 1 << 16)
            except OSError:
                new = b""
            if not new:
                sources.remove(source)
                continue
            if source == above:
                text += new
            if not pressed:
                pressed = True
                os.write(above, b"\x03")
    child.wait()
    print(json.dumps({"status": child.returncode, "screen": screen(text.decode(errors="replace")), "pressed": pressed}))


main()
