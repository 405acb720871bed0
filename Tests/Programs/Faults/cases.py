"""The commands that faults meet."""

import json
import re

from world import Case

MP4, TS, MKV, AVI = "h264-bf3-2ref.mp4", "h264-open-gop.ts", "vp9-altref.webm", "mpeg4-b.avi"
SCRIPT = json.dumps({
    "width": 1000, "begin": "0.40", "playing": False,
    "events": [{"ms": 0, "phase": "began"}, {"ms": 4, "phase": "changed", "dx": 100, "dy": 0}, {"ms": 8, "phase": "ended"}]})


def last_only(text):
    """Of a gesture's report what does not depend on how fast the machine was."""
    return json.dumps([json.loads(line).get("last") for line in text.splitlines()])


def without_nanoseconds(text):
    return re.sub(r" [0-9]+$", "", text, flags=re.M)


def without_times(text):
    return re.sub(r'"(origin|bytesRead|seconds|ms|milliseconds|[a-zA-Z]*Ms|worst[A-Za-z]*|peakBytes)":[^,}]*', "", text)


def media_cases():
    """Commands that read a video."""
    media = lambda name: f"RUN/media/{name}"
    for clip in (MP4, TS, MKV, AVI):
        kind = clip.split(".")[-1]
        yield Case(f"info {kind}", ["info", media(clip), "--json"], [clip])
        yield Case(f"seek {kind}", ["seek", media(clip), "f3", "60%", "last", "--hash", "--json"], [clip])
        yield Case(f"seek {kind}, saved index", ["seek", media(clip), "f3", "60%", "--hash", "--json"], [clip], saved=True)
    yield Case("frames", ["frames", media(MP4), "--json"], [MP4])
    yield Case("plan", ["plan", media(TS), "60%", "--json"], [TS])
    yield Case("index", ["index", media(TS), "--json"], [TS], normal=without_times)
    yield Case("index mp4", ["index", media(MP4), "--json"], [MP4], normal=without_times)
    yield Case("range of pictures", ["seek", media(MP4), "f3..f6", "-o", "RUN/out/a/x-%03d.png"], [MP4], whole=False)
    for suffix in ("png", "jpg", "webp", "avif", "rgb"):
        yield Case(f"seek to {suffix}", ["seek", media(MP4), "f3", "-o", f"RUN/out/x.{suffix}"], [MP4], saved=suffix != "png")
    yield Case("seek to standard output", ["seek", media(MP4), "f3", "-o", "-", "--no-cache"], [MP4])
    for suffix in ("jpeg", "png", "webp", "avif"):
        yield Case(
            f"strip {suffix}", ["strip", media(MP4), "--count", "4", "--columns", "2", "--rows", "1", "--format", suffix,
                                "--json", "-o", "RUN/out/set"], [MP4], saved=suffix != "jpeg")
    yield Case("strip of keys", ["strip", media(TS), "--count", "4", "--tolerance", "keyframe", "-o", "RUN/out"], [TS])
    yield Case("sheet", ["sheet", media(MP4), "--count", "4", "-o", "RUN/out/sheet.jpg"], [MP4], saved=True)
    yield Case("poster", ["poster", media(MP4), "-o", "RUN/out/p.png"], [MP4], saved=True)
    yield Case("posters", ["poster", media(MP4), "--count", "3", "-o", "RUN/out/p.jpg"], [MP4], saved=True, whole=False)
    yield Case(
        "thumbs", ["thumbs", media(MP4), "--profile", "web,jellyfin,roku", "--every", "1", "-o", "RUN/out/set"], [MP4],
        saved=True)
    yield Case("verify", ["verify", media(MP4), "--orders", "alone", "--sample", "3", "--json"], [MP4], normal=without_times)
    gesture = Case(
        "gesture", ["gesture", media(MP4), "--script", "RUN/media/script.json", "--json"], [MP4], saved=True, normal=last_only)
    gesture.script = SCRIPT
    yield gesture
    yield Case("drive", ["drive", media(MP4)], [MP4], input=b"SEEK 3\nSEEK 50\nSEEK 9\nQUIT\n", normal=without_nanoseconds)
    yield Case("play", ["play", media(MP4), "--rate", "max", "--clock", "simulated", "--y4m", "RUN/out/film.y4m"], [MP4],
               compares=False)


def sandbox_cases():
    """Some of them with decoders in processes of their own."""
    media = lambda name: f"RUN/media/{name}"
    yield Case("sandboxed seek", ["seek", media(TS), "f3", "60%", "--hash", "--json", "--sandbox"], [TS])
    yield Case(
        "sandboxed strip", ["strip", media(MP4), "--count", "4", "--json", "--sandbox", "-o", "RUN/out/set"], [MP4], saved=True)


def set_cases():
    """Commands that read sets."""
    for kind, target in (("hls", "RUN/out/set"), ("bif", "RUN/out"), ("jellyfin", "RUN/out/set")):
        yield Case(f"convert to {kind}", ["convert", "RUN/set", "--to", kind, "-o", target], sets=True)
    yield Case(
        "strip over another", ["strip", f"RUN/media/{MP4}", "--count", "3", "--format", "jpeg", "-o", "RUN/out/set"], [MP4],
        saved=True, sets=True, replaces=True)
    yield Case("verify-set", ["verify-set", "RUN/set", "--against", f"RUN/media/{MP4}"], [MP4], sets=True)
