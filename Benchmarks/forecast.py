#!/usr/bin/env python3
"""What `scrub batch plan` says beside what the run then takes.

    python3 Benchmarks/forecast.py SCRUB FILMS [--part 400] [--jobs N] [--out FILE]

FILMS is a folder of films, such as the one that Benchmarks/batch.py makes. A part of it, chosen by chance with a fixed seed, is worked on first, so
that the machine's own costs are known. Then, each over films that were not seen before, `batch plan` and the run that it spoke of:

    same     the same thumbnails
    exact    --tolerance exact, which decodes many times as much
    large    the films that are largest by bytes
    poster   --poster: another kind of work, of which nothing is known

Indexes are made by the plan, so the run does not make them again, as in life. Reported: wall and processor time, predicted over actual.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def run(command, environment):
    begun = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1]), time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scrub")
    parser.add_argument("films")
    parser.add_argument("--part", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out")
    arguments = parser.parse_args()

    films = sorted(path for path in Path(arguments.films).resolve().rglob("*") if path.is_file())
    random.Random(18).shuffle(films)
    if len(films) < 5 * arguments.part:
        sys.exit(f"there are {len(films)} films, and five parts of {arguments.part} are wanted")
    parts = [films[start : start + arguments.part] for start in range(0, 4 * arguments.part, arguments.part)]
    rest = sorted(films[4 * arguments.part :], key=lambda path: -path.stat().st_size)
    work = Path(tempfile.mkdtemp(prefix="scrub-forecast-"))
    environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"), XDG_STATE_HOME=str(work / "state"))
    lines = []
    try:
        cases = [
            ("learning", parts[0], ["--profile", "web"]),
            ("same", parts[1], ["--profile", "web"]),
            ("exact", parts[2], ["--profile", "web", "--tolerance", "exact"]),
            ("large", rest[: arguments.part // 4], ["--profile", "web"]),
            ("poster", parts[3], ["--poster"]),
        ]
        for name, chosen, words in cases:
            root = work / name
            root.mkdir()
            for number, film in enumerate(chosen):
                (root / f"{number:05d}-{film.name}").symlink_to(film)
                # Films come from the page cache in every run: what is compared is not the disk.
                film.read_bytes()
            common = [str(root), *words, "--to", str(work / "results"), "--state", str(work / "batch.sqlite"), "--json"]
            plan, _ = run([arguments.scrub, "batch", "plan", *common, "--cores", str(arguments.jobs)], environment)
            summary, wall = run([arguments.scrub, "batch", "run", *common, "--jobs", str(arguments.jobs)], environment)
            summary = summary["summary"]
            line = {
                "case": name,
                "films": summary["files"],
                "failed": summary["failed"],
                "predicted": plan["seconds"],
                "from": plan["leastSeconds"],
                "to": plan["mostSeconds"],
                "actual": wall,
                "ratio": plan["seconds"] / wall,
                "cpuPredicted": plan["cpuSeconds"],
                "cpuActual": summary["cpu"],
                "cpuRatio": plan["cpuSeconds"] / summary["cpu"],
            }
            lines.append(line)
            print(
                f"{name:9} {line['films']:5} films, {line['failed']} failed: predicted {line['predicted']:.2f} s "
                f"({line['from']:.2f} to {line['to']:.2f}), took {wall:.2f} s: {line['ratio']:.2f}; "
                f"processors {line['cpuPredicted']:.1f} of {line['cpuActual']:.1f} s: {line['cpuRatio']:.2f}",
                flush=True,
            )
    finally:
        shutil.rmtree(work)
    if arguments.out:
        Path(arguments.out).write_text("".join(json.dumps(line) + "\n" for line in lines))


main()
