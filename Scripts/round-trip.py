#!/usr/bin/env python3
"""Every time that is printed for a frame, typed back, must be that frame's: through the command line.

round-trip.py [--program PATH] [--frames N] [--ffprobe] FOLDER|FILE...

Of each file: the times of `frames` (JSON and text), of `seek` (text and JSON), of a contact sheet and of thumbnails.vtt, and what
other tools print: 3 to 9 decimals, cut off and rounded, as far as so many tell the frames apart; with --ffprobe also what ffprobe
itself prints. Of a long film N frames (default 300) in stretches of neighbours. Prints one line for each file with something
wrong, and a sum; ends with 1 where a time named another frame.

Positions are typed into `strip --plan`, which decodes nothing: times in order name frames in order, so that all are right when the
set of frames is. A sample goes through `seek` itself.
"""
import argparse, json, os, re, subprocess, sys, tempfile
from fractions import Fraction

counts = {"files": 0, "refused": 0, "times": 0, "wrong": 0}


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
        picked = numbers[:: max(1, len(numbers) // 10)][:12] + numbers[-2:]
        self.seek(sorted(set(picked)))
        self.sets(sorted(set(numbers[:6] + picked)))

    def distance(self, number):
        near = [abs(self.times[other] - self.times[number]) for other in (number - 1, number + 1) if 0 <= other < len(self.times)]
        return min(near, default=Fraction(1))

    def check(self, name, texts):
        if not texts:
            return
        counts["times"] += len(texts)
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
    return 1 if counts["wrong"] or counts["files"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
