"""Finds the scrub program, and checks its identity before passing it any file name.

Debian has a different program `scrub`, which overwrites the files that it is given. Therefore, no program receives a
file name until the output of its `--version` option shows that it is this project's program.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Optional

from ._errors import ProgramNotFoundError

MINIMUM = (1, 0, 0)
NAMES = ("scrub-video", "scrub")
_INSTALL = "install it with 'apt install ./scrub-video_*.deb', or specify it with program= or SCRUB_PROGRAM"
# Debian's disk wiper prints "scrub version 2.6.1".
_OURS = re.compile(r"scrub (\d+)\.(\d+)\.(\d+)(?:[-+][\w.+-]+)?\s*$")
_known: dict[tuple[str, int, int], tuple[Optional[tuple[int, int, int]], str]] = {}


def find_program(program: Optional[str] = None) -> str:
    """Returns the path of the scrub program.

    It is `program` if given, otherwise `$SCRUB_PROGRAM` if set, and otherwise `scrub-video` or `scrub` in `PATH`. A
    program's version is checked only once, unless the file changes.

    Raises ProgramNotFoundError if there is no suitable program. The message lists the places that were searched and
    what was found instead.
    """
    named, said = program, "program="
    if named is None and os.environ.get("SCRUB_PROGRAM"):
        named, said = os.environ["SCRUB_PROGRAM"], "SCRUB_PROGRAM="
    if named is not None:
        named = os.fspath(named)
        found = named if os.path.dirname(named) else shutil.which(named)
        fault = _fault(found) if found else "is not in PATH"
        if found and fault is None:
            return os.path.abspath(found)
        raise ProgramNotFoundError(f"{said}{named}: {found or named} {fault} ({_INSTALL})", advice=_INSTALL)
    folders = list(dict.fromkeys(folder or "." for folder in os.get_exec_path()))
    instead: list[str] = []
    for name in NAMES:
        for folder in folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                fault = _fault(path)
                if fault is None:
                    return os.path.abspath(path)
                instead.append(f"{path} {fault}")
    there = "; ".join(instead) or "there is no program with either name"
    raise ProgramNotFoundError(
        f"no scrub program was found: looked for {' and '.join(NAMES)} in {os.pathsep.join(folders)}: {there} ({_INSTALL})",
        advice=_INSTALL,
    )


def _fault(path: str) -> Optional[str]:
    """Returns why a program cannot be used, or None if it can."""
    try:
        status = os.stat(path)
    except OSError as error:
        return f"cannot be used: {error.strerror}"
    key = (os.path.abspath(path), status.st_mtime_ns, status.st_size)
    version, said = _known.get(key) or _version(path)
    if version is not None or said.startswith("is another"):
        _known[key] = version, said
    if version is None:
        return said
    if version < MINIMUM:
        return f"is too old: {_dotted(version)}, but {_dotted(MINIMUM)} is needed"
    return None


def _version(path: str) -> tuple[Optional[tuple[int, int, int]], str]:
    try:
        answer = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False, start_new_session=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return None, f"cannot be started: {error}"
    output = (answer.stdout or answer.stderr).decode("utf-8", "replace")
    lines = output.splitlines()
    first = lines[0].strip() if lines else ""
    match = _OURS.match(first)
    if match and answer.returncode == 0:
        return (int(match[1]), int(match[2]), int(match[3])), first
    if first.startswith("scrub version"):
        return None, f"is another program with that name, which overwrites files (it prints {first[:60]!r})"
    return None, f"is another program (it prints {first[:60]!r})" if first else "does not print its version"


def _dotted(version: tuple[int, int, int]) -> str:
    return ".".join(map(str, version))
