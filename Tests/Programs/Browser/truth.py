"""What is true about a frame: what `scrub seek` says of it, and the number that is drawn into the test clips' pictures."""

import fcntl
import functools
import io
import json
import pathlib
import subprocess
import sys

from PIL import Image

from numbered_clip import make_big_clip
from server import ROOT, SCRUB

sys.path.insert(0, str(ROOT / "testdata/tools"))
import read_number  # noqa: E402  (what made the clips also reads them)

CLIPS = ROOT / "testdata/clips"
DEMO = CLIPS / "demo.mp4"


@functools.cache
def all_frames(path):
    """The command line's objects for all frames of a clip, in one run of it: frame, verdict, seconds, hash and the rest."""
    run = subprocess.run(
        [SCRUB, "seek", str(path), "first..last", "--hash", "--json"], capture_output=True, text=True, check=False)
    frames = [json.loads(line) for line in run.stdout.splitlines()]
    if not frames:
        raise AssertionError(f"scrub seek {path}: {run.stderr.strip()}")
    return frames


def one_frame(path, frame):
    """The command line's object for a frame: of a large clip for that alone, of a small one from the list of all."""
    if path.name != "big.mp4":
        return all_frames(path)[frame]
    run = subprocess.run([SCRUB, "seek", str(path), f"f{frame}", "--hash", "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def all_found(path, positions):
    """The frames that the command line finds at positions, in one run of it."""
    run = subprocess.run([SCRUB, "seek", str(path), *positions, "--json"], capture_output=True, text=True, check=False)
    frames = [json.loads(line)["frame"] for line in run.stdout.splitlines()]
    if len(frames) != len(positions):
        raise AssertionError(f"scrub seek {path}: {len(frames)} frames for {len(positions)} positions: {run.stderr.strip()}")
    return frames


@functools.cache
def numbers(path):
    """Whether the numbers that are drawn into a clip's frames are those of the frames, as the clips' own list says."""
    entries = json.loads((ROOT / "testdata/manifest.json").read_text(encoding="utf-8"))
    one = next((one for one in entries if one["file"] == path.name), {})
    return one.get("numbers", "sequential" if path.name == "big.mp4" else None)


def drawn(path, frame):
    """The number that must be in a frame's picture."""
    return frame if numbers(path) == "sequential" else burned_in(pixels(path, frame))


@functools.cache
def pixels(path, frame, width=None):
    """The frame as `scrub seek --output` writes it, as a Pillow picture."""
    command = [SCRUB, "seek", str(path), f"f{frame}", "--format", "png", "--output", "-"]
    if width:
        command += ["--width", str(width)]
    run = subprocess.run(command, capture_output=True, check=True)
    return Image.open(io.BytesIO(run.stdout)).convert("RGB")


@functools.cache
def facts(path):
    run = subprocess.run([SCRUB, "info", str(path), "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def decoded(png):
    return Image.open(io.BytesIO(png)).convert("RGB")


def burned_in(picture):
    """The number in a picture's bar code, or None where there is none to be read."""
    gray = picture.convert("L")
    return read_number.number(gray.tobytes(), gray.width, gray.height)


def difference(one, other):
    """The largest and the mean difference of two pictures of one size, over all channels."""
    from PIL import ImageChops, ImageStat
    assert one.size == other.size, f"{one.size} is not {other.size}"
    apart = ImageChops.difference(one, other)
    return max(high for _, high in apart.getextrema()), sum(ImageStat.Stat(apart).mean) / 3


def luminance(color):
    def linear(part):
        part /= 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    red, green, blue = (linear(part) for part in color[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """WCAG's ratio of two colours."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def big_clip(folder):
    """A clip of 1920x1080, ten seconds, a key picture every two, each picture with its number: made once, by ffmpeg."""
    path = pathlib.Path(folder) / "big.mp4"
    with open(path.with_suffix(".lock"), "w", encoding="ascii") as lock:
        # Of several workers one makes it, and the others wait.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            make_big_clip(path)
    return path
