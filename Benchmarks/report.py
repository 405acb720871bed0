#!/usr/bin/env python3
"""Makes docs/benchmarks.md: runs the comparisons of this folder in turns, and writes the page, its plots and README's table.

    report.py [--quick] [--clips FOLDER] [--names A,B] [--only NAME,NAME] [--output FOLDER]
                                                       measures
    report.py --write [--quick] [--output FOLDER]      makes docs/benchmarks.json of what was measured, and all pages of that
    report.py --write --check                          says whether the pages are those that docs/benchmarks.json makes

What is in the output folder is not measured again: a run may be stopped and gone on with, and a comparison is repeated when its
folder under raw/ is removed. --write with neither results nor --check makes the pages of docs/benchmarks.json alone.

SCRUB names another program than .build/release/scrub, COMPARE_PYTHON a Python with the rivals' packages.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "compare"))
sys.dont_write_bytecode = True

from comparison import places  # noqa: E402
from suite import clips, figures, markdown, pages, run  # noqa: E402
from suite.cases import CASES, Plan  # noqa: E402

DOCS = HERE.parent / "docs"
FIGURES = DOCS / "benchmarks.json"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds on few clips: about ten minutes on two cores")
    parser.add_argument("--clips", type=Path, help="a folder of films; default: those that setup.sh made")
    parser.add_argument("--names", default="", help="only these films of the folder, with commas")
    parser.add_argument("--only", default="", help="only these comparisons, with commas: " + ", ".join(case.name for case in CASES))
    parser.add_argument("--parts", type=int, default=99, help="go through all comparisons so often at most; a full run does three times")
    parser.add_argument("--output", type=Path, help="where results are kept; default: report, or report-quick, in the folder of COMPARE_CACHE")
    parser.add_argument("--write", action="store_true", help="measure nothing; make the pages")
    parser.add_argument("--check", action="store_true", help="with --write: change nothing, and end with 1 when a page is another one")
    options = parser.parse_args()
    known = {case.name for case in CASES}
    options.only = [name for name in options.only.split(",") if name]
    options.names = [name for name in options.names.split(",") if name]
    if unknown := set(options.only) - known:
        parser.error(f"no comparison is called {', '.join(sorted(unknown))}")
    options.output = options.output or places.CACHE / ("report-quick" if options.quick else "report")
    if options.check and not options.write:
        parser.error("--check goes with --write")
    return options


def readme(made: dict) -> str:
    """README.md with the table between its two marks."""
    text = (HERE.parent / "README.md").read_text(encoding="utf-8")
    before, begin, rest = text.partition(markdown.BEGIN)
    _, end, after = rest.partition(markdown.END)
    if not begin or not end:
        sys.exit("report: README.md lacks the marks of its table")
    return f"{before}{begin}\n\n{markdown.readme_table(made)}\n\n{end}{after}"


def files(made: dict) -> dict[Path, str]:
    pictures = {DOCS / markdown.PICTURES / name: text for name, text in markdown.pictures(made).items()}
    return {FIGURES: figures.text(made), DOCS / "benchmarks.md": markdown.page(made), HERE.parent / "README.md": readme(made), **pictures}


def write(options: argparse.Namespace) -> int:
    raw = run.kept(options.output)
    if raw.is_dir() and not options.check:
        made = figures.collect(raw)
    elif FIGURES.exists():
        made = json.loads(FIGURES.read_text(encoding="utf-8"))
    else:
        sys.exit(f"report: neither {raw} nor {FIGURES} is there: measure first")
    return pages.finish("report", FIGURES, files(made), DOCS / markdown.PICTURES, options.check)


def main() -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("report: told to end"))
    options = arguments()
    if options.write:
        return write(options)
    if not os.access(places.scrub(), os.X_OK):
        sys.exit(f"report: {places.scrub()} cannot be run; build scrub, or name it with SCRUB")
    work = options.output.resolve()
    work.mkdir(parents=True, exist_ok=True)
    folder = options.clips or places.clip_folder(options.quick)
    if not folder.is_dir():
        sys.exit(f"report: there is no folder {folder}; run Benchmarks/compare/setup.sh, or name one with --clips")
    found = clips.find(folder.resolve(), options.names, work)
    run.run(Plan(options.quick, found, work, options.parts), [case for case in CASES if not options.only or case.name in options.only])
    return 0


if __name__ == "__main__":
    sys.exit(main())
