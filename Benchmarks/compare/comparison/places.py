"""Where things lie: this folder, what setup.sh has made, and which Python runs the drivers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
DRIVERS = HERE / "drivers"


def _cache() -> Path:
    chosen = os.environ.get("COMPARE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "scrub-compare"


CACHE = _cache()
SAVED_INDEXES = CACHE / "indexes"
FFMS2_DRIVER = CACHE / "bin" / "ffms2-driver"


def python() -> str:
    """The interpreter that has the rivals' packages: COMPARE_PYTHON, else the one setup.sh made, else this one."""
    chosen = os.environ.get("COMPARE_PYTHON")
    if chosen:
        return chosen
    made = CACHE / "venv" / "bin" / "python"
    return str(made) if made.exists() else sys.executable


def use_python_with_numpy() -> None:
    """Starts the program again under `python()` when that was chosen, or the interpreter at hand has no numpy."""
    if os.environ.get("COMPARE_PYTHON") and os.path.abspath(python()) != os.path.abspath(sys.executable):
        os.execv(python(), [python(), *sys.argv])
    try:
        import numpy  # noqa: F401
    except ImportError:
        if python() == sys.executable:
            sys.exit(f"{sys.argv[0]}: numpy is missing; run {HERE.name}/setup.sh first")
        os.execv(python(), [python(), *sys.argv])


def scrub() -> str:
    """The scrub to measure: SCRUB, else this repository's release build."""
    return os.environ.get("SCRUB") or str(HERE.parent.parent / ".build" / "release" / "scrub")


def library() -> str | None:
    """The C library to measure: SCRUB_LIBRARY, else this repository's build, if it is there."""
    made = HERE.parent.parent / ".build" / "library" / "libscrub.so.1"
    return os.environ.get("SCRUB_LIBRARY") or (str(made) if made.exists() else None)


def clip_folder(quick: bool) -> Path:
    """The full set, or with `quick` the short one; the other where only that was made."""
    full, short = CACHE / "clips", CACHE / "clips-quick"
    first, second = (short, full) if quick else (full, short)
    return first if (first / "truth").is_dir() else second
