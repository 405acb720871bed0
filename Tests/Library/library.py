#!/usr/bin/env python3
"""Every frame that the C library hands out, by hash, against ffmpeg's linear decode: library.py PROGRAM [FOLDER...]

PROGRAM is frames.c, compiled. The clips of testdata have the hashes of ffmpeg's linear decode beside them. Of the films in a
FOLDER ffmpeg makes them now. Films for which the numbers of frames differ (hidden frames, damage: docs/ffmpeg-differences.md) are
compared with `scrub seek --hash`, whose frames conformance holds; SCRUB names it, else .build/release/scrub. Frames have their own
size, so ffmpeg scales none to that of the first.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRUB = os.environ.get("SCRUB", str(ROOT / ".build/release/scrub"))
NATIVE = "0"
VERDICTS = ("exact", "damaged", "approximate", "undecodable")
DAMAGED = 1


def dumped(program: str, film: Path, layout: str = NATIVE) -> tuple[int, list[tuple[int, int, str | None]]]:
    """The exit status, and for each frame its time, its verdict and the MD5 of its bytes."""
    process = subprocess.Popen([program, "dump", str(film), layout], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    frames = []
    while line := process.stdout.readline():
        _, pts, status, verdict, count = (int(word) for word in line.split())
        body = process.stdout.read(count)
        assert len(body) == count, f"{film}: the output ends early"
        frames.append((pts, verdict, hashlib.md5(body).hexdigest() if status == 0 else None))
    return process.wait(), frames


def hashes(text: str, stream: int) -> list[str]:
    lines = (line.split(",") for line in text.splitlines() if line and not line.startswith("#"))
    return [parts[-1].strip() for parts in lines if int(parts[0]) == stream]


def by_ffmpeg(film: Path) -> list[str]:
    info = subprocess.run([SCRUB, "info", film, "--json", "--no-cache"], capture_output=True)
    if info.returncode:
        return []
    stream = json.loads(info.stdout)["stream"]
    words = ["ffmpeg", "-v", "quiet", "-nostdin", "-noautorotate", "-i", film, "-map", f"0:{stream}", "-autoscale", "0", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
    return hashes(subprocess.run(words, capture_output=True, text=True).stdout, 0)


def by_scrub(film: Path) -> list[tuple[str, str | None]]:
    words = [SCRUB, "seek", film, "first..last", "--hash", "--json", "--no-cache"]
    lines = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row["verdict"], (row.get("hash") or "").removeprefix("md5:") or None) for row in rows if "frame" in row]


def check(program: str, film: Path, truth: list[str]) -> tuple[int, int, str | None]:
    """Frames compared, whether with ffmpeg's, and what is wrong."""
    status, frames = dumped(program, film)
    if status != 0:
        refused = subprocess.run([SCRUB, "info", film, "--no-cache"], capture_output=True).returncode
        return 0, 0, None if refused == status else f"{film.name}: the library says {status}, scrub {refused}"
    found = [one for _, _, one in frames]
    if found == truth:
        return len(found), 1, None
    # A damaged picture depends on what was decoded before it: of those only the verdict is promised.
    if len(frames) == len(truth) and all(one == theirs or verdict == DAMAGED for (_, verdict, one), theirs in zip(frames, truth)):
        return len(found), 0, None
    ours = [(VERDICTS[verdict], one if verdict != DAMAGED else None) for _, verdict, one in frames]
    theirs = [(verdict, one if verdict != "damaged" else None) for verdict, one in by_scrub(film)]
    if ours != theirs:
        first = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
        return len(found), 0, f"{film.name}: frame {first} of {len(ours)} ({len(theirs)}) is another one"
    return len(found), 0, None


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    jobs: list[tuple[Path, list[str] | None]] = []
    for clip in json.loads((ROOT / "testdata/manifest.json").read_text()):
        if clip.get("expected"):
            truth = hashes((ROOT / "testdata" / clip["expected"]).read_text(), 0)
            jobs.append((ROOT / "testdata/clips" / clip["file"], truth))
    for folder in sys.argv[2:]:
        jobs += [(film, None) for film in sorted(Path(folder).iterdir()) if film.is_file()]
    wrong, frames, films, exact = [], 0, 0, 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for count, is_ffmpegs, fault in pool.map(lambda job: check(program, job[0], by_ffmpeg(job[0]) if job[1] is None else job[1]), jobs):
            frames, films, exact = frames + count, films + 1, exact + is_ffmpegs
            if fault:
                wrong.append(fault)
    print(f"{films} films, {frames} frames; {exact} films are ffmpeg's frame for frame, the others' good frames are, or scrub's")
    for fault in wrong:
        print(fault, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
