#!/usr/bin/python3
"""Every verb that makes something, on every clip, with an empty cache: where `seek` is exact, the verb ends with 0 and what it made is right.

    matrix.py SCRUB [FILE...] [--corpus FOLDER] [--states] [--only VERB,...] [--films] [--jobs N] [--keep FOLDER]

Without FILE: the good clips of testdata/. --corpus adds a folder's video files. --films takes the clips called film-* alone.

What is right: as many pictures as were asked for, each of the frame that is on screen at its time, each like that frame in ffmpeg's linear
decode (of all frames none is clearly more like it), of the size that was asked for.

--states makes the same again without a cache, with one in which `verify` and `seek` were, in the sandbox, and in the opposite order over one
cache: the same bytes.

Ends with 1 if anything is wrong, and says what. Needs ffmpeg, python3-numpy and python3-pil; reads nothing but the clips.
"""
import argparse
import concurrent.futures
import fractions
import hashlib
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy
from PIL import Image

Image.MAX_IMAGE_PIXELS = None
root = os.path.abspath(__file__)
for _ in range(4): root = os.path.dirname(root)
GRID = (24, 18)
# How much less like its own frame a picture may be than like another one: colours are converted by other code than
# ffmpeg's filter.
SLACK = 6.0


class Wrong(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def grid(picture):
    """A picture as a few numbers; what is transparent stands before black."""
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, (0, 0, 0, 255)), picture)
    return numpy.asarray(picture.convert("RGB").resize(GRID, Image.BOX), dtype=numpy.float32)


class Film:
    """A video and what is true of it."""

    def __init__(self, scrub, path, stream, work):
        self.scrub, self.path, self.stream, self.work = scrub, path, stream, work
        self.runs = 0

    def run(self, verb, *arguments, cache=None, extra=(), stdin=None):
        """A run of the program with a cache folder of its own, or the given one."""
        self.runs += 1
        if cache is None:
            cache = os.path.join(self.work, f"cache{self.runs}")
        environment = dict(os.environ, SCRUB_CACHE_DIR=cache, TERM="dumb", HOME=self.work)
        done = subprocess.run(
            [self.scrub, verb, *extra, *arguments], capture_output=True, env=environment, timeout=300, stdin=subprocess.DEVNULL)
        return done

    def stream_words(self):
        return [] if self.stream is None else ["--stream", str(self.stream)]

    def learn(self):
        """The frames, by seek and frames; None where the file is refused."""
        done = self.run("seek", self.path, "first..last", "--hash", "--json", *self.stream_words())
        if done.returncode not in (0, 65):
            raise Wrong(f"seek first..last ends with {done.returncode}: {tail(done.stderr)}")
        self.rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
        self.rows = [row for row in self.rows if "verdict" in row]
        self.exact = {row["frame"] for row in self.rows if row["verdict"] == "exact"}
        if not self.exact:
            return False
        self.count = self.rows[0]["frameCount"]
        done = self.run("frames", self.path, "--json", *self.stream_words())
        expect(done.returncode == 0, f"frames ends with {done.returncode}: {tail(done.stderr)}")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        expect(len(lines) == self.count, f"frames has {len(lines)} lines for {self.count} frames")
        base = fractions.Fraction(self.rows[0]["timeBase"])
        self.times = [line["pts"] * base - lines[0]["pts"] * base for line in lines]
        # Where the container's times jump, run backwards or are missing, a frame's time is the one that is printed.
        if any(abs(float(time) - line["seconds"]) > 1e-6 for time, line in zip(self.times, lines)):
            self.times = [fractions.Fraction(line["seconds"]).limit_denominator(10**9) for line in lines]
        done = self.run("info", self.path, "--json", *self.stream_words())
        expect(done.returncode == 0, f"info ends with {done.returncode}: {tail(done.stderr)}")
        self.info = json.loads(done.stdout)
        expect(self.info["frameCount"] == self.count, f"info counts {self.info['frameCount']} frames, seek {self.count}")
        self.duration = self.info["duration"]
        self.index = self.info["stream"]
        # What is transparent is shown on black, here too; libavcodec's own decoders leave VP8's and VP9's alpha out.
        ground, decoder = "", []
        if self.info["alpha"]:
            ground = "format=gbrap,premultiply=inplace=1,"
            decoder = {"vp8": ["-c:v", "libvpx"], "vp9": ["-c:v", "libvpx-vp9"]}.get(self.info["codec"], [])
        linear = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "quiet", "-copyts", *decoder, "-i", self.path, "-map", f"0:{self.index}", "-fps_mode", "passthrough",
             "-vf", f"scale=iw:ih,{ground}format=rgb24,scale={GRID[0] * 4}:{GRID[1] * 4}:flags=area", "-f", "rawvideo", "-"],
            capture_output=True, timeout=600).stdout
        wide, high = GRID[0] * 4, GRID[1] * 4
        pictures = [linear[i:i + wide * high * 3] for i in range(0, len(linear) - wide * high * 3 + 1, wide * high * 3)]
        self.pictures = numpy.array([grid(Image.frombytes("RGB", (wide, high), p)) for p in pictures]) if pictures else None
        # Where ffmpeg shows another number of pictures (damage, two edits), numbers prove nothing about likeness.
        self.comparable = len(pictures) == self.count
        return True

    def like(self, picture, frame, what):
        """Whether a picture is like a frame."""
        if self.pictures is None or len(self.pictures) == 0:
            return
        distance = numpy.abs(self.pictures - grid(picture)).mean(axis=(1, 2, 3))
        if frame is None or not self.comparable:
            # Brightness beyond white is mapped to a screen's; ffmpeg's filter does not.
            limit = 60 if self.info["hdr"] else 40
            expect(distance.min() < limit, f"{what}: like no frame (nearest {distance.min():.0f})")
            return
        expect(distance[frame] <= distance.min() + SLACK,
               f"{what}: less like frame {frame} ({distance[frame]:.0f}) than like {int(distance.argmin())} ({distance.min():.0f})")

    def on_screen(self, seconds):
        """The frames that may be on screen then: two where it is a frame's very beginning."""
        found = [i for i, t in enumerate(self.times) if t <= seconds + 1e-6]
        last = found[-1] if found else 0
        near = [i for i in range(max(0, last - 1), last + 1) if i == last or abs(float(self.times[last]) - seconds) < 2e-6]
        # Frames with one time: any of them.
        return {j for i in near for j in range(self.count) if self.times[j] == self.times[i]}


def tail(data):
    return data.decode("utf-8", "replace").strip()[-300:]


def opened(data, what):
    try:
        picture = Image.open(io.BytesIO(data))
        picture.load()
        return picture
    except Exception as error:
        raise Wrong(f"{what}: no picture: {error}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tree(path):
    """A digest of all files below a folder, or of a file."""
    digest = {}
    if os.path.isfile(path):
        return {"": hashlib.md5(read(path)).hexdigest()}
    for folder, _, names in os.walk(path):
        for name in names:
            full = os.path.join(folder, name)
            digest[os.path.relpath(full, path)] = hashlib.md5(read(full)).hexdigest()
    return digest


# --- Verbs: (arguments, check) --------------------------------------------------------------------------------------

def middle(film):
    exact = sorted(film.exact)
    return exact[len(exact) // 2]


def seek_as(format):
    def words(film, out):
        suffix = {"raw": "raw", "rgb": "rgb", "rgba": "rgba"}.get(format, format)
        return ["seek", film.path, f"f{middle(film)}", "--output", os.path.join(out, "f." + suffix), "--format", format, "--json"]

    def check(film, out, done):
        row = json.loads(done.stdout.splitlines()[0])
        frame = middle(film)
        expect(row["frame"] == frame and row["verdict"] == "exact", f"frame {row['frame']}, {row['verdict']}")
        data = read(os.path.join(out, os.listdir(out)[0]))
        if format in ("png", "jpeg", "webp"):
            picture = opened(data, "the picture")
            expect(min(picture.size) > 0, "an empty picture")
            film.like(picture, frame, "the picture")
        elif format == "avif":
            expect(data[4:12] == b"ftypavif", "no AVIF")
        elif format == "rgb":
            expect(len(data) % 3 == 0 and len(data) > 0, f"{len(data)} bytes")
        elif format == "rgba":
            expect(len(data) % 4 == 0 and len(data) > 0, f"{len(data)} bytes")
        else:
            expect("md5:" + hashlib.md5(data).hexdigest() == film.rows[frame]["hash"], "raw bytes have another hash than --hash")
    return words, check


def seek_alone():
    def words(film, out):
        return ["seek", film.path, f"f{middle(film)}", "--hash", "--json"]

    def check(film, out, done):
        row = json.loads(done.stdout.splitlines()[0])
        expect(row["verdict"] == "exact", row["verdict"])
        expect(row["hash"] == film.rows[middle(film)]["hash"], "another hash alone than in a range")
    return words, check


def posters(count):
    def words(film, out):
        return ["poster", film.path, "--count", str(count), "--output", os.path.join(out, "p.png"), "--json"]

    def check(film, out, done):
        found = json.loads(done.stdout)["posters"]
        expect(1 <= len(found) <= count, f"{len(found)} posters of {count}")
        for one in found:
            expect(0 <= one["frame"] < film.count, f"frame {one['frame']}")
            film.like(opened(read(one["file"]), one["file"]), one["frame"], f"the poster of frame {one['frame']}")
        film.best = getattr(film, "best", {})
        film.best[count] = hashlib.md5(read(found[0]["file"])).hexdigest()
        expect(len(set(film.best.values())) == 1, f"the best of --count {sorted(film.best)} differ")
    return words, check


def sheet():
    def words(film, out):
        return ["sheet", film.path, "-o", os.path.join(out, "s.png"), "--width", "640", "--json"]

    def check(film, out, done):
        picture = opened(read(os.path.join(out, "s.png")), "the sheet")
        expect(picture.size[0] == 640, f"the sheet is {picture.size[0]} wide")
    return words, check


def check_strip(film, out, count, tolerance):
    with open(os.path.join(out, "manifest.json")) as file:
        manifest = json.load(file)
    thumbnails = manifest["thumbnails"]
    if count is not None:
        expect(len(thumbnails) == count, f"{len(thumbnails)} thumbnails of {count}")
    sheets = {}
    for i, one in enumerate(thumbnails):
        name = one["sheet"]
        if name not in sheets:
            sheets[name] = opened(read(os.path.join(out, name)), name)
        box = (one["x"], one["y"], one["x"] + one["width"], one["y"] + one["height"])
        expect(box[2] <= sheets[name].size[0] and box[3] <= sheets[name].size[1], f"thumbnail {i} lies outside its sheet")
        if one["width"] >= 16 and one["height"] >= 16:
            film.like(sheets[name].crop(box), one["frame"], f"thumbnail {i}")
        if count is not None:
            slot = (i + 0.5) * film.duration / count
            expect(abs(one["requested"] - slot) < 1e-3 + film.duration * 1e-6, f"thumbnail {i} is for {one['requested']}, not {slot}")
            if tolerance == "exact" and film.exact >= film.on_screen(one["requested"]):
                expect(one["frame"] in film.on_screen(one["requested"]),
                       f"thumbnail {i} at {one['requested']} is frame {one['frame']}, on screen is {sorted(film.on_screen(one['requested']))}")
    expect(os.path.exists(os.path.join(out, "thumbnails.vtt")), "no thumbnails.vtt")


def strip(count, tolerance):
    def words(film, out):
        return ["strip", film.path, "--count", str(count), "--tolerance", tolerance, "--format", "png", "--output", os.path.join(out, "s"), "--json"]

    def check(film, out, done):
        check_strip(film, os.path.join(out, "s"), count, tolerance)
    return words, check


def scenes():
    def words(film, out):
        return ["strip", film.path, "--scenes", "--format", "png", "--output", os.path.join(out, "s"), "--json"]

    def check(film, out, done):
        check_strip(film, os.path.join(out, "s"), None, None)
    return words, check


def thumbs(profile):
    def words(film, out):
        return ["thumbs", film.path, "--profile", profile, "--count", "8", "--output", os.path.join(out, "t"), "--json"]

    def check(film, out, done):
        made = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(out, "t")) for name in names]
        expect(made, "no files")
        for path in made:
            if path.endswith((".jpg", ".png")) and profile == "freedesktop":
                film.like(opened(read(path), path), None, path)
        proof = film.run("verify-set", os.path.join(out, "t"), "--against", film.path, "--json", *film.stream_words())
        expect(proof.returncode == 0, f"verify-set ends with {proof.returncode}: {tail(proof.stdout)[-200:]} {tail(proof.stderr)}")
    return words, check


def play():
    def words(film, out):
        return ["play", film.path, "--null", "--clock", "simulated", "--rate", "max", "--json"]

    def check(film, out, done):
        summary = json.loads(done.stdout.splitlines()[-1])
        expect(summary["presented"] == film.count, f"presented {summary['presented']} of {film.count} frames")
        undecodable = sum(row["verdict"] == "undecodable" for row in film.rows)
        expect(summary["blank"] <= undecodable, f"{summary['blank']} blank, {undecodable} undecodable")
    return words, check


def gesture(made):
    def words(film, out):
        return ["gesture", film.path, "--made", made, "--seconds", "0.15", "--distance", "300", "--output", os.path.join(out, "g"), "--json"]

    def check(film, out, done):
        summary = json.loads(done.stdout.splitlines()[-1])
        last = summary["last"]
        expect(last["frame"] not in film.exact or last["verdict"] == "exact", f"the last frame is {last['verdict']}")
        if last["frame"] in film.exact:
            expect(last["hash"] == film.rows[last["frame"]]["hash"], "the last picture has another hash")
    return words, check


def plan():
    def words(film, out):
        return ["plan", film.path, f"f{middle(film)}", "--json"]

    def check(film, out, done):
        found = json.loads(done.stdout)
        expect(found["feed"] >= 1, f"feeds {found['feed']}")
    return words, check


def verify():
    def words(film, out):
        return ["verify", film.path, "--json"]

    def check(film, out, done):
        found = json.loads(done.stdout.splitlines()[-1])
        expect(found["wrong"] == 0, f"{found['wrong']} wrong")
    return words, check


def batch(*what):
    def words(film, out):
        films = os.path.join(out, "films")
        os.makedirs(films)
        os.symlink(film.path, os.path.join(films, os.path.basename(film.path)))
        shutil.copy(film.path, os.path.join(films, "film" + os.path.splitext(film.path)[1]))
        os.unlink(os.path.join(films, os.path.basename(film.path)))
        return ["batch", films, *what, "--to", os.path.join(out, "made"), "--json"]

    def check(film, out, done):
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
        if film.info["container"] in ("gif", "apng") or film.info["container"].endswith("_pipe"):
            # Pictures lie beside films in folders, and are not films there.
            expect(json.loads(done.stdout.splitlines()[-1])["summary"]["passedOver"] == 1, "a picture is not passed over")
            return
        states = [line["status"] for line in lines if "status" in line and "file" in line]
        expect(states == ["done"], f"status {states}")
        made = [name for _, _, names in os.walk(os.path.join(out, "made")) for name in names if not name.startswith(".")]
        expect(made, "no files")
    return words, check


VERBS = {
    "seek": seek_alone(), "seek-png": seek_as("png"), "seek-jpeg": seek_as("jpeg"), "seek-webp": seek_as("webp"), "seek-avif": seek_as("avif"),
    "seek-raw": seek_as("raw"), "seek-rgb": seek_as("rgb"), "seek-rgba": seek_as("rgba"),
    "poster": posters(1), "posters-3": posters(3), "posters-20": posters(20), "sheet": sheet(),
    "strip-exact": strip(9, "exact"), "strip-keyframe": strip(9, "keyframe"), "strip-one": strip(1, "auto"), "scenes": scenes(),
    "thumbs-web": thumbs("web"), "thumbs-jellyfin": thumbs("jellyfin"), "thumbs-plex": thumbs("plex"), "thumbs-roku": thumbs("roku"),
    "thumbs-hls": thumbs("hls"), "thumbs-dash": thumbs("dash"), "thumbs-contact": thumbs("contact"), "thumbs-freedesktop": thumbs("freedesktop"),
    "play": play(), "gesture": gesture("jump"), "plan": plan(), "verify": verify(),
    "batch": batch("--profile", "web"), "batch-poster": batch("--poster"),
}
# What is made of these depends on the film and the options alone; --count of thumbs is not for all profiles.
WITHOUT_STATE = {"gesture", "plan", "verify", "play", "batch", "batch-poster"}
COUNTED = {"thumbs-jellyfin", "thumbs-plex", "thumbs-roku"}


def arguments_of(film, verb, out):
    words = VERBS[verb][0](film, out)
    if verb in COUNTED or verb == "thumbs-freedesktop":
        at = words.index("--count")
        del words[at:at + 2]
        if verb in COUNTED:
            words += ["--every", str(max(1, int(film.duration / 6)))]
    if words[0] not in ("batch",):
        words += film.stream_words()
    return words


def attempt(film, verb, cache=None, extra=()):
    """Runs a verb and checks what it made; gives the digest of that."""
    out = tempfile.mkdtemp(dir=film.work)
    words = arguments_of(film, verb, out)
    try:
        done = film.run(words[0], *words[1:], cache=cache, extra=extra)
    except subprocess.TimeoutExpired:
        raise Wrong("does not end within five minutes")
    # A film is played over its damage, and the exit code says so.
    is_damaged = verb == "play" and len(film.exact) < film.count and done.returncode == 65
    expect(done.returncode == 0 or is_damaged, f"ends with {done.returncode}: {tail(done.stderr)}")
    VERBS[verb][1](film, out, done)
    digest = tree(out)
    shutil.rmtree(out, ignore_errors=True)
    return digest


def states(film, verbs, cold):
    """What the same verbs make in other states, against what they made with an empty cache each."""
    wrong = []
    verbs = [verb for verb in verbs if verb in cold and verb not in WITHOUT_STATE]
    warm, shared = os.path.join(film.work, "warm"), os.path.join(film.work, "shared")
    film.run("verify", film.path, "--json", *film.stream_words(), cache=warm)
    film.run("seek", film.path, "0.3", "0.9", "last", "--json", *film.stream_words(), cache=warm)
    runs = [("without a cache", verbs, None, ["--no-cache"]), ("warm", verbs, warm, []), ("sandbox", verbs, None, ["--sandbox"]),
            ("the other way round", list(reversed(verbs)), shared, [])]
    for name, order, cache, extra in runs:
        for verb in order:
            try:
                digest = attempt(film, verb, cache, extra)
                if digest != cold[verb]:
                    names = sorted(k for k in set(digest) | set(cold[verb]) if digest.get(k) != cold[verb].get(k))
                    wrong.append((f"{verb} ({name})", f"other bytes than with an empty cache: {names[:4]}"))
            except Wrong as error:
                wrong.append((f"{verb} ({name})", str(error)))
    return wrong


def examine(scrub, path, stream, options):
    work = tempfile.mkdtemp(prefix="scrub-matrix-", dir=options.keep)
    film, wrong, runs = Film(scrub, path, stream, work), [], 0
    try:
        try:
            if not film.learn():
                return path, wrong, film.runs, False
        except Wrong as error:
            return path, [("learn", str(error))], film.runs, False
        cold = {}
        for verb in options.verbs:
            if verb == "batch" or verb == "batch-poster":
                if stream not in (None, film.index) or (stream is not None and stream != 0):
                    continue
            try:
                cold[verb] = attempt(film, verb)
            except Wrong as error:
                wrong.append((verb, str(error)))
            except (KeyError, ValueError, IndexError, OSError) as error:
                wrong.append((verb, f"what it made cannot be read: {type(error).__name__} {error}"))
        if options.states:
            wrong += states(film, options.verbs, cold)
        return path, wrong, film.runs, True
    except Exception as error:
        return path, [("?", f"{type(error).__name__}: {error}")], film.runs, True
    finally:
        if not options.keep:
            shutil.rmtree(work, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("scrub")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--corpus")
    parser.add_argument("--states", action="store_true")
    parser.add_argument("--films", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    options = parser.parse_args()
    options.verbs = options.only.split(",") if options.only else list(VERBS)
    unknown = [verb for verb in options.verbs if verb not in VERBS]
    if unknown:
        parser.error(f"there is no verb {unknown[0]}; there are: {' '.join(VERBS)}")
    work = [(os.path.abspath(path), None) for path in options.files]
    if not options.files:
        with open(os.path.join(root, "testdata", "manifest.json")) as file:
            entries = json.load(file)
        for entry in entries:
            if entry["kind"] == "good" and (not options.films or entry["file"].startswith("film-")):
                work.append((os.path.join(root, "testdata", "clips", entry["file"]), entry["stream"] or None))
    if options.corpus:
        work += [(os.path.join(options.corpus, name), None) for name in sorted(os.listdir(options.corpus))]
    failed = runs = exact = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, wrong, count, is_exact in pool.map(lambda one: examine(options.scrub, *one, options), work):
            runs += count
            exact += is_exact
            for verb, text in wrong:
                failed += 1
                print(f"{os.path.basename(path)}: {verb}: {text}", flush=True)
    print(f"{len(work)} films, {exact} with exact frames, {runs} runs, {failed} wrong")
    sys.exit(1 if failed or not exact else 0)


if __name__ == "__main__":
    main()
