"""A process of its own, with its wall time, its processor time and the most memory that it had at a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# A process begins with the greatest memory of the one that started it. So a small one does: an interpreter without its
# site packages.
RUNNER = """
import json, os, signal, sys, time
seconds, output, *words = sys.argv[1:]
begun = time.monotonic()
actions = [(os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
           (os.POSIX_SPAWN_OPEN, 2, output + ".errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
number = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
def end(*_):
    os.kill(number, signal.SIGTERM)
signal.signal(signal.SIGALRM, end)
signal.signal(signal.SIGTERM, end)
signal.alarm(int(seconds))
_, status, usage = os.wait4(number, 0)
print(json.dumps([time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)]))
"""


@dataclass
class Outcome:
    seconds: float
    cpu: float
    mib: float
    code: int
    output: Path
    """What it wrote; what it complained about is beside it."""

    @property
    def text(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    @property
    def errors(self) -> str:
        return Path(f"{self.output}.errors").read_text(encoding="utf-8", errors="replace")


def run(words: list[str], work: Path, limit: int = 0, folder: Path | None = None) -> Outcome:
    """Runs a program with a cache and a state of its own in `work`. After `limit` seconds it is asked to end; 0 is never."""
    environment = {name: value for name, value in os.environ.items() if name != "SCRUB_CACHE_DIR"}
    environment |= {"XDG_CACHE_HOME": str(work / "cache"), "XDG_STATE_HOME": str(work / "state")}
    output = work / "output"
    command = [sys.executable, "-I", "-S", "-c", RUNNER, str(limit), str(output), *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=folder, text=True)
    try:
        said, _ = process.communicate()
    except BaseException:
        process.send_signal(signal.SIGTERM)
        process.wait()
        raise
    seconds, cpu, mib, code = json.loads(said)
    return Outcome(seconds, cpu, mib, code, output)


def byte_count(folder: Path, suffix: str = "") -> int:
    """The bytes of all files below a folder whose names end so."""
    return sum(
        os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names if name.endswith(suffix))
