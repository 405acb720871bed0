"""Pages, plots and figures that are made of one file of figures: written, or compared with what is there."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def _strays(texts: dict[Path, str], pictures: Path) -> set[Path]:
    """Plots that the figures do not make any more."""
    return {file for file in pictures.glob("*") if file not in texts}


def _check(program: str, figures: Path, texts: dict[Path, str], pictures: Path) -> int:
    """Says which files are not those that the figures make; returns 1 if there are some."""
    other = {file for file, text in texts.items() if not file.exists() or file.read_text(encoding="utf-8") != text}
    wrong = sorted(other | _strays(texts, pictures))
    for file in wrong:
        print(f"{program}: {file.relative_to(ROOT)} is not what {figures.relative_to(ROOT)} makes", file=sys.stderr)
    if wrong:
        print(f"{program}: python3 Benchmarks/{program}.py --write makes it", file=sys.stderr)
    return 1 if wrong else 0


def _write(texts: dict[Path, str], pictures: Path) -> None:
    for file in _strays(texts, pictures):
        file.unlink()
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def finish(program: str, figures: Path, texts: dict[Path, str], pictures: Path, checks: bool) -> int:
    """Writes the files, or with `checks` compares them with what is there; returns the exit code."""
    if checks:
        return _check(program, figures, texts, pictures)
    _write(texts, pictures)
    plots = sum(file.parent == pictures for file in texts)
    print(f"{program}: {figures.name}, {plots} plots and their page")
    return 0
