#!/usr/bin/env python3
"""Films on the network: `scrub` over HTTP beside `ffmpeg -ss T -i URL`, in requests, bytes and time, in one run. See README.md.

nginx with a configuration of its own serves the films, on the loopback and behind a link with a delay.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from comparison import places, series, wire
from comparison.film import Film

SPARE = 256 << 10


@dataclass
class Turns:
    """One side's turns of one case."""

    milliseconds: list[float] = field(default_factory=list)
    requests: int = 0
    sent: int = 0
    answers: list[dict[str, object]] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return statistics.median(self.milliseconds) if self.milliseconds else 0


class Bench:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.misses: list[str] = []
        self.caches = 0

    def cache(self) -> dict[str, str]:
        self.caches += 1
        return {**os.environ, "SCRUB_CACHE_DIR": str(self.folder / f"cache-{self.caches}")}

    def run(self, words: list[str], env: dict[str, str], server: wire.Server, turns: Turns | None = None, text: str | None = None) -> str:
        """Runs a process; its time, and the most that it asked and got, are added to the turns."""
        server.begin()
        start = time.perf_counter()
        done = subprocess.run(words, env=env, input=text, capture_output=True, text=True, check=False)
        took = (time.perf_counter() - start) * 1000
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.returncode}: {done.stderr.strip()}")
        if turns is not None:
            traffic = server.traffic()
            turns.milliseconds.append(took)
            turns.requests = max(turns.requests, traffic.requests)
            turns.sent = max(turns.sent, traffic.sent)
            line = done.stdout.strip().splitlines()[-1:] or [""]
            if line[0].startswith("{"):
                turns.answers.append(json.loads(line[0]))
        return done.stdout

    def judge(self, what: str, value: float, limit: float) -> str:
        if value <= limit:
            return "ok"
        self.misses.append(f"{what}: {value:g}, limit {limit:g}")
        return "MISS"

    # Single frames.

    def seek_words(self, url: str, at: str) -> list[str]:
        return [places.scrub(), "seek", url, at, "--json", "--hash"]

    def seeks(self, net: str, name: str, film: Film, server: wire.Server) -> None:
        url = server.url(name)
        truth = json.loads(subprocess.run(self.seek_words(str(film.path), "0.42"), capture_output=True, check=True, env=self.cache()).stdout)
        seconds = float(truth["seconds"])
        other = ["ffmpeg", "-nostdin", "-v", "error", "-ss", str(seconds), "-i", url, "-frames:v", "1", "-f", "null", "-"]
        cold, known, near, again, theirs = Turns(), Turns(), Turns(), Turns(), Turns()
        for turn in range(self.options.rounds):
            env = self.cache()
            first = (lambda: self.run(self.seek_words(url, "0.42"), env, server, cold), lambda: self.run(other, env, server, theirs))
            for side in first if turn % 2 == 0 else first[::-1]:
                side()
            self.run(self.seek_words(url, "0.4203"), env, server, near)
            self.run(self.seek_words(url, "0.42"), env, server, again)
            env = self.cache()
            self.run(self.seek_words(url, "0.9"), env, server)
            self.run(self.seek_words(url, "0.42"), env, server, known)
        for answer in cold.answers + known.answers + again.answers:
            if answer["hash"] != truth["hash"]:
                sys.exit(f"{net} {name}: a wrong picture: {answer}")
        needed, span, count = film.plan_bytes(seconds)
        later = float(str(near.answers[-1]["seconds"]))
        limits = {
            "cold": (film.index_bytes + needed + SPARE, 4, 1.0 if film.index_first else 0.6),
            "index known": (needed + SPARE, 4, 0.3),
            "nearby": (film.plan_bytes(later)[1] + SPARE, 4, None),
            "next day": (0, 0, None),
        }
        rows = {"cold": cold, "index known": known, "nearby": near, "next day": again}
        print(f"  {name}: index {film.index_bytes:,} B {'first' if film.index_first else 'last'}, plan {count} pictures {needed:,} B (all on the way {span:,} B)")
        for case, turns in rows.items():
            bytes_limit, request_limit, ratio_limit = limits[case]
            ratio = turns.middle / theirs.middle
            pairs = [a / b for a, b in zip(turns.milliseconds, theirs.milliseconds, strict=True)]
            where = f"{net} {name} {case}"
            verdicts = [
                self.judge(f"{where} requests", turns.requests, request_limit),
                self.judge(f"{where} bytes", turns.sent, bytes_limit),
            ]
            # On the loopback there is nothing to wait for; the lines are drawn for the way with a delay.
            if ratio_limit is not None and net != "loopback":
                verdicts.append(self.judge(f"{where} ratio", round(statistics.median(pairs), 3), ratio_limit))
            limit = f"{ratio_limit}" if ratio_limit is not None else ""
            print(
                f"  {case:12}{turns.requests:4} requests{turns.sent:12,} B (at most {bytes_limit:,}){turns.middle:9.1f} ms"
                f" (least {min(turns.milliseconds):.1f}) ratio{ratio:7.3f} {limit:4} {' '.join(verdicts)}"
            )
        if net != "loopback":
            figures = {
                ("time", "ms"): {f"scrub, {case}": rows[case].milliseconds for case in ("cold", "index known")} | {"ffmpeg": theirs.milliseconds},
                ("bytes", "B"): {f"scrub, {case}": [float(rows[case].sent)] for case in ("cold", "index known")} | {"ffmpeg": [float(theirs.sent)]},
            }
            series.append(self.options.json, *(series.Series(name, measure, unit, values) for (measure, unit), values in figures.items()))
        print(f"  {'ffmpeg':12}{theirs.requests:4} requests{theirs.sent:12,} B{'':24}{theirs.middle:9.1f} ms (least {min(theirs.milliseconds):.1f})", flush=True)

    # Strips, drags, several at once.

    def strip(self, net: str, name: str, film: Film, server: wire.Server) -> dict[str, str]:
        env, turns, out = self.cache(), Turns(), self.folder / f"strip-{self.caches}"
        words = [places.scrub(), "strip", server.url(name), "--count", "100", "--tolerance", "keyframe", "-o", str(out)]
        self.run(words, env, server, turns)
        shown = [float(t["seconds"]) for t in json.loads((out / "manifest.json").read_text())["thumbnails"]]
        keys = film.keys_nearest(shown)
        media = turns.sent - film.index_bytes
        verdict = self.judge(f"{net} {name} 100 key thumbnails, bytes beside the index", media, keys * 1.2)
        print(
            f"  {name} strip of 100 keys: {turns.requests} requests, {turns.sent:,} B of which the index {film.index_bytes:,};"
            f" key pictures {keys:,} B, factor {media / keys:.3f} (1.2), {turns.milliseconds[0]:.0f} ms {verdict}",
            flush=True,
        )
        return env

    def copy(self, env: dict[str, str]) -> dict[str, str]:
        copied = self.cache()
        subprocess.run(["cp", "-a", "--sparse=always", env["SCRUB_CACHE_DIR"] + "/.", copied["SCRUB_CACHE_DIR"]], check=True)
        return copied

    def drag(self, net: str, name: str, server: wire.Server, env: dict[str, str], points: int, rest: int) -> None:
        """A finger that lies still for `rest` milliseconds first: with 0 the program begins with the movement, without a connection."""
        events: list[dict[str, object]] = [{"ms": 0, "phase": "began"}]
        moves = 180
        for i in range(1, moves + 1):
            way = 2 * i / moves
            events.append({"ms": rest + round(i * 1000 / 60), "phase": "changed", "dx": points * (way if way <= 1 else 2 - way / 2 - 0.5), "dy": 0})
        events.append({"ms": rest + round(moves * 1000 / 60), "phase": "ended"})
        script = json.dumps({"width": 1000, "begin": "0.30", "playing": False, "events": events})
        turns = Turns()
        words = [places.scrub(), "gesture", server.url(name), "--script", "-", "--json"]
        self.run(words, env, server, turns, script)
        found = turns.answers[-1]
        begin = f"after {rest / 1000:.0f} s" if rest else "at once"
        # A drag in which nothing new came at all has no gap between pictures; it is one.
        gap = float(str(found["worstGapMs"] or 0)) if found["newPicturesPerSecond"] else moves * 1000 / 60
        verdict = self.judge(f"{net} {name} drag by {points} points {begin}, worst gap ms", gap, 100)
        print(
            f"  {name} drag by {points} points in 1.5 s and half back, {begin}: worst gap {gap:.1f} ms (100), exact after rest"
            f" {found['restMs']} ms, shown {found['shown']}, {turns.requests} requests, {turns.sent:,} B {verdict}",
            flush=True,
        )

    def together(self, net: str, name: str, film: Film, server: wire.Server) -> None:
        env = self.cache()
        truth = json.loads(subprocess.run(self.seek_words(str(film.path), "0.5"), capture_output=True, check=True, env=self.cache()).stdout)
        server.begin()
        places_of = [f"0.{n}" for n in range(40, 50)] + ["0.5"]
        commands = [f'"{places.scrub()}" seek "$1" {at} --json --hash' for at in places_of]
        words = ["sh", "-c", " && ".join(commands), "sh", server.url(name)]
        start = time.perf_counter()
        running = [subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
        outputs = [process.communicate() for process in running]
        took = time.perf_counter() - start
        for process, (out, errors) in zip(running, outputs, strict=True):
            if process.returncode != 0:
                sys.exit(f"eight at once: {errors}")
            if json.loads(out.strip().splitlines()[-1])["hash"] != truth["hash"]:
                sys.exit("eight at once: a wrong picture")
        traffic = server.traffic()
        factor = traffic.bodies / max(1, traffic.distinct)
        verdict = self.judge(f"{net} {name} eight processes, factor", round(factor, 3), 1.05)
        checked = subprocess.run([places.scrub(), "cache", "verify", "--json"], env=env, capture_output=True, text=True, check=False)
        print(
            f"  {name} eight processes, 11 seeks each: {traffic.requests} requests, {traffic.bodies:,} B, distinct {traffic.distinct:,} B,"
            f" factor {factor:.3f} (1.05), {took:.1f} s {verdict}; verify {checked.returncode}: {checked.stdout.strip()}",
            flush=True,
        )


def films(options: argparse.Namespace, root: Path) -> dict[str, Film]:
    """The long film in both layouts, and others that were named."""
    made = {}
    for path in options.films:
        for layout in ("last", "first") if path == options.films[0] else ("same",):
            name = f"{path.stem}-index-{layout}.mp4" if layout != "same" else path.name
            target = root / name
            if layout == "same":
                target.symlink_to(path.resolve())
            else:
                flags = ["-movflags", "+faststart"] if layout == "first" else []
                words = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0", "-c", "copy", *flags, str(target)]
                subprocess.run(words, check=True)
            made[name] = Film(target)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("films", nargs="+", type=Path, help="the first one is measured with its index first and last")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--delay", type=float, default=25, help="milliseconds one way")
    parser.add_argument("--only", default="seeks,strip,drag,together")
    parser.add_argument("--nets", default="loopback,delay")
    parser.add_argument("--json", type=Path, help="also append the figures of single frames behind the delay to this file, as JSON lines")
    options = parser.parse_args()
    if lacking := wire.missing():
        sys.exit(f"missing: {', '.join(lacking)}")
    with tempfile.TemporaryDirectory(prefix="scrub-network-") as made:
        folder, link = Path(made), None
        folder.chmod(0o755)
        root = folder / "root"
        root.mkdir()
        bench = Bench(options, folder)
        served = films(options, root)
        try:
            for net in options.nets.split(","):
                near = None
                if net == "delay":
                    near = link = wire.Link(folder, options.delay)
                    print(f"{options.delay:g} ms each way, {2 * options.delay:g} ms there and back: {link.kind}")
                    title = f"{2 * options.delay:g} ms"
                else:
                    title = "loopback"
                    print(title)
                with near.here() if near else nullcontext():
                    address, space = (wire.Link.address, wire.Link.far) if near else ("127.0.0.1", None)
                    server = wire.Server(folder / f"nginx-{net}", root, address, space)
                    try:
                        measure(bench, title, served, server, set(options.only.split(",")))
                    finally:
                        server.close()
        finally:
            if link:
                link.close()
        for miss in bench.misses:
            print(f"misses its line: {miss}")
        sys.exit(1 if bench.misses else 0)


def measure(bench: Bench, net: str, served: dict[str, Film], server: wire.Server, parts: set[str]) -> None:
    for place, (name, film) in enumerate(served.items()):
        if "seeks" in parts:
            bench.seeks(net, name, film, server)
        if place > 1:
            continue
        env = bench.strip(net, name, film, server) if parts & {"strip", "drag"} else bench.cache()
        if "drag" in parts:
            # Each with the strip on disk and nothing else; from a beginning without a connection, and in a session that
            # is open.
            for rest in (0, 2000):
                for points in (300, 10):
                    bench.drag(net, name, server, bench.copy(env), points, rest)
        if "together" in parts:
            bench.together(net, name, film, server)


main()
