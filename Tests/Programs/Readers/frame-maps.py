#!/usr/bin/env python3
"""Proves that frame maps (scrub frames --as torchcodec, cvat) lead other programs to the right frames.

    frame-maps.py SCRUB CLIP... [--every N] [--limit N]
    frame-maps.py SCRUB CLIP... --time [--runs N]

For each clip, PyAV decodes the whole stream once, from its beginning. Its times must be those of the map, one for one.
Every Nth of its pictures must be Scrub's (scrub seek --format raw) where PyAV knows the pixel format: bit for bit, or as
near as FFmpeg's decoders of two versions are.
torchcodec opens the clip with the map and is asked for every Nth frame in a shuffled order, so that it has to seek. Its
times must be those of the linear decode, its pictures bit for bit those that it gives without seeking. They must look like
PyAV's too, as 48 by 28 means, since each library has its own conversion to RGB. A reader that does what CVAT does goes to each key of the manifest: the frame that comes first must
have its time, and those that follow, counted as CVAT counts them, the times of the linear decode.

A clip that Scrub refuses to map is told with its reason; so is one that torchcodec opens with no map at all.

--time opens each clip with torchcodec's own scan and with the map instead, and tells the medians.

Exit: 0 everything right; 1 a frame, time or count is wrong; 64 wrong usage; 69 torchcodec, PyAV or numpy is missing.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

try:
    import av
    import numpy as np
    from torchcodec._core import get_container_metadata
    from torchcodec.decoders import VideoDecoder
except ImportError as missing:
    print(f"not run: {missing} (pip install torch torchcodec av numpy)", file=sys.stderr)
    sys.exit(69)

GRID = (48, 28)
# Of 255. Conversions differ by one or two; another frame of these clips differs by ten and more.
NEAR = 5


class Wrong(Exception):
    """A frame, time or count that is not what the linear decode says."""


class Refused(Exception):
    """Scrub's or torchcodec's word that this clip takes no map."""


def need(condition, text):
    if not condition:
        raise Wrong(text)


def scrub(program, *words):
    done = subprocess.run([program, *words], capture_output=True)
    if done.returncode == 65:
        raise Refused(done.stderr.decode().strip().splitlines()[-1])
    need(done.returncode == 0, f"scrub {' '.join(words)}: exit {done.returncode}: {done.stderr.decode().strip()}")
    return done.stdout


def means(picture):
    """The picture's brightness in 48 by 28 areas, whatever its size is."""
    grey = picture.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    for axis, count in ((0, GRID[1]), (1, GRID[0])):
        size = grey.shape[axis]
        edges = np.arange(count) * size // count
        if size < count:
            grey = np.repeat(grey, -(-count // size), axis)
            size = grey.shape[axis]
            edges = np.arange(count) * size // count
        widths = np.diff(np.append(edges, size))
        grey = np.add.reduceat(grey, edges, axis) / np.expand_dims(widths, 1 - axis)
    return grey


# Of which PyAV's arrays are the planes one after the other.
PLANAR = {"gray", "yuv420p", "yuvj420p", "yuv444p", "yuvj444p", "yuv420p10le"}


def native(frame, size):
    """The planes as they were decoded; None for other pixel formats, and where the size has changed."""
    if frame.format.name not in PLANAR or (frame.width, frame.height) != size or frame.width % 2 or frame.height % 2:
        return None
    return frame.to_ndarray()


def linear(path, stream, every, limit):
    """Times of all frames of one decode from the beginning, and every Nth picture: (RGB as means, planes)."""
    times, pictures, size = [], {}, None
    with av.open(path) as container:
        video = container.streams[stream]
        video.thread_type = "NONE"
        for number, frame in enumerate(container.decode(video)):
            times.append(frame.pts)
            size = size or (frame.width, frame.height)
            if number % every == 0 and (limit is None or len(pictures) < limit):
                turned = np.rot90(frame.to_ndarray(format="rgb24"), round(frame.rotation / 90) % 4)
                pictures[number] = (means(turned), native(frame, size))
    return times, pictures


def check_scrub(program, path, stream, pictures):
    """Scrub's own pictures of the same numbers, all in one call."""
    wanted = {number: planes for number, (_, planes) in pictures.items() if planes is not None}
    if not wanted:
        return 0, 0
    own = scrub(program, "seek", path, *(f"f{number}" for number in wanted), "--stream", str(stream),
                "--format", "raw", "-o", "-")
    place, same = 0, 0
    for number, planes in wanted.items():
        bytes_ = own[place:place + planes.nbytes]
        place += planes.nbytes
        need(len(bytes_) == planes.nbytes, "Scrub's pictures have another size")
        if bytes_ == planes.tobytes():
            same += 1
            continue
        # Decoders of other versions round otherwise.
        far = np.abs(np.frombuffer(bytes_, planes.dtype).astype(np.float32) - planes.ravel().astype(np.float32)).mean()
        need(far < planes.max() / 200, f"frame {number}: Scrub's picture is {far:.1f} away from PyAV's")
    need(place == len(own), "Scrub's pictures have another size")
    return len(wanted), same


def check_torchcodec(program, path, stream, times, pictures):
    text = scrub(program, "frames", path, "--stream", str(stream), "--as", "torchcodec").decode()
    frames = json.loads(text)["frames"]
    need([frame["pts"] for frame in frames] == times, "the map's times are not those of the linear decode")
    try:
        decoder = VideoDecoder(path, stream_index=stream, dimension_order="NHWC", custom_frame_mappings=text)
    except ValueError as error:
        if "is unknown" in str(error):
            raise Refused(f"torchcodec takes no map for it: {str(error).splitlines()[0]}") from error
        raise
    facts = get_container_metadata(decoder._decoder).streams[stream]
    need(facts.num_frames_from_content == len(times), f"torchcodec counts {facts.num_frames_from_content} frames")
    with av.open(path) as container:
        base = container.streams[stream].time_base
    # Without any seek but the first: the same library's pictures, so that nothing but the way differs.
    straight = VideoDecoder(path, stream_index=stream, dimension_order="NHWC", custom_frame_mappings=text)
    ways = {}
    for number in range(max(pictures) + 1):
        picture = straight.get_frame_at(number).data
        if number in pictures:
            ways[number] = picture.numpy()
    order = sorted(pictures)
    random.Random(20240607).shuffle(order)
    others = 0
    for number in order:
        found = decoder.get_frame_at(number)
        need(abs(found.pts_seconds - float(times[number] * base)) < 1e-6,
             f"frame {number}: torchcodec gives the one at {found.pts_seconds} s")
        need(np.array_equal(found.data.numpy(), ways[number]), f"frame {number}: torchcodec's picture is another's")
        if float(np.abs(means(ways[number]) - pictures[number][0]).mean()) >= NEAR:
            others += 1
    try:
        decoder.get_frame_at(len(times))
        raise Wrong("torchcodec gives a frame behind the last one")
    except IndexError:
        pass
    need(others in (0, len(pictures)), f"{others} of torchcodec's pictures are not PyAV's")
    return sum(frame["key_frame"] for frame in frames), len(decoder), others > 0


def check_cvat(program, path, stream, times):
    lines = scrub(program, "frames", path, "--stream", str(stream), "--as", "cvat").decode().splitlines()
    version, kind, properties = (json.loads(line) for line in lines[:3])
    need(version == {"version": "1.1"} and kind == {"type": "video"}, "the manifest's head")
    facts = properties["properties"]
    need(facts["name"] == os.path.basename(path) and facts["length"] == len(times), f"the manifest says {facts}")
    keys = [json.loads(line) for line in lines[3:]]
    need(keys and keys[0]["number"] == 0, "the first key is not frame 0")
    need(all(a["number"] < b["number"] for a, b in zip(keys, keys[1:])), "numbers do not rise")
    with av.open(path) as container:
        video = container.streams[stream]
        video.thread_type = "AUTO"
        for place, key in enumerate(keys):
            end = keys[place + 1]["number"] if place + 1 < len(keys) else len(times)
            container.seek(offset=key["pts"], stream=video)
            number = key["number"]
            for frame in container.decode(video):
                need(frame.pts == times[number], f"key {key}: frame {number} has the time {frame.pts}")
                if place == 0 and number == 0:
                    need(facts["resolution"] == [frame.width, frame.height], f"the manifest says {facts}")
                number += 1
                if number == end:
                    break
            need(number == end, f"key {key}: the frames end at {number}")
    return len(keys)


def check(program, path, every, limit):
    facts = json.loads(scrub(program, "info", path, "--json"))
    stream = facts["stream"]
    try:
        times, pictures = linear(path, stream, every, limit)
    except av.error.FFmpegError as error:
        raise Refused(f"PyAV does not decode it from beginning to end: {error}") from error
    said = [f"{len(times)} frames"]
    try:
        compared, same = check_scrub(program, path, stream, pictures)
        keys, told, is_other = check_torchcodec(program, path, stream, times, pictures)
        said.append(f"torchcodec: {len(pictures)} right of {keys} keys, {same} of {compared} Scrub's bit for bit")
        if is_other:
            said.append("torchcodec's colors are not PyAV's in any picture")
        if told != len(times):
            said.append(f"len() of torchcodec says {told}")
    except Refused as refusal:
        said.append(f"torchcodec: {refusal}")
    try:
        said.append(f"CVAT: {check_cvat(program, path, stream, times)} keys right")
    except Refused as refusal:
        said.append(f"CVAT: {refusal}")
    return "; ".join(said)


def median(body, runs):
    body()
    spent = []
    for _ in range(runs):
        start = time.perf_counter()
        body()
        spent.append((time.perf_counter() - start) * 1e3)
    return statistics.median(spent)


def measure(program, path, runs):
    text = scrub(program, "frames", path, "--as", "torchcodec").decode()
    scanned = median(lambda: VideoDecoder(path), runs)
    mapped = median(lambda: VideoDecoder(path, custom_frame_mappings=text), runs)
    made = median(lambda: scrub(program, "frames", path, "--as", "torchcodec"), runs)
    count = len(json.loads(text)["frames"])
    return f"{count} frames: open {scanned:.1f} ms by scan, {mapped:.1f} ms by map; the map is made in {made:.0f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--every", type=int, default=7)
    parser.add_argument("--limit", type=int, help="so many pictures of a clip at most")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--runs", type=int, default=7)
    try:
        words = parser.parse_args()
    except SystemExit as end:
        sys.exit(64 if end.code else 0)
    wrong = 0
    for path in words.clips:
        name = os.path.basename(path)
        try:
            if words.time:
                print(f"{name}: {measure(words.program, path, words.runs)}", flush=True)
            else:
                print(f"{name}: {check(words.program, path, words.every, words.limit)}", flush=True)
        except Refused as refusal:
            print(f"{name}: {refusal}", flush=True)
        except (Wrong, RuntimeError, IndexError, av.error.FFmpegError) as error:
            wrong += 1
            print(f"WRONG {name}: {str(error).splitlines()[0]}", flush=True)
    print(f"{len(words.clips)} clips, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
