#!/usr/bin/env python3
"""Compares scrub with other programs: same clips, same frames, one run, every picture checked. See README.md."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from comparison import places

places.use_python_with_numpy()

from comparison import machine, page, results, rivals, table  # noqa: E402
from comparison.measure import measure  # noqa: E402
from comparison.targets import FULL, PHASES, QUICK, Amounts  # noqa: E402
from comparison.truth import truth_file  # noqa: E402

QUICK_CLIPS = ["h264-1080-gop250.mp4"]


def note(text: str) -> None:
    print(f"compare: {text}", file=sys.stderr, flush=True)


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short clip, few requests: about two minutes")
    parser.add_argument("--rivals", type=names, help="comma-separated; " + ", ".join(rivals.OPTIONAL) + " only when named")
    parser.add_argument("--clips", type=names, help="comma-separated names in the clips' folder")
    parser.add_argument("--folder", type=Path, help="where the clips and their truth are")
    parser.add_argument("--threads", default="2", help="decoder threads, or 'default' for each library's own choice")
    parser.add_argument("--phases", type=names, default=list(PHASES), help="of " + ",".join(PHASES))
    parser.add_argument("--budget", type=float, help="seconds for one rival and one phase")
    parser.add_argument("--opens", type=int, help="how often each clip is opened")
    parser.add_argument("--seed", type=int, default=7, help="of the frames asked for")
    parser.add_argument("--out", type=Path, help="the JSON lines; default: results/DATE.jsonl in the cache folder")
    parser.add_argument("--html", type=Path, help="write a page with pictures")
    parser.add_argument("--report", type=Path, metavar="FILE", help="measure nothing, show the JSON lines of a run")
    options = parser.parse_args()
    if options.threads != "default" and not options.threads.isdigit():
        parser.error("--threads takes a number or 'default'")
    if unknown := set(options.phases) - set(PHASES):
        parser.error(f"no phase is called {', '.join(sorted(unknown))}")
    return options


def facts(options: argparse.Namespace, amounts: Amounts) -> dict[str, Any]:
    return {
        **machine.facts(),
        "threads": options.threads,
        "seed": options.seed,
        "amounts": dataclasses.asdict(amounts),
        "versions": machine.versions(),
    }


def clips(options: argparse.Namespace) -> list[Path]:
    folder = options.folder or places.clip_folder(options.quick)
    if options.clips:
        chosen = options.clips
    elif options.quick:
        chosen = QUICK_CLIPS
    else:
        chosen = sorted(file.stem for file in (folder / "truth").glob("*.npz"))
        chosen = [name for name in chosen if "-loop." not in name and not name.startswith("part-")]
    found = [folder / name for name in chosen]
    for clip in found:
        if not truth_file(clip).exists():
            raise SystemExit(f"compare: there is no {clip.name} with its truth in {folder}; run setup.sh")
    if not found:
        raise SystemExit(f"compare: there are no clips in {folder}; run setup.sh")
    return found


def run(options: argparse.Namespace) -> Path:
    amounts = QUICK if options.quick else FULL
    given = {"budget": options.budget, "opens": options.opens}
    amounts = dataclasses.replace(amounts, **{name: value for name, value in given.items() if value is not None})
    taking_part = rivals.choose(options.rivals, note)
    if not taking_part:
        raise SystemExit("compare: nobody to measure")
    started = facts(options, amounts)
    out: Path = options.out or places.CACHE / "results" / f"{started['date'].replace(':', '')}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(places.SAVED_INDEXES, ignore_errors=True)  # of an earlier run, perhaps of other clips
    with out.open("w") as lines:
        lines.write(json.dumps({"kind": "run", **started}) + "\n")
        for clip in clips(options):
            for result in measure(clip, taking_part, options.threads, amounts, options.seed, options.phases, note):
                lines.write(result.line() + "\n")
            lines.flush()
    return out


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):  # ends the drivers too, which may stand still just then
        signal.signal(number, lambda *_: sys.exit("compare: told to end"))
    options = arguments()
    file = options.report or run(options)
    found = results.read(file)
    print(table.text(found))
    if options.html:
        options.html.write_text(page.html(found))
        note(f"page: {options.html}")
    note(f"results: {file}")


if __name__ == "__main__":
    main()
