#!/usr/bin/env python3
"""A library of films: `scrub batch` beside the loops over ffmpeg and ffmpegthumbnailer that people have, as ratios.

    python3 Benchmarks/batch.py SCRUB FOLDER [--files 2000] [--rounds 3] [--only NAME,NAME] [--memory MIB] [--jobs N] [--out FILE]

The library is made once in FOLDER/films (the same bytes for the same --files, --seed, clips and encoders): copies and re-muxes of
testdata/clips and of the folder that SCRUB_CORPUS names, each with contents of its own, and cuts of generated films in H.264, HEVC, VP9,
MPEG-4 and MPEG-2 of four seconds to three minutes; a tenth is cut off or has bytes flipped. Then, in turns, over all of it:

    scrub        scrub batch --profile web --every 10
    scrub-tiles  scrub batch --profile dash --every 10: the sheets alone, as ffmpeg makes them; web has a moving preview, hashes and a page, too
    scrub-exact  the same as scrub with --tolerance exact
    ffmpeg-key   xargs -P over ffmpeg -skip_frame nokey, fps=1/10:eof_action=pass,scale=320:-2,tile=5x5 as JPEG
    ffmpeg-all   the same, all pictures decoded
    one          scrub batch --profile web --count 1: one picture of each film, and what belongs to the set
    ffmpegthumbnailer-320   xargs -P over ffmpegthumbnailer -s 320: one picture at a tenth of the film
    poster       scrub batch --poster: the best of many pictures, by scores, which is more work than the next
    ffmpegthumbnailer-640   the same, 640 wide

Every run begins with an empty cache and state of scrub and with the films in the page cache. The loops start one process for each film with
one decoding thread (as many processes as processors). What is not installed is left out and said. After `scrub` the same command runs
again: seconds, and, by strace, how many films were opened.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

CLIPS = Path(__file__).resolve().parent.parent / "testdata" / "clips"

# Name, encoder's words, size, seconds, container, sound.
BASES = [
    ("h264-1080", "libx264 -preset ultrafast -crf 30 -g 250 -bf 2", "1920x1080", 40, "mp4", "aac"),
    ("h264-720", "libx264 -preset ultrafast -crf 30 -g 48", "1280x720", 90, "mkv", "aac"),
    ("h264-360", "libx264 -preset superfast -crf 30 -g 250", "640x360", 180, "mp4", "aac"),
    ("h264-ts", "libx264 -preset superfast -crf 30 -g 50", "1024x576", 60, "ts", "aac"),
    ("hevc-720", "libx265 -preset ultrafast -crf 32 -x265-params log-level=none:keyint=120", "1280x720", 40, "mp4", "aac"),
    ("hevc-360", "libx265 -preset ultrafast -crf 32 -x265-params log-level=none:keyint=250", "640x360", 90, "mkv", "aac"),
    ("vp9-720", "libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 800k -g 128", "1280x720", 30, "webm", "libopus"),
    ("vp9-360", "libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 300k -g 240", "640x360", 60, "webm", "libopus"),
    ("mpeg4-480", "mpeg4 -q:v 8 -g 250 -bf 1", "640x480", 90, "avi", "mp2"),
    ("mpeg4-288", "mpeg4 -q:v 8 -g 100", "352x288", 120, "mp4", "aac"),
    ("mpeg2-576", "mpeg2video -q:v 10 -g 15 -bf 2", "720x576", 60, "mpg", "mp2"),
    ("mpeg2-1080", "mpeg2video -q:v 12 -g 12 -bf 2", "1920x1080", 20, "ts", "mp2"),
]
QUIET = ["ffmpeg", "-nostdin", "-v", "error", "-y"]


def make_base(folder: Path, base) -> Path:
    name, encoder, size, seconds, container, sound = base
    path = folder / f"{name}.{container}"
    if not path.exists():
        part = path.with_name("part-" + path.name)
        subprocess.run([*QUIET, "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration={seconds},noise=alls=4:allf=t:all_seed=7",
                        "-f", "lavfi", "-i", f"sine=330:duration={seconds}", "-c:v", *encoder.split(), "-threads", "1",
                        "-pix_fmt", "yuv420p", "-c:a", sound, "-b:a", "64k", "-fflags", "+bitexact", "-flags:v", "+bitexact",
                        "-flags:a", "+bitexact", part], check=True, stderr=subprocess.DEVNULL)
        part.rename(path)
    return path


def tail(suffix: str, number: int) -> bytes | None:
    """What can stand behind a file of a kind and changes nothing but its contents."""
    name = f"{number:016d}".encode()
    return {
        ".mp4": (8 + len(name)).to_bytes(4, "big") + b"free" + name, ".mov": (8 + len(name)).to_bytes(4, "big") + b"free" + name,
        ".mkv": b"\xec\x90" + name, ".webm": b"\xec\x90" + name, ".ts": b"\x47\x1f\xff\x10" + name + bytes(168),
    }.get(suffix)


def make_film(folder: Path, number: int, seed: str, bases: list[tuple[Path, int]], clips: list[Path]) -> str:
    """Makes one film.

    Returns what it was made of.
    """
    dice = random.Random(f"{seed}/{number}")
    place = folder / f"shelf {number // 100:02d}"
    made = None
    for _ in range(20):
        if dice.random() < 0.4:
            clip = dice.choice(clips)
            more = tail(clip.suffix.lower(), number)
            if more and dice.random() < 0.7:
                made = place / f"{number:05d}-{clip.name}"
                made.write_bytes(clip.read_bytes() + more)
                what = "copy"
            else:
                made, what = place / f"{number:05d}-{clip.stem}.mkv", "re-mux"
                words = ["-i", clip, "-map", "0:v"]
        else:
            base, length = dice.choice(bases)
            kind = dice.random()
            seconds = dice.uniform(4, 15) if kind < 0.7 else dice.uniform(15, 45) if kind < 0.95 else length
            begin = dice.uniform(0, max(0, length - seconds))
            suffix = base.suffix if base.suffix in (".webm", ".avi", ".mpg") else dice.choice([base.suffix, ".mkv"])
            made, what = place / f"{number:05d}-{base.stem}{suffix}", "cut"
            words = ["-ss", f"{begin:.3f}", "-t", f"{seconds:.3f}", "-i", base, "-map", "0"]
        if what != "copy":
            done = subprocess.run([*QUIET, *words, "-c", "copy", "-metadata", f"title={number}", "-fflags", "+bitexact", made],
                                  stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            if done.returncode != 0 or made.stat().st_size < 512:
                made.unlink(missing_ok=True)
                continue
        break
    if number % 10 == 3:
        contents = bytearray(made.read_bytes())
        if dice.random() < 0.5:
            contents = contents[: int(len(contents) * dice.uniform(0.2, 0.95))]
        else:
            for _ in range(dice.randint(1, 40)):
                contents[dice.randrange(len(contents) // 8, len(contents))] ^= 1 << dice.randrange(8)
        made.write_bytes(contents)
        return "damaged"
    return what


def make_library(folder: Path, count: int, seed: int = 1, bases=BASES) -> Path:
    """Makes a library of films, or finds the one that was made.

    Returns its root.
    """
    films, mark = folder / "films", folder / "library.json"
    corpus = os.environ.get("SCRUB_CORPUS")
    clips = [path for path in CLIPS.iterdir() if path.suffix not in (".json", ".md", ".txt") and not path.name.startswith("refused-")]
    if corpus:
        clips += [path for path in Path(corpus).rglob("*") if path.is_file() and path.suffix not in (".tsv", ".md", ".json", ".mp3")]
    clips = sorted((path for path in clips if path.stat().st_size < 4 << 20), key=lambda path: path.name)
    words = {"files": count, "seed": seed, "clips": len(clips), "bases": [base[0] for base in bases]}
    if mark.exists() and json.loads(mark.read_text())["words"] == words:
        return films
    shutil.rmtree(films, ignore_errors=True)
    (folder / "bases").mkdir(parents=True, exist_ok=True)
    for number in range(0, count, 100):
        (films / f"shelf {number // 100:02d}").mkdir(parents=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        made = list(pool.map(lambda base: (make_base(folder / "bases", base), base[3]), bases))
        kinds = list(pool.map(lambda number: make_film(films, number, f"{seed}", made, clips), range(count)))
    mark.write_text(json.dumps({"words": words, "kinds": {kind: kinds.count(kind) for kind in sorted(set(kinds))}}))
    return films


def timed(command, log=None, **options):
    """Runs a command.

    Returns its seconds, its exit code, and what it and its waited-for children took: processor seconds and the greatest VmHWM of one, in MiB.
    """
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=log or subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - start, process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Bench:
    def __init__(self, known, films: Path, work: Path):
        self.known, self.films, self.work = known, films, work
        self.paths = sorted(path for path in films.rglob("*") if path.is_file())
        self.cores = known.jobs or len(os.sched_getaffinity(0))
        self.figures = []

    def batch(self, name, *words):
        command = [self.known.scrub, "batch", "run", self.films, "--to", self.work / name, "--jobs", str(self.cores), "--json", *words]
        command += ["--memory", str(self.known.memory)] if self.known.memory else []
        environment = dict(os.environ, XDG_STATE_HOME=str(self.work / "state"), XDG_CACHE_HOME=str(self.work / "cache"))
        environment.pop("SCRUB_CACHE_DIR", None)
        return command, environment

    def scrub(self, name, *words):
        for folder in (name, "state", "cache"):
            shutil.rmtree(self.work / folder, ignore_errors=True)
        command, environment = self.batch(name, *words)
        with open(self.work / "log", "w") as log:
            seconds, code, cpu, memory = timed(command, log, env=environment)
        lines = [json.loads(line) for line in (self.work / "log").read_text().splitlines()]
        summary, lines = lines[-1]["summary"], lines[:-1]
        done = [line for line in lines if line["status"] == "done"]
        predicted = [(line["predicted"], line["cpu"]) for line in done if "predicted" in line]
        return {"seconds": seconds, "code": code, "cpu": cpu, "vmhwm": memory, "made": summary["done"], "failed": summary["failed"],
                "pictures": summary["pictures"], "decoded": summary["decoded"], "peak": summary["peakBytes"] / 2**20,
                "predicted": sum(pair[0] for pair in predicted), "actual": sum(pair[1] for pair in predicted)}

    def loop(self, name, script):
        """One process for each film, by xargs; `$0` is the film and `$1` where its pictures go, without a suffix."""
        out = self.work / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        words = b"".join(os.fsencode(path) + b"\0" + os.fsencode(out / str(number)) + b"\0" for number, path in enumerate(self.paths))
        (self.work / "words").write_bytes(words)
        with open(self.work / "words") as arguments:
            seconds, code, cpu, memory = timed(["xargs", "-0", "-n", "2", "-P", str(self.cores), "sh", "-c", script], stdin=arguments)
        made = {path.name.split(".")[0].split("-")[0] for path in out.iterdir() if path.stat().st_size > 0}
        return {"seconds": seconds, "code": code, "cpu": cpu, "vmhwm": memory, "made": len(made)}

    def again(self):
        command, environment = self.batch("scrub", *WEB)
        with open(self.work / "log", "w") as log:
            seconds, code, cpu, _ = timed(command, log, env=environment)
        summary = json.loads((self.work / "log").read_text().splitlines()[-1])["summary"]
        figure = {"seconds": seconds, "code": code, "cpu": cpu, "kept": summary["kept"], "done": summary["done"], "failed": summary["failed"]}
        if shutil.which("strace"):
            trace = self.work / "trace"
            subprocess.run(["strace", "-f", "-qq", "-s", "4096", "-e", "trace=open,openat,openat2,creat", "-o", trace, *command], env=environment,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            films = {str(path) for path in self.paths}
            opened = re.findall(r'open\w*\([^"]*"((?:[^"\\]|\\.)*)"', trace.read_text(errors="replace"))
            figure["opened"] = sum(name in films for name in opened)
            figure["openCalls"] = len(opened)
        return figure


WEB = ("--profile", "web", "--every", "10")
# eof_action=pass: else a film shorter than half an interval gives no picture at all.
TILES = "fps=1/10:eof_action=pass,scale=320:-2,tile=5x5"
# Without its exit code: at 255, which it has for what it cannot read, xargs begins nothing more.
THUMBNAILER = 'trap "exit 0" EXIT; ffmpegthumbnailer -i "$0" -o "$1.jpg" >/dev/null 2>&1 -s '
RUNS = {
    "scrub": lambda bench: bench.scrub("scrub", *WEB),
    "ffmpeg-key": lambda bench: bench.loop(
        "ffmpeg-key", f'ffmpeg -nostdin -v quiet -threads 1 -skip_frame nokey -i "$0" -an -sn -vf {TILES} -q:v 4 "$1-%03d.jpg" || true'),
    "scrub-tiles": lambda bench: bench.scrub("scrub-tiles", "--profile", "dash", "--every", "10"),
    "scrub-exact": lambda bench: bench.scrub("scrub-exact", *WEB, "--tolerance", "exact"),
    "ffmpeg-all": lambda bench: bench.loop(
        "ffmpeg-all", f'ffmpeg -nostdin -v quiet -threads 1 -i "$0" -an -sn -vf {TILES} -q:v 4 "$1-%03d.jpg" || true'),
    "poster": lambda bench: bench.scrub("poster", "--poster"),
    "ffmpegthumbnailer-640": lambda bench: bench.loop("ffmpegthumbnailer-640", THUMBNAILER + "640"),
    "one": lambda bench: bench.scrub("one", "--profile", "web", "--count", "1"),
    "ffmpegthumbnailer-320": lambda bench: bench.loop("ffmpegthumbnailer-320", THUMBNAILER + "320"),
}
PAIRS = [("scrub", "ffmpeg-key"), ("scrub-tiles", "ffmpeg-key"), ("scrub", "ffmpeg-all"), ("scrub-exact", "ffmpeg-all"), ("one", "ffmpegthumbnailer-320"), ("poster", "ffmpegthumbnailer-640")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scrub")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--rounds", type=int, help="without it 3, and 1 from 1,000 films on")
    parser.add_argument("--only", default=",".join(RUNS), help=f"of {', '.join(RUNS)}")
    parser.add_argument("--memory", type=int, help="MiB for scrub batch")
    parser.add_argument("--jobs", type=int, help="processors for scrub and processes of xargs; else those that this may run on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bases", default=",".join(base[0] for base in BASES), help="the generated films that cuts are made of, by name")
    parser.add_argument("--out", type=Path, help="a file for all figures, as JSON lines")
    parser.add_argument("--library-only", action="store_true")
    known = parser.parse_args()
    known.scrub = shutil.which(known.scrub) or sys.exit(f"batch: {known.scrub} cannot be run")
    known.folder = known.folder.resolve()
    start = time.monotonic()
    films = make_library(known.folder, known.files, known.seed, [base for base in BASES if base[0] in known.bases.split(",")])
    if known.library_only:
        print(f"made in {time.monotonic() - start:.0f} s: {(known.folder / 'library.json').read_text()}")
        return 0
    work = known.folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    bench = Bench(known, films, work)
    size = sum(len(path.read_bytes()) for path in bench.paths)  # now they are in the page cache
    names = [name for name in RUNS if name in known.only.split(",")]
    for name in [name for name in names if not name.startswith(("scrub", "poster", "one")) and not shutil.which(name.split("-")[0])]:
        print(f"batch: {name} is left out: it is not installed", file=sys.stderr)
        names.remove(name)
    rounds = known.rounds or (1 if known.files >= 1000 else 3)
    print(f"{len(bench.paths)} films, {size / 1e6:.0f} MB, {bench.cores} processors, {rounds} rounds, load {os.getloadavg()[0]:.1f}, "
          f"{json.loads((known.folder / 'library.json').read_text())['kinds']}", flush=True)
    figures = {name: [] for name in names}
    reruns, pictures = [], None
    for turn in range(rounds):
        # Turn about, so that a machine that gets slower gets slower for all.
        for name in names if turn % 2 == 0 else names[::-1]:
            figure = RUNS[name](bench)
            figures[name].append(figure)
            if name == "scrub":
                pictures = figure["pictures"]
                reruns.append(bench.again())
                figure["again"] = reruns[-1]
            if known.out:
                with open(known.out, "a") as out:
                    out.write(json.dumps({"round": turn, "run": name, "files": len(bench.paths), **figure}) + "\n")
    middle = {name: median(figure["seconds"] for figure in figures[name]) for name in names}
    print(f"\n{'':18} {'seconds':>8} {'min':>8} {'files/s':>8} {'pict./s':>8} {'cpu s':>8} {'made':>6} {'VmHWM':>6}")
    for name in names:
        last = figures[name][-1]
        # The loops make as many as scrub where they make any; a sheet's are not counted. Posters are one a film.
        count = last.get("pictures") or (last["made"] if name.startswith("ffmpegthumbnailer") else pictures)
        rate = f"{count / middle[name]:8.1f}" if count else " " * 8
        print(f"{name:22} {middle[name]:8.2f} {min(figure['seconds'] for figure in figures[name]):8.2f} {len(bench.paths) / middle[name]:8.1f} "
              f"{rate} {median(figure['cpu'] for figure in figures[name]):8.1f} {last['made']:6} {last['vmhwm']:6.0f}")
    print()
    for ours, theirs in PAIRS:
        if ours in middle and theirs in middle:
            each = [b["seconds"] / a["seconds"] for a, b in zip(figures[ours], figures[theirs])]
            cpu = median(b["cpu"] / a["cpu"] for a, b in zip(figures[ours], figures[theirs]))
            print(f"{ours} is {median(each):.2f} times as fast as {theirs} ({', '.join(f'{ratio:.2f}' for ratio in each)}), "
                  f"and takes {cpu:.2f} times less of the processors")
    for name in names:
        if "peak" in figures[name][0]:
            worst = max(figures[name], key=lambda figure: figure["vmhwm"])
            print(f"{name}: VmHWM {worst['vmhwm']:.0f} MiB, decoding {worst['peak']:.0f} MiB by its own account, --memory {known.memory or 'not given'}; "
                  f"{worst['failed']} failed, {worst['pictures']} pictures, {worst['decoded']} decoded; "
                  f"predicted {worst['predicted']:.1f} s of processors, {worst['actual']:.1f} s taken")
    for figure in reruns:
        print("again, nothing changed: " + ", ".join(f"{key} {value:.2f}" if isinstance(value, float) else f"{key} {value}"
                                                    for key, value in figure.items()))
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
