#!/usr/bin/env python3
"""Every time that is printed or computed for a frame must be that frame's: through the command line, Python and C.

round-trip.py [--program PATH] [--library PATH] [--frames N] [--ffprobe] FOLDER|FILE...

Of each file: the times of `frames` (JSON and text), of `seek` (text and JSON), of a contact sheet and of thumbnails.vtt, and what
other tools print: 3 to 9 decimals, cut off and rounded, as far as so many tell the frames apart; with --ffprobe also what ffprobe
itself prints. Then the times that programs compute: a frame's number over its rate, sums of periods, a detour over 1000.5 s, float32,
numbers rounded to three and six decimals, and the container's own times. They are typed, given to the Python package (with numpy), and
with --library to the C library. Of a long film N frames (default 300) in stretches of neighbours. Prints one line for each file with
something wrong, and a sum; ends with 1 where a time named another frame. TimeRoundTripTests does the same in Swift.

Positions are typed into `strip --plan`, which decodes nothing: times in order name frames in order, so that all are right when the
set of frames is. A sample goes through `seek` itself.
"""
import argparse, collections, ctypes, json, os, re, subprocess, sys, tempfile
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../python/src"))
counts = {"files": 0, "refused": 0, "times": 0, "wrong": 0}
ways = collections.Counter()


def run(program, *arguments, timeout=600):
    return subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace", timeout=timeout)


def decimals(value, places):
    """A time of so many decimals, cut off and rounded half up."""
    scale = 10 ** places
    cut = value.numerator * scale // value.denominator
    near = (2 * value.numerator * scale + value.denominator) // (2 * value.denominator)
    return {f"{units // scale}.{units % scale:0{places}d}" for units in (cut, near)}


def sample(count, most):
    """Numbers of frames: all, or stretches of ten neighbours, evenly over the film."""
    if count <= most:
        return list(range(count))
    parts = max(1, most // 10)
    numbers = set()
    for part in range(parts):
        first = part * (count - 10) // max(1, parts - 1) if parts > 1 else 0
        numbers.update(range(first, first + 10))
    return sorted(numbers)


def named(program, path, texts):
    """The set of frames that positions name; None where one is refused."""
    found = set()
    for start in range(0, len(texts), 4000):
        result = run(program, "strip", path, "--plan", "--json", "--tolerance", "exact", "--at", ",".join(texts[start:start + 4000]))
        if result.returncode != 0:
            return None, result.stderr.strip()
        found |= {slot["frame"] for slot in json.loads(result.stdout)["slots"]}
    return found, ""


def one(program, path, text):
    result = run(program, "plan", path, text, "--json")
    return json.loads(result.stdout)["frame"] if result.returncode == 0 else result.stderr.strip()


RATES = [Fraction(n) for n in (25, 30, 24, 50, 60, 12, 15, 10, 48, 100, 120, 240, 5, 20, 1)]
RATES += [Fraction(n * 1000, 1001) for n in (30, 24, 60, 48, 120, 15, 12)]


class File:
    def __init__(self, options, path):
        self.program, self.path, self.faults = options.program, path, []
        listing = run(self.program, "frames", path, "--json")
        if listing.returncode != 0:
            counts["refused"] += 1
            return
        counts["files"] += 1
        rows = [json.loads(line) for line in listing.stdout.splitlines()]
        table = [line.split("\t") for line in run(self.program, "frames", path).stdout.splitlines()[1:]]
        base = Fraction(json.loads(run(self.program, "info", path, "--json").stdout)["timeBase"])
        self.rows = rows
        # Of frames that share a time the last is on screen: they have no duration.
        self.shown = list(range(len(rows)))
        for number in reversed(range(len(rows) - 1)):
            if rows[number]["duration"] == 0:
                self.shown[number] = self.shown[number + 1]
        # Times exactly: JSON has nine decimals of them, and the container's own where nothing was repaired.
        self.times = []
        for row in rows:
            printed, exact = Fraction(str(row["seconds"])), (row["pts"] - rows[0]["pts"]) * base
            self.times.append(exact if abs(exact - printed) < Fraction(1, 10 ** 8) else printed)
        numbers = [number for number in sample(len(rows), options.frames) if self.shown[number] == number]
        self.check("frames, JSON", {n: f"{rows[n]['seconds']}s" for n in numbers})
        self.check("frames, text", {n: f"{table[n][2]}s" for n in numbers})
        for places in range(3, 10):
            for way in (min, max):
                self.check(f"{places} decimals", {
                    n: way(decimals(self.times[n], places)) + "s" for n in numbers if self.distance(n) * 10 ** places >= Fraction(3, 2)
                })
        if options.ffprobe:
            self.ffprobe(numbers)
        self.base = base
        self.rate = next((rate for rate in RATES if self.fits(rate)), None)
        self.computed(options, numbers)
        picked = numbers[:: max(1, len(numbers) // 10)][:12] + numbers[-2:]
        self.seek(sorted(set(picked)))
        self.sets(sorted(set(numbers[:6] + picked)))

    def fits(self, rate):
        """Whether all frames are at a rate's times, rounded to the time base: the first frame's, too.

        Where a unit is a frame's period, as in AVI, no other rate is.
        """
        if self.base >= Fraction(1, 250) and rate * self.base != 1:
            return False
        return all(abs(time - number / rate) < self.base for number, time in enumerate(self.times))

    def floats(self, numbers):
        """The times that programs compute for frames, by the way they do it; and those of the container."""
        import numpy

        start, near = self.rows[0]["pts"] * self.base, {number: self.distance(number) for number in numbers}
        own = {number: float(self.times[number]) for number in numbers}
        made = {
            "seconds": own, "detour": {n: (1000.5 + time) - 1000.5 for n, time in own.items()},
            "6 digits": {n: round(time, 6) for n, time in own.items() if near[n] > Fraction(3, 2 * 10**6)},
            "float32": {n: numpy.float32(time) for n, time in own.items() if near[n] > 2 * abs(float(numpy.spacing(numpy.float32(time))))},
            # Cut off to milliseconds.
            "3 digits": {n: int(self.times[n] * 1000) / 1000 for n in numbers if near[n] * 1000 >= Fraction(3, 2)},
        }
        made["widened"] = {n: float(time) for n, time in made["float32"].items()}
        if self.rate:
            period, total = 1 / float(self.rate), 0.0
            made["i/rate"] = {n: n * self.rate.denominator / self.rate.numerator for n in numbers}
            made["i*period"] = {n: n * period for n in numbers}
            sums = []
            for _ in self.rows:
                sums.append(total)
                total += period
            made["sum"] = {n: sums[n] for n in numbers}
        pts = {}
        if all(abs((row["pts"] * self.base - start) - time) < Fraction(1, 10**8) for row, time in zip(self.rows, self.times)):
            pts["pts"] = {n: float(self.rows[n]["pts"] * self.base) for n in numbers}
            pts["pts, exact"] = {n: self.rows[n]["pts"] * self.base for n in numbers}
            pts["start + seconds"] = {n: float(start) + time for n, time in own.items()}
            pts["pts, float32"] = {n: numpy.float32(time) for n, time in pts["pts"].items() if near[n] > 2 * abs(float(numpy.spacing(numpy.float32(time))))}
        return made, pts

    def computed(self, options, numbers):
        made, pts = self.floats(numbers)
        for name, times in made.items():
            if name not in ("float32", "widened"):
                # A number that is printed with four to nine decimals is a written time, which stands for less than a
                # number does.
                self.check(name, {
                    n: f"{time!r}s" for n, time in times.items()
                    if time >= 0.001 and ("e" in repr(time) or not 4 <= len(repr(time).partition(".")[2]) <= 9 or name == "seconds")
                })
        self.python(options, made, pts)
        if options.library:
            self.library(options, made, pts)

    def python(self, options, made, pts):
        import scrub
        from scrub._positions import time_text

        with scrub.open(self.path, program=self.program, library=False) as video:
            start = video[0].pts * video.time_base
            # A position is found without decoding; a sample goes through the public names.
            for times, origin, public in ((made, Fraction(0), video.at), (pts, start, video.get_frame_played_at)):
                for name, entries in times.items():
                    for place, (number, time) in enumerate(entries.items()):
                        answer = video._find(time_text(time, origin))
                        if place % 50 == 7:
                            try:
                                answer = public(time).number
                            except scrub.DataError:
                                pass  # The frame is found, and no decoder makes it.
                        self.count("python", name, number, time, answer)

    def library(self, options, made, pts):
        library = ctypes.CDLL(options.library)
        video, frame = ctypes.c_void_p(), ctypes.c_int64()
        if library.scrub_open(os.fsencode(self.path), None, ctypes.byref(video), None) != 0:
            return
        for times, flags in ((made, 0), (pts, 0x40)):
            for name, entries in times.items():
                for number, time in entries.items():
                    status = library.scrub_find_seconds(video, ctypes.c_double(float(time)), flags, ctypes.byref(frame), None)
                    self.count("c", name, number, time, frame.value if status == 0 else f"status {status}")
        library.scrub_close(video)

    def count(self, way, name, number, time, answer):
        counts["times"] += 1
        ways[way] += 1
        if answer != number:
            self.fault(f"{way}, {name}", number, repr(time), answer)

    def distance(self, number):
        near = [abs(self.times[other] - self.times[number]) for other in (number - 1, number + 1) if 0 <= other < len(self.times)]
        return min(near, default=Fraction(1))

    def check(self, name, texts):
        if not texts:
            return
        counts["times"] += len(texts)
        ways["command"] += len(texts)
        found, problem = named(self.program, self.path, list(texts.values()))
        if found == set(texts):
            return
        for number, text in texts.items():
            answer = one(self.program, self.path, text)
            if answer != number:
                self.fault(name, number, text, answer)

    def fault(self, name, number, text, answer):
        counts["wrong"] += 1
        self.faults.append(f"{name}: {text} is f{number}, and names {answer}")

    def seek(self, numbers):
        asked = [f"f{number}" for number in numbers]
        lines = run(self.program, "seek", self.path, *asked).stdout.splitlines()
        texts = [found.group(1) for line in lines if (found := re.search(r" at ([\d:.]+s?)[,;]", line))]
        rows = [json.loads(line) for line in run(self.program, "seek", self.path, *asked, "--json").stdout.splitlines()]
        for name, printed in (("seek, text", texts), ("seek, JSON", [f"{row['seconds']}s" for row in rows])):
            counts["times"] += len(printed)
            if len(printed) != len(numbers):
                self.fault(name, numbers[0], f"{len(printed)} of {len(numbers)} answers", "")
                continue
            back = [json.loads(line)["frame"] for line in run(self.program, "seek", self.path, *printed, "--json").stdout.splitlines()]
            for number, text, answer in zip(numbers, printed, back):
                if answer != number:
                    self.fault(name, number, text, answer)
            if len(back) != len(numbers):
                self.fault(name, numbers[0], printed[0], f"{len(back)} answers")

    def sets(self, numbers):
        at = ",".join(f"f{number}" for number in numbers)
        with tempfile.TemporaryDirectory() as folder:
            sheet = run(self.program, "sheet", self.path, "--at", at, "-o", f"{folder}/sheet.svg")
            if sheet.returncode == 0:
                words = re.findall(r"<text[^>]*>([^<]*)</text>", open(f"{folder}/sheet.svg", errors="replace").read())
                cells = {int(note): label for label, note in zip(words, words[1:]) if re.fullmatch(r"[\d:]+\.\d+", label) and note.isdigit()}
                self.check("sheet", cells)
            strip = run(self.program, "strip", self.path, "--at", at, "--width", "64", "-o", f"{folder}/strip", "--json")
            if strip.returncode == 0:
                cues = re.findall(r"\n([\d:.]+) --> ", open(f"{folder}/strip/thumbnails.vtt").read())
                manifest = json.loads(strip.stdout)["thumbnails"]
                # The first slot begins with the film, others with their frame unless it has no picture; WebVTT has
                # three digits.
                self.check("thumbnails.vtt", {
                    one["frame"]: cue for one, cue in list(zip(manifest, cues))[1:]
                    if one["start"] == one["seconds"] and self.distance(one["frame"]) * 1000 >= 1
                })
                self.check("manifest", {one["frame"]: f"{one['seconds']}s" for one in manifest if self.distance(one["frame"]) >= Fraction(1, 10 ** 9)})

    def ffprobe(self, numbers):
        stream = json.loads(run(self.program, "info", self.path, "--json").stdout)["stream"]
        result = run("ffprobe", "-v", "error", "-select_streams", str(stream), "-show_entries", "frame=pts_time", "-of", "csv=p=0", self.path)
        printed = [line.strip(", ") for line in result.stdout.splitlines()]
        if len(printed) != len(self.rows) or not all(re.fullmatch(r"-?\d+\.\d+", text) for text in printed):
            return
        first, texts = Fraction(printed[0]), {}
        for number in numbers:
            time = Fraction(printed[number]) - first
            # Where a frame's own time is another one, ffprobe reports the container's.
            if self.distance(number) >= Fraction(3, 2 * 10 ** 6) and abs(time - self.times[number]) < Fraction(2, 10 ** 6) and time >= 0:
                units = int(time * 10 ** 6)
                texts[number] = f"{units // 10 ** 6}.{units % 10 ** 6:06d}s"
        self.check("ffprobe", texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/scrub")
    parser.add_argument("--library", help="the C library, libscrub.so.1")
    parser.add_argument("--frames", type=int, default=300, help="frames of each film at most")
    parser.add_argument("--ffprobe", action="store_true", help="compare with what ffprobe prints")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    paths = []
    for path in options.paths:
        inside = sorted(os.path.join(path, name) for name in os.listdir(path)) if os.path.isdir(path) else [path]
        paths += [name for name in inside if os.path.isfile(name)]
    for path in paths:
        try:
            faults = File(options, path).faults
        except subprocess.TimeoutExpired as error:
            counts["refused"] += 1
            print(f"{path}: no answer within {error.timeout:.0f} s: {' '.join(error.cmd[1:3])}", flush=True)
            continue
        for fault in faults[:5]:
            print(f"{path}: {fault}", flush=True)
        if len(faults) > 5:
            print(f"{path}: {len(faults) - 5} more", flush=True)
    print("{files} files, {refused} refused, {times} times typed back, {wrong} wrong".format(**counts))
    print(", ".join(f"{count} by {way}" for way, count in ways.items()))
    return 1 if counts["wrong"] or counts["files"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
