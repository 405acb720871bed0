"""One file whose decoder keeps something over a restart: every frame, asked in each way, beside ffmpeg's linear decode."""

import os
import shutil

from judge import Judge
from programs import Program

# What a stream without tables is written into, by its suffix; `None` is the stream as it is.
CONTAINERS = {
    ".h264": [None, "mp4", "mov", "mkv", "ts", "avi", "flv", "frag.mp4", "nut"],
    ".flv": [None, "mp4", "mov", "mkv", "ts", "frag.mp4"],
    ".hevc": [None, "mp4", "mov", "mkv", "ts", "frag.mp4", "nut"],
    ".m1v": [None, "mpg", "ts", "mkv", "mov", "avi", "nut"],
    ".m2v": [None, "mpg", "ts", "mkv", "mov", "mp4", "avi", "nut"],
    ".m4v": [None, "mp4", "mov", "mkv", "avi", "nut", "ts"],
    ".mjpeg": [None, "avi", "mov", "mkv", "nut"],
    ".pngs": ["avi", "mov", "mkv", "nut"],
    ".apng": [None],
}
# Frames that are asked alone, and with a saved index.
ALONE = 6


def takes(name):
    """Whether a seed is of a kind whose state is known."""
    return os.path.splitext(name)[1] in CONTAINERS


class StateJudge(Judge):
    """Asks for all frames in a range and backward, and for some alone, on one processor, and from a saved index."""

    def __init__(self, scrub, ffmpeg, revive, folder, kibibytes):
        super().__init__(scrub, ffmpeg, revive, folder, kibibytes)
        self.cache = os.path.join(folder, "cache")
        self.single = Program(scrub.path, scrub.shim, folder, processors={min(os.sched_getaffinity(0))})
        self.keeping = Program(scrub.path, scrub.shim, folder, environment={"SCRUB_CACHE_DIR": self.cache})

    def wrapped(self, path, suffix, number):
        """The stream in a container, which the number chooses; the stream itself where none takes it."""
        choices = CONTAINERS[suffix]
        container = choices[number % len(choices)]
        if container is None:
            return path, suffix[1:]
        target = os.path.join(self.folder, "wrapped." + container.split(".")[-1])
        options = ["-movflags", "+frag_keyframe+empty_moov"] if container == "frag.mp4" else []
        if suffix == ".pngs":
            options += ["-r", "12"]
        source = ["-f", "png_pipe"] if suffix == ".pngs" else []
        run = self.ffmpeg.run(
            "-v", "quiet", "-nostdin", "-y", "-fflags", "+genpts+bitexact", *source, "-i", path, "-c", "copy", *options,
            target)
        if run.code != 0 or not os.path.exists(target) or os.path.getsize(target) < 256:
            return path, suffix[1:]
        return target, container

    def judge(self, path, index, seed):
        self.seed = seed
        report = {"findings": [], "verdicts": {}, "peak": 0, "slowest": 0.0, "status": None}
        info = self._run(report, "info", path, "--no-cache", "--json")
        report["status"] = info.code
        facts = self._rows(report, info)
        count = facts[0].get("frameCount") or 0 if facts and not info.code else 0
        if not count:
            return report
        count = min(count, 120)
        stream = facts[0].get("stream", 0)
        linear, run = self.linear(path, stream)
        report["linear"] = len(linear)
        chosen = sorted({(index * 7 + place * 5) % count for place in range(ALONE)} | {count - 1})
        shutil.rmtree(self.cache, ignore_errors=True)
        ways = [
            ("range", self.scrub, ["--no-cache"], [[f"f0..f{count - 1}"]]),
            ("backward", self.scrub, ["--no-cache"], [[f"f{number}" for number in reversed(range(count))]]),
            ("alone", self.single, ["--no-cache"], [[f"f{number}"] for number in chosen]),
            ("saved index", self.keeping, [], [[f"f{number}"] for number in [chosen[0], *chosen]]),
        ]
        answers, refused = {}, set()
        for way, program, options, requests in ways:
            for positions in requests:
                self._ask(report, program, way, path, options, positions, answers, refused, linear, run, stream)
        return report

    def _ask(self, report, program, way, path, options, positions, answers, refused, linear, run, stream):
        revived = None
        done = program.run("seek", path, *positions, "--hash", "--json", *options)
        report["peak"] = max(report["peak"], done.kibibytes)
        report["slowest"] = max(report["slowest"], done.used)
        if done.is_late or done.signal:
            self._find(report, "crash", f"{way} {positions[0]}: signal {done.signal}: {done.errors[-300:]}")
            return
        for row in self._rows(report, done):
            verdict, number = row.get("verdict", "?"), row.get("frame")
            if verdict == "?" or number is None:
                continue
            report["verdicts"][verdict] = report["verdicts"].get(verdict, 0) + 1
            if verdict == "undecodable":
                refused.add(number)
            if verdict != "exact":
                continue
            report["compared"] = report.get("compared", 0) + 1
            hash = row["hash"][4:]
            earlier = answers.setdefault(number, (hash, way))
            if earlier[0] != hash and not any(item["kind"] == "two answers" for item in report["findings"]):
                self._find(report, "two answers", f"frame {number}: {earlier[1]} and {way} are exact and differ")
            # A picture that no decoder makes has a number here and none in ffmpeg's lines (docs/known-limits.md).
            lines = {number, number - sum(other < number for other in refused)}
            if any(0 <= line < len(linear) and linear[line] == hash for line in lines):
                continue
            kind = "number" if hash in linear else "not-in-linear-decode"
            if kind != "number" and self.has_rests(run):
                revived = revived if revived is not None else self._revived(path, stream)
                kind = "oracle-leaves-rests" if hash in revived else kind
            if not linear or run.is_late or run.signal:
                kind = "oracle-refuses"
            if not any(item["kind"] == kind for item in report["findings"]):
                self._find(report, kind, f"{way} {positions[0]}: frame {number} of {row.get('frameCount')}, ffmpeg "
                                         f"{len(linear)}: {run.errors.strip()[-200:]}")
