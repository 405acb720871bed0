#!/usr/bin/env python3
"""What a training job does: workers that fetch random frames of several films as RGB arrays, with scrub's package and with others.

    loaders.py CLIP... [--workers 4] [--frames 500] [--batch 16] [--rounds 3] [--threads 1] [--rivals scrub-library,pyav]

Every worker is a process that opens all clips and asks for its part of the frames, which a seed has drawn, in calls of at most --batch
frames of one clip: each rival's own call for several frames (PyAV has none: seek and decode, in order of time). Opening is timed on its
own, with the import of the package. All begin together; frames a second are all frames by the time until the last worker is done. Memory is the proportional share (PSS)
of all workers and what they have started, after their last frame.

Rivals take turns, a round each, in changing order. Medians over the rounds are compared. Before that each rival's frames are looked at:
small copies beside those of ffmpeg's linear decode, of which the frame that was asked for must be the nearest. Scrub's must also have the
hash of ffmpeg's luma. Needs a Python with numpy and the rivals (COMPARE_PYTHON, or the one of setup.sh); scrub's program from
.build/release/scrub, or SCRUB, its library from .build/library, or SCRUB_LIBRARY.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
RIVALS = {
    "scrub-library": "numpy",
    "scrub-program": "numpy",
    "torchcodec-approx": "torchcodec",
    "torchcodec-exact": "torchcodec",
    "pyav": "av",
    "decord": "decord",
    "video-reader-rs": "video_reader-rs",
}
Batch = Callable[[list[int]], Any]


def opened(name: str, clip: str, threads: int) -> tuple[Batch, Callable[[int], Any] | None]:
    """The call for several frames of a clip, and for scrub the luma plane of one."""
    if name.startswith("scrub"):
        sys.path.insert(0, str(ROOT / "python" / "src"))
        import scrub

        from comparison import places

        library = name == "scrub-library" and (places.library() or True)
        video = scrub.open(clip, threads=threads, program=places.scrub(), library=library)
        assert video.transport == name.removeprefix("scrub-")
        return video.batch, lambda number: video.native(number).planes[0]
    if name.startswith("torchcodec"):
        import torch
        from torchcodec.decoders import VideoDecoder

        torch.set_num_threads(1)
        mode = "exact" if name.endswith("exact") else "approximate"
        decoder = VideoDecoder(clip, dimension_order="NHWC", num_ffmpeg_threads=threads, seek_mode=mode)
        return lambda numbers: decoder.get_frames_at(numbers).data.numpy(), None
    if name == "decord":
        import decord

        decord.logging.set_level(decord.logging.QUIET)
        reader = decord.VideoReader(clip, ctx=decord.cpu(0), num_threads=threads)
        return lambda numbers: reader.get_batch(numbers).asnumpy(), None
    if name == "video-reader-rs":
        import video_reader

        other = video_reader.PyVideoReader(clip, threads=threads)
        return lambda numbers: other.get_batch(numbers), None
    return by_pyav(clip, threads), None


def by_pyav(clip: str, threads: int) -> Batch:
    import av
    import numpy

    with av.open(clip) as container:
        packets = [(p.pts, p.is_keyframe) for p in container.demux(video=0) if p.pts is not None and p.size]
    times = sorted(pts for pts, _ in packets)
    keys = sorted(pts for pts, is_key in packets if is_key)
    container = av.open(clip)
    stream = container.streams.video[0]
    stream.thread_count = threads

    def from_key(key: int) -> Any:
        container.seek(key, stream=stream, backward=True)
        return container.decode(stream)

    def batch(numbers: list[int]) -> Any:
        made: dict[int, Any] = {}
        frames, last = iter(()), None
        for number in sorted(set(numbers)):
            wanted = times[number]
            earlier = [key for key in keys if key <= wanted] or keys[:1]
            if last is None or earlier[-1] > last:
                frames = from_key(earlier.pop())
            while number not in made:
                for frame in frames:
                    last = frame.pts
                    if frame.pts >= wanted:
                        break
                if last == wanted or not earlier:
                    made[number] = frame.to_ndarray(format="rgb24")
                else:
                    # A picture before the key that is shown after another one's group: from the key before.
                    frames = from_key(earlier.pop())
        return numpy.stack([made[number] for number in numbers])

    return batch


def work(name: str, options: argparse.Namespace) -> None:
    """A worker: says that it has opened the clips, waits, fetches, says how long it took, and waits for its end."""
    calls = json.loads(sys.stdin.readline())
    begin = time.perf_counter()
    batches = [opened(name, clip, options.threads) for clip in options.clips]
    print(json.dumps({"seconds": time.perf_counter() - begin}), flush=True)
    sys.stdin.readline()
    seen = []
    for place, numbers in calls:
        batch, luma = batches[place]
        pictures = batch(numbers)
        if options.check:
            from comparison.picture import luma_digest, thumbnail

            for number, picture in zip(numbers, pictures):
                digest = luma_digest(luma(number)) if luma else None
                seen.append([place, number, thumbnail(picture).tobytes().hex(), digest])
        else:
            assert pictures[:, ::90, ::90].any(), "a job looks at its pictures"
        del pictures
    print(json.dumps({"seen": seen}), flush=True)
    sys.stdin.readline()
    os._exit(0)  # some libraries hang in their destructors


def shares(roots: list[int]) -> float:
    """MiB of processes and all that they have started, shared pages by their share."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    total, left = 0, list(roots)
    while left:
        process = left.pop()
        left += parents.get(process, [])
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return total / 1024


def turn(name: str, calls: list[list[Any]], options: argparse.Namespace, check: bool) -> dict[str, Any]:
    """A round of one rival: all of its workers at once."""
    words = [sys.executable, __file__, *options.clips, "--worker", name, "--threads", str(options.threads)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if name == "video-reader-rs":
        from comparison.rivals import _wheel_libraries

        environment["LD_LIBRARY_PATH"] = _wheel_libraries("video_reader_rs.libs")
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    workers = [subprocess.Popen(words + ["--check"] * check, stderr=subprocess.DEVNULL, **pipes) for _ in calls]

    def told(line: str, worker: Any) -> dict[str, Any]:
        if line:
            return json.loads(line)
        raise RuntimeError(f"{name}: a worker ended with {worker.wait()}")

    def say(text: str) -> None:
        for worker in workers:
            worker.stdin.write(text)
            worker.stdin.flush()

    try:
        for worker, part in zip(workers, calls):
            worker.stdin.write(json.dumps(part) + "\n")
            worker.stdin.flush()
        opening = [told(worker.stdout.readline(), worker)["seconds"] for worker in workers]
        begin = time.perf_counter()
        say("go\n")
        seen = [told(worker.stdout.readline(), worker)["seen"] for worker in workers]
        seconds = time.perf_counter() - begin
        memory = shares([worker.pid for worker in workers])
        say("end\n")
    finally:
        for worker in workers:
            if sys.exc_info()[0]:
                worker.kill()
            worker.wait()
    count = sum(len(numbers) for part in calls for _, numbers in part)
    return {"rate": count / seconds, "open": max(opening), "memory": memory, "seen": sum(seen, [])}


def truth(clips: list[str]) -> list[tuple[list[str], Any]]:
    """Of each clip the luma's hashes and small copies, by ffmpeg's linear decode; kept for the next time."""
    import numpy
    from comparison.picture import luma_digest, thumbnail
    from comparison.places import CACHE
    from comparison.truth import _decode

    found = []
    for clip in map(Path, clips):
        facts = clip.stat()
        file = CACHE / "loaders" / f"{clip.name}-{facts.st_size}-{facts.st_mtime_ns}.npz"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            pairs = [(luma_digest(luma), thumbnail(luma)) for luma in _decode(clip)]
            numpy.savez_compressed(file, digests=[pair[0] for pair in pairs], thumbs=[pair[1] for pair in pairs])
        with numpy.load(file) as saved:
            found.append((saved["digests"].tolist(), saved["thumbs"].astype(float)))
    return found


def wrong(seen: list[list[Any]], known: list[tuple[list[str], Any]]) -> int:
    """How many pictures are not those that were asked for."""
    from comparison.picture import luma_distance

    count = 0
    for place, number, thumb, digest in seen:
        digests, thumbs = known[place]
        near = range(max(0, number - 30), min(len(thumbs), number + 31))
        distances = {other: luma_distance(thumb, thumbs[other]) for other in near}
        is_nearest = distances[number] <= min(distances.values()) + 0.01
        count += not is_nearest or (digest is not None and digest != digests[number])
    return count


def version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+")
    for name, usual in (("workers", 4), ("frames", 500), ("batch", 16), ("rounds", 3), ("threads", 1), ("seed", 7)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--rivals", default=",".join(RIVALS))
    parser.add_argument("--json", type=Path, help="also append every figure to this file, as JSON lines")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker, options)
        return
    from comparison import places, series

    places.use_python_with_numpy()
    known = truth(options.clips)
    draw = random.Random(options.seed)
    wanted: list[list[list[int]]] = [[[] for _ in options.clips] for _ in range(options.workers)]
    for number in range(options.frames):
        clip = draw.randrange(len(options.clips))
        wanted[number % options.workers][clip].append(draw.randrange(len(known[clip][0])))
    size = options.batch
    calls = [[(clip, row[at : at + size]) for clip, row in enumerate(part) for at in range(0, len(row), size)] for part in wanted]
    for part in calls:
        draw.shuffle(part)
    said = subprocess.run([places.scrub(), "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    names = [name for name in options.rivals.split(",") if name.startswith("scrub") or version(RIVALS[name])]
    print(f"{options.frames} frames of {len(options.clips)} clips, {options.workers} workers, {options.threads} threads each; {said}", end="")
    print("".join(f", {package} {version(package)}" for package in dict.fromkeys(RIVALS[name] for name in names)), flush=True)
    for name in options.rivals.split(","):
        if name not in names:
            print(f"{name} is left out: {RIVALS[name]} is not installed")
    faults: dict[str, int] = {}
    for name in list(names):
        try:
            faults[name] = wrong(turn(name, calls, options, True)["seen"], known)
        except RuntimeError as error:
            if name.startswith("scrub"):
                raise
            # decord has no AV1, for one.
            print(f"{name} is left out: it fails with these films ({error})", flush=True)
            names.remove(name)
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for again in range(options.rounds):
        for name in names[again % len(names) :] + names[: again % len(names)]:
            rounds[name].append(turn(name, calls, options, False))
    reference = median(made["rate"] for made in rounds[names[0]])
    for name in names:
        rates = sorted(made["rate"] for made in rounds[name])
        memory, opening = (median(made[key] for made in rounds[name]) for key in ("memory", "open"))
        print(f"{name}: {median(rates):.1f} frames/s ({rates[0]:.1f} to {rates[-1]:.1f}), {memory:.0f} MiB, opened in {opening:.2f} s", end="")
        print(f"; {names[0]} to it {reference / median(rates):.2f}; {faults[name]} of {options.frames} frames wrong", flush=True)
    # One whose picture does not come is left out.
    checked = {name: [faults[name], 0, options.frames] for name in names}
    for measure, unit, key, better in (("speed", "frames/s", "rate", "more"), ("memory", "MiB", "memory", "less"), ("open", "s", "open", "less")):
        values = {name: [made[key] for made in rounds[name]] for name in names}
        clips = f"{len(options.clips)} films, {options.workers} workers"
        series.append(options.json, series.Series(clips, measure, unit, values, better, checked=checked))
    sys.exit(1 if any(faults[name] for name in names if name.startswith("scrub")) else 0)


main()
