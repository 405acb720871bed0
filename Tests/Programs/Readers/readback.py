#!/usr/bin/python3
"""Reads thumbnail sets back with programs and libraries that are not Scrub's, and says what was found as one JSON object.

    readback.py tiles KIND PATH --against VIDEO [--stream N]    KIND: vtt, json, bif, hls, mjpg, dash, jellyfin, contact
    readback.py picture PATH
    readback.py freedesktop PATH
    readback.py uri PATH...
    readback.py gstreamer PATH
    readback.py mjpg PATH
    readback.py trickmode PATH
    readback.py preview PATH

"tiles" tells for each thumbnail the time that the index gives it, the frame of ffmpeg's linear decode that it is most like
(of all frames), and the frame that is on screen then by ffprobe's times. Nothing of Scrub is asked, and no manifest read
but for Jellyfin's interval, which is a setting of the server and stands in no file of its own.

"gstreamer" lets GStreamer play an MP4 file, an HLS playlist or a DASH presentation, and tells each picture's time and MD5;
"mjpg" does so with JPEG samples, whose name "mjpg" GStreamer 1.22 does not know, and is told;
"trickmode" tells how python3-mpegdash reads the key pictures of a presentation.

Needs: python3-pil, python3-webvtt, python3-mpegdash, python3-gi, ffmpeg, GStreamer 1; nothing is installed from here.
"""

import argparse
import io
import json
import os
import re
import stat
import struct
import subprocess
import sys
import urllib.parse
from fractions import Fraction

from PIL import Image, ImageChops, ImageStat


class Wrong(Exception):
    """What a reader would trip over."""


def need(condition, text):
    if not condition:
        raise Wrong(text)


# Pictures


def picture_facts(path):
    """The picture as FFmpeg's decoders see it, which must all of it decode."""
    out = subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_entries",
         "stream=codec_name,profile,width,height,pix_fmt,color_range", path],
        check=True, capture_output=True, text=True)
    need(not out.stderr, out.stderr)
    streams = json.loads(out.stdout)["streams"]
    need(len(streams) == 1, f"{len(streams)} streams in a picture")
    decoded = subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-xerror", "-i", path, "-f", "null", "-"], capture_output=True, text=True)
    need(decoded.returncode == 0 and not decoded.stderr, decoded.stderr)
    facts = streams[0]
    found = {"codec": facts["codec_name"], "width": facts["width"], "height": facts["height"], "format": facts["pix_fmt"]}
    if found["codec"] == "mjpeg":
        with open(path, "rb") as file:
            found["baseline"] = baseline(file.read()) and facts["profile"] == "Baseline"
    if found["codec"] == "png":
        # Its own reader of chunks, and zlib's of the pixels.
        with Image.open(path) as image:
            image.load()
            need(image.size == (found["width"], found["height"]), f"a picture of {image.size}")
    return found


def baseline(data):
    """A JPEG whose frame header is SOF0: what Roku and old players decode."""
    need(data[:2] == b"\xff\xd8", "no JPEG")
    at = 2
    while at + 4 <= len(data):
        need(data[at] == 0xFF, "a JPEG marker is missing")
        marker, length = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if marker in range(0xC0, 0xD0) and marker not in (0xC4, 0xC8, 0xCC):
            return marker == 0xC0
        at += 2 + length
    raise Wrong("a JPEG without a frame")


def opened(data):
    image = Image.open(io.BytesIO(data))
    need(image.format == "JPEG", f"{image.format} instead of JPEG")
    need(baseline(data), "not a baseline JPEG")
    return image.convert("RGB")


def sheet(folder, url):
    """The sheet that a relative URL names."""
    parts = urllib.parse.urlsplit(url)
    need(not parts.scheme and not parts.netloc and not parts.query, f"{url} is not relative")
    with open(os.path.join(folder, urllib.parse.unquote(parts.path)), "rb") as file:
        return opened(file.read())


def grid(image, columns, rows, width, height, count):
    need(image.size == (columns * width, rows * height), f"a sheet of {image.size}")
    need(count <= columns * rows, "more thumbnails than places")
    for i in range(count):
        x, y = i % columns * width, i // columns * height
        yield image.crop((x, y, x + width, y + height))
    for i in range(count, columns * rows):
        x, y = i % columns * width, i // columns * height
        # A block of 16 x 16 may reach over from a neighbor.
        inside = image.crop((x + 16, y + 16, x + width - 16, y + height - 16)).convert("L")
        need(inside.getextrema()[1] < 8, f"place {i} is past the end and not empty")


# Readers: each yields (start, end or None, picture), times in seconds


def read_vtt(path):
    import webvtt

    with open(path, "rb") as file:
        raw = file.read()
    need(raw.startswith(b"WEBVTT\n\n") and b"\r" not in raw, "bytes before or inside the header")
    sheets = {}
    last = 0
    for caption in webvtt.read(path):
        need(caption.text.count("\n") == 0, "a payload of several lines")
        url, _, fragment = caption.text.partition("#")
        region = re.fullmatch(r"xywh=(\d+),(\d+),(\d+),(\d+)", fragment)
        need(region, f"fragment {fragment}")
        x, y, width, height = map(int, region.groups())
        if url not in sheets:
            sheets[url] = sheet(os.path.dirname(path), url)
        image = sheets[url]
        need(x + width <= image.width and y + height <= image.height, f"{fragment} is not on the sheet")
        start, end = clock(caption.start), clock(caption.end)
        need(start == last and end > start, f"a cue from {start} to {end} after {last}")
        last = end
        yield start, end, image.crop((x, y, x + width, y + height))


# Where a set with absolute URLs is taken to be.
ADDRESS = "https://sets.example/t/"


def read_json(path):
    """Arrays and storyboards, each member as Vidstack's TypeScript interfaces have it. Times are exact ratios of their decimals."""
    with open(path, encoding="utf-8") as file:
        value = json.load(file, parse_float=Fraction, parse_constant=lambda text: need(False, text))

    def number(value):
        return isinstance(value, (int, Fraction)) and not isinstance(value, bool) and value >= 0

    def members(item, wanted, place):
        """An object with exactly these members, of these kinds."""
        need(isinstance(item, dict) and set(item) == set(wanted), f"{place} is {item}")
        for key, kind in wanted.items():
            right = number(item[key]) if kind is Fraction else isinstance(item[key], kind) and item[key]
            need(right, f"{key} of {place} is {item[key]}")

    if isinstance(value, list):
        for place, item in enumerate(value):
            # The last one has the film's end beside its own.
            if place == len(value) - 1:
                end = item.pop("filmEnd", None)
                need(end is not None and end == item["endTime"] - 1, f"the film's end is {end}")
            members(item, {"url": str, "startTime": Fraction, "endTime": Fraction, "width": Fraction, "height": Fraction,
                           "coords": dict}, f"image {place}")
            members(item["coords"], {"x": Fraction, "y": Fraction}, f"the place of image {place}")
        # A page beside the file: what is relative is resolved, what is absolute stays.
        page = urllib.parse.urljoin(ADDRESS, "index.html")
        images = [(urllib.parse.urljoin(page, item["url"]), item["startTime"], item["endTime"], item["coords"],
                   item["width"], item["height"]) for item in value]
    else:
        members(value, {"url": str, "tile_width": Fraction, "tile_height": Fraction, "duration": Fraction, "tiles": list},
                "the storyboard")
        # Nothing is resolved: players make a URL of it as it stands.
        parts = urllib.parse.urlsplit(value["url"])
        need(parts.scheme in ("http", "https") and parts.netloc, f"{value['url']} is not absolute")
        for place, tile in enumerate(value["tiles"]):
            members(tile, {"start": Fraction, "x": Fraction, "y": Fraction}, f"tile {place}")
        ends = [tile["start"] for tile in value["tiles"][1:]] + [value["duration"]]
        images = [(value["url"], tile["start"], end, tile, value["tile_width"], value["tile_height"])
                  for tile, end in zip(value["tiles"], ends)]
    sheets, last = {}, 0
    for url, start, end, place, width, height in images:
        need(url.startswith(ADDRESS), f"{url} is elsewhere")
        if url not in sheets:
            sheets[url] = sheet(os.path.dirname(path), url[len(ADDRESS):])
        image, x, y = sheets[url], place["x"], place["y"]
        need(all(isinstance(side, int) for side in (x, y, width, height)), f"{x}, {y}, {width}, {height} are not pixels")
        need(width > 0 and height > 0 and x + width <= image.width and y + height <= image.height, f"{place} is not on {url}")
        need(start == last and end > start, f"an image from {start} to {end} after {last}")
        last = end
        yield start, end, image.crop((x, y, x + width, y + height))


def clock(text):
    *hours, minutes, seconds = text.split(":")
    return int(hours[0] if hours else 0) * 3600 + int(minutes) * 60 + Fraction(seconds)


def read_bif(path):
    with open(path, "rb") as file:
        data = file.read()
    magic, version, count, multiplier = struct.unpack_from("<8sIII", data)
    need(magic == bytes([0x89, 0x42, 0x49, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]), "magic number")
    need(version == 0 and count > 0, f"version {version}, {count} pictures")
    need(data[20:64] == bytes(44), "the reserved bytes are not zero")
    step = Fraction(multiplier or 1000, 1000)
    entries = [struct.unpack_from("<II", data, 64 + 8 * i) for i in range(count + 1)]
    need(entries[count] == (0xFFFFFFFF, len(data)), "the index does not end with the file's size")
    need(entries[0][1] == 64 + 8 * (count + 1), "the first picture does not follow the index")
    for i in range(count):
        (time, begin), (following, end) = entries[i], entries[i + 1]
        need(begin < end <= len(data) and time < following, f"entry {i}")
        yield time * step, following * step if i + 1 < count else None, opened(data[begin:end])


def attributes(text):
    return dict(re.findall(r'([A-Z-]+)=("[^"]*"|[^",]+)(?:,|$)', text))


def read_hls(path):
    """PATH is the master playlist. Roku's image media playlist specification 0.4, over RFC 8216's general rules."""
    folder = os.path.dirname(path)
    master = lines(path)
    need(master[:2] == ["#EXTM3U", "#EXT-X-VERSION:7"], "the master's head")
    streams = [line for line in master if line.startswith("#EXT-X-IMAGE-STREAM-INF:")]
    need(len(streams) == 1, f"{len(streams)} image streams")
    stream = attributes(streams[0].partition(":")[2])
    need({"BANDWIDTH", "RESOLUTION", "CODECS", "URI"} <= stream.keys(), "attributes of the image stream")
    need(stream["CODECS"] == '"jpeg"', stream["CODECS"])
    playlist = lines(os.path.join(folder, stream["URI"].strip('"')))
    need(playlist[0] == "#EXTM3U" and playlist[-1] == "#EXT-X-ENDLIST", "first and last line")
    for tag in ("#EXT-X-VERSION:7", "#EXT-X-IMAGES-ONLY", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD"):
        need(playlist.count(tag) == 1, tag)
    target = int(next(line for line in playlist if line.startswith("#EXT-X-TARGETDURATION:")).partition(":")[2])
    now, duration, tiles = Fraction(0), None, None
    for line in playlist:
        if line.startswith("#EXTINF:"):
            need(duration is None, "two durations for one sheet")
            duration = Fraction(line.partition(":")[2].partition(",")[0])
            need(int(duration + Fraction(1, 2)) <= target, "a sheet longer than the target duration")
        elif line.startswith("#EXT-X-TILES:"):
            tiles = attributes(line.partition(":")[2])
        elif not line.startswith("#"):
            need(duration and tiles, "a sheet without its tags")
            width, height = map(int, tiles["RESOLUTION"].split("x"))
            columns, rows = map(int, tiles["LAYOUT"].split("x"))
            step = Fraction(tiles["DURATION"])
            need(tiles["RESOLUTION"] == stream["RESOLUTION"], "another size than the master says")
            size = os.path.getsize(os.path.join(folder, urllib.parse.unquote(line)))
            # BANDWIDTH is a whole number, EXTINF has three digits: a bit in a thousand is rounding.
            need(int(stream["BANDWIDTH"]) * duration * Fraction(1001, 1000) >= size * 8, "more bytes than BANDWIDTH says")
            count = min(columns * rows, -int(-duration // step))
            for i, tile in enumerate(grid(sheet(folder, line), columns, rows, width, height, count)):
                yield now + i * step, min(now + duration, now + (i + 1) * step), tile
            now += duration
            duration = tiles = None


def boxes(data, start=0, end=None):
    """The boxes of ISO/IEC 14496-12, 4.2: type, and where the content is."""
    end = len(data) if end is None else end
    while start < end:
        need(start + 8 <= end, "a box without a head")
        size, kind = struct.unpack_from(">I4s", data, start)
        need(8 <= size <= end - start, f"box {kind} has {size} bytes")
        yield kind.decode("latin-1"), start + 8, start + size
        start += size


def box(data, path, start=0, end=None):
    """Where the content of the only box of a path is."""
    for name in path.split("/"):
        found = [(first, last) for kind, first, last in boxes(data, start, end) if kind == name]
        need(len(found) == 1, f"{len(found)} boxes {name} of {path}")
        start, end = found[0]
    return start, end


def read_mjpg(path):
    """PATH is the master playlist. Its I-frame stream of JPEG, by RFC 8216 and the boxes' own clauses."""
    folder = os.path.dirname(path)
    streams = [attributes(line.partition(":")[2]) for line in lines(path) if line.startswith("#EXT-X-I-FRAME-STREAM-INF:")]
    streams = [stream for stream in streams if stream["CODECS"] == '"mjpg"']
    need(len(streams) == 1, f"{len(streams)} streams of JPEG")
    stream = streams[0]
    playlist = lines(os.path.join(folder, stream["URI"].strip('"')))
    need(playlist[0] == "#EXTM3U" and playlist[-1] == "#EXT-X-ENDLIST", "first and last line")
    for tag in ("#EXT-X-VERSION:5", "#EXT-X-I-FRAMES-ONLY", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD"):
        need(playlist.count(tag) == 1, tag)
    target = int(next(line for line in playlist if line.startswith("#EXT-X-TARGETDURATION:")).partition(":")[2])
    maps = [attributes(line.partition(":")[2]) for line in playlist if line.startswith("#EXT-X-MAP:")]
    need(len(maps) == 1, f"{len(maps)} maps")
    name = maps[0]["URI"].strip('"')
    with open(os.path.join(folder, urllib.parse.unquote(name)), "rb") as file:
        data = file.read()
    count, _, first = maps[0]["BYTERANGE"].strip('"').partition("@")
    place = int(first) + int(count)
    head = data[int(first):place]
    need([kind for kind, _, _ in boxes(head)] == ["ftyp", "moov"], "the initialization")
    media = box(head, "moov/trak/mdia")
    scale = struct.unpack_from(">I", head, box(head, "mdhd", *media)[0] + 12)[0]
    entries, end = box(head, "minf/stbl/stsd", *media)
    (kind, entry, _), = boxes(head, entries + 8, end)
    width, height = struct.unpack_from(">HH", head, entry + 24)
    need(kind == "mjpg" and f"{width}x{height}" == stream["RESOLUTION"], f"{kind} of {width} x {height}")
    length = struct.unpack_from(">Q", head, box(head, "moov/mvex/mehd")[0] + 4)[0]
    total, now, duration, span = Fraction(0), Fraction(0), None, None
    for line in playlist:
        if line.startswith("#EXTINF:"):
            duration = Fraction(line.partition(":")[2].partition(",")[0])
            need(int(duration + Fraction(1, 2)) <= target, "a picture longer than the target duration")
        elif line.startswith("#EXT-X-BYTERANGE:"):
            count, _, first = line.partition(":")[2].partition("@")
            span = (int(first), int(first) + int(count))
        elif not line.startswith("#"):
            need(line == name and span and duration, "a picture without its tags")
            need(span[0] == place, "bytes between pictures")
            place = span[1]
            fragment = data[slice(*span)]
            parts = list(boxes(fragment))
            need([kind for kind, _, _ in parts] == ["moof", "mdat"], "a fragment")
            time = Fraction(struct.unpack_from(">Q", fragment, box(fragment, "moof/traf/tfdt")[0] + 4)[0], scale)
            flags, samples, offset, units, size, kind = struct.unpack_from(
                ">IIIIII", fragment, box(fragment, "moof/traf/trun")[0])
            need(flags == 0x701 and samples == 1 and kind == 0x02000000, "the fragment's one sample, a sync sample")
            need((offset, offset + size) == parts[1][1:], "the sample is all of the data")
            need(abs(time - now) < Fraction(1, 1000000), f"a fragment of {time} s at {now} s")
            need(abs(Fraction(units, scale) - duration) < Fraction(1, 1000000), f"{units} units are not {duration} s")
            need(int(stream["BANDWIDTH"]) * duration * Fraction(1001, 1000) >= 8 * len(fragment), "more than BANDWIDTH says")
            picture = opened(fragment[offset:])
            need(picture.size == (width, height), f"a picture of {picture.size}")
            yield now, now + duration, picture
            now += duration
            total += len(fragment)
            duration = span = None
    need(place == len(data), "bytes behind the last picture")
    need(abs(Fraction(length, scale) - now) < Fraction(1, 1000000), f"{length} units in all are not {now} s")
    need(int(stream["AVERAGE-BANDWIDTH"]) * now * Fraction(1001, 1000) >= 8 * total, "more than AVERAGE-BANDWIDTH says")


def lines(path):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")
    need(not text.startswith("\ufeff") and "\r" not in text and text.endswith("\n"), "bytes of a playlist")
    return [line for line in text.split("\n") if line]


def read_dash(path):
    import xml.etree.ElementTree as tree

    from mpegdash.parser import MPEGDASHParser

    space = "{urn:mpeg:dash:schema:mpd:2011}"
    root = tree.parse(path).getroot()
    need(root.tag == space + "MPD" and root.get("type") == "static", root.tag)
    need(root.get("minBufferTime") and root.get("profiles"), "attributes that every MPD has")
    period = root.find(space + "Period")
    length = seconds(period.get("duration"))
    need(length == seconds(root.get("mediaPresentationDuration")), "two durations")
    sets = [one for one in period.findall(space + "AdaptationSet") if one.get("contentType") == "image"]
    need(len(sets) == 1 and sets[0].get("mimeType") == "image/jpeg", "the image set")
    # The same through a library for MPDs.
    other = next(one for one in MPEGDASHParser.parse(path).periods[0].adaptation_sets if one.mime_type == "image/jpeg")
    template, representation = other.segment_templates[0], other.representations[0]
    property = representation.essential_properties[0] if getattr(representation, "essential_properties", None) else None
    own = sets[0].find(space + "Representation").find(space + "EssentialProperty")
    scheme, value = own.get("schemeIdUri"), own.get("value")
    need(property is None or (property.scheme_id_uri, property.value) == (scheme, value), "two readings of the tiles")
    need(scheme == "http://dashif.org/guidelines/thumbnail_tile", scheme)
    columns, rows = map(int, value.split("x"))
    whole = Fraction(int(template.duration), int(template.timescale))
    step = whole / (columns * rows)
    width, height = representation.width // columns, representation.height // rows
    first = int(template.start_number)
    for number in range(-int(-length // whole)):
        name = template.media.replace("$RepresentationID$", representation.id).replace("$Number$", str(first + number))
        start = number * whole
        need(representation.bandwidth * min(whole, length - start) * Fraction(1001, 1000)
             >= 8 * os.path.getsize(os.path.join(os.path.dirname(path), name)), "more bytes than bandwidth says")
        count = min(columns * rows, -int(-(length - start) // step))
        for i, tile in enumerate(grid(sheet(os.path.dirname(path), name), columns, rows, width, height, count)):
            yield start + i * step, min(length, start + (i + 1) * step), tile


def seconds(text):
    found = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text)
    need(found, text)
    return int(found[1] or 0) * 3600 + int(found[2] or 0) * 60 + Fraction(found[3] or 0)


def read_jellyfin(path):
    """PATH is the profile's folder. The server lists NAME.trickplay and takes folders that match its own expression."""
    media = [name for name in os.listdir(path) if name.endswith(".trickplay")]
    need(len(media) == 1, f"{media}")
    names = os.listdir(os.path.join(path, media[0]))
    need(len(names) == 1, f"{names}")
    found = re.match(r"^(\d+) - (\d+)x(\d+)$", names[0])
    need(found, f"Jellyfin does not see a folder {names[0]}")
    width, columns, rows = map(int, found.groups())
    need(width % 2 == 0, "Jellyfin wants an even width")
    folder = os.path.join(path, media[0], names[0])
    files = sorted(os.listdir(folder), key=lambda name: int(name.partition(".")[0]))
    need(files == [f"{i}.jpg" for i in range(len(files))], f"{files}")
    with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
        board = json.load(file)
    # The server's interval and thumbnail count are settings and a row of its database; the manifest stands for them.
    thumbnails = board["thumbnails"]
    step = Fraction(str(thumbnails[1]["start"])) if len(thumbnails) > 1 else Fraction(1)
    rest, number = len(thumbnails), 0
    for name in files:
        image = sheet(folder, name)
        need(image.width == width * columns and image.height % rows == 0, f"a sheet of {image.size}")
        count = min(rest, columns * rows)
        for tile in grid(image, columns, rows, width, image.height // rows, count):
            yield number * step, (number + 1) * step, tile
            number += 1
        rest -= count
    need(rest == 0, f"{rest} thumbnails are on no sheet")


def read_contact(path):
    """Pictures of an SVG with the times below them, which are cut to milliseconds."""
    import base64
    import xml.etree.ElementTree as tree

    space = "{http://www.w3.org/2000/svg}"
    parts = [one for one in tree.parse(path).getroot() if one.tag in (space + "image", space + "text")]
    for place, part in enumerate(parts):
        if part.tag == space + "image":
            kind, _, data = part.get("href").partition(",")
            need(kind == "data:image/jpeg;base64", kind)
            picture = opened(base64.b64decode(data, validate=True))
            need(picture.size == (int(part.get("width")), int(part.get("height"))), f"a picture of {picture.size}")
            yield clock(parts[place + 1].text) + Fraction(1, 1000), None, picture


READERS = {"contact": read_contact, "vtt": read_vtt, "json": read_json, "bif": read_bif, "hls": read_hls, "mjpg": read_mjpg, "dash": read_dash, "jellyfin": read_jellyfin}


# The video, as ffmpeg sees it


def presented(video, stream):
    """When each frame comes on screen after the first one, and how long all of them last."""
    out = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", str(stream), "-show_entries", "stream=time_base,duration_ts",
         "-show_entries", "frame=pts,best_effort_timestamp", "-of", "json", video],
        check=True, capture_output=True, text=True).stdout
    found = json.loads(out)
    base = Fraction(found["streams"][0]["time_base"])
    times = [int(frame.get("pts", frame.get("best_effort_timestamp"))) for frame in found["frames"]]
    return [(time - times[0]) * base for time in times], int(found["streams"][0]["duration_ts"]) * base


def decoded(video, stream, width, height):
    out = subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-i", video, "-map", f"0:{stream}", "-fps_mode", "passthrough", "-vf",
         f"scale={width}:{height}:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        check=True, capture_output=True).stdout
    size = width * height * 3
    return [Image.frombytes("RGB", (width, height), out[i:i + size]) for i in range(0, len(out), size)]


def tiles(kind, path, video, stream):
    read = list(READERS[kind](path))
    need(read, "no thumbnails")
    times, duration = presented(video, stream)
    sizes = {tile.size for _, _, tile in read}
    need(len(sizes) == 1, f"sizes {sizes}")
    # Half as large is enough to tell frames apart, and four times as fast.
    width, height = sizes.pop()
    frames = decoded(video, stream, width // 2, height // 2)
    need(len(frames) == len(times), f"ffmpeg decodes {len(frames)} frames, ffprobe counts {len(times)}")
    found = []
    for start, end, tile in read:
        small = tile.resize((width // 2, height // 2), Image.BOX)
        differences = [sum(ImageStat.Stat(ImageChops.difference(small, frame)).mean) / 3 for frame in frames]
        best = min(range(len(frames)), key=lambda i: differences[i])
        due = max(i for i, time in enumerate(times) if time <= start)
        found.append({"start": float(start), "end": None if end is None else float(end), "width": tile.width,
                      "height": tile.height, "shows": best, "due": due, "difference": round(differences[best], 2)})
    return {"duration": float(duration), "tiles": found}


# File managers


def freedesktop(path):
    with Image.open(path) as image:
        image.load()
        found = {"mode": image.mode, "format": image.format, "width": image.width, "height": image.height,
                 "interlaced": bool(image.info.get("interlace")), "text": dict(image.text)}
    found["fileMode"] = stat.S_IMODE(os.stat(path).st_mode)
    found["folderMode"] = stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode)
    return found


def uris(paths):
    import hashlib

    from gi.repository import GLib

    found = {}
    for path in paths:
        uri = GLib.filename_to_uri(os.path.abspath(path), None)
        found[path] = {"uri": uri, "md5": hashlib.md5(uri.encode()).hexdigest(), "mtime": int(os.stat(path).st_mtime)}
    return found


# Previews


def preview(path):
    """A moving WebP as Pillow sees it: for each picture, which of the thumbnails beside it is most like it."""
    tiles = [tile for _, _, tile in read_vtt(os.path.join(os.path.dirname(path), "thumbnails.vtt"))]
    found = []
    with Image.open(path) as image:
        need(image.format == "WEBP", image.format)
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            picture = image.convert("RGB")
            need(picture.size == tiles[0].size, f"a picture of {picture.size}")
            differences = [sum(ImageStat.Stat(ImageChops.difference(picture, tile)).mean) / 3 for tile in tiles]
            best = min(range(len(tiles)), key=lambda i: differences[i])
            found.append({"shows": best, "difference": differences[best], "milliseconds": image.info.get("duration", 0)})
    return {"pictures": found}


# Key pictures


def mjpg(path):
    """What GStreamer's own demuxers and its JPEG decoder make of a file or an I-frame playlist over it."""
    demuxers = ["hlsdemux", "qtdemux"] if path.endswith(".m3u8") else ["qtdemux"]
    named = ["capssetter", "join=false", "replace=true", "caps=image/jpeg"]
    steps = [["filesrc", "location=" + os.path.abspath(path)], *[[one] for one in demuxers], named, ["jpegdec"]]
    return gstreamer(path, [word for step in steps for word in ["!", *step]][1:])


def gstreamer(path, source=None):
    """What GStreamer's own demuxers and the decoders inside it make of a file or playlist, in order of arrival."""
    import hashlib
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        raw = os.path.join(folder, "pictures")
        # HEVC by libde265, a decoder that is not the one that made the expected pictures. FFmpeg's inside GStreamer
        # 1.26 loses some of those that come out only when the next restart begins, by chance, whenever it has two
        # threads ("Couldn't get codec frame"). With one thread, and in FFmpeg's own command, they all come.
        environment = os.environ | {"GST_PLUGIN_FEATURE_RANK": "libde265dec:512"}
        # It ends by itself, or it hangs: then it is stopped, and that is an error.
        out = subprocess.run(
            ["timeout", "120", "gst-launch-1.0", "-v",
             *(source or ["uridecodebin", "uri=" + pathlib.Path(path).absolute().as_uri()]), "!",
             "video/x-raw,format=I420", "!", "identity", "name=look", "silent=false", "!", "filesink", "location=" + raw],
            capture_output=True, text=True, env=environment)
        need(out.returncode == 0 and "ERROR" not in out.stdout + out.stderr, out.stdout[-800:] + out.stderr)
        seen = re.findall(r"look:sink\) \((\d+) bytes, .*?pts: (\d+):(\d\d):(\d\d\.\d{9}),", out.stdout)
        with open(raw, "rb") as file:
            data = file.read()
    found, place = [], 0
    for size, hours, minutes, rest in seen:
        picture = data[place:place + int(size)]
        place += int(size)
        found.append({"seconds": float(int(hours) * 3600 + int(minutes) * 60 + Fraction(rest)),
                      "hash": hashlib.md5(picture).hexdigest()})
    need(place == len(data), f"{place} bytes in pictures, {len(data)} in all")
    return {"pictures": found}


def trickmode(path):
    """The trick mode set by python3-mpegdash, which knows no such properties' meaning, only the schema."""
    import xml.etree.ElementTree as tree

    from mpegdash.parser import MPEGDASHParser

    space = "{urn:mpeg:dash:schema:mpd:2011}"
    root = tree.parse(path).getroot()
    need("isoff-main" in root.get("profiles"), root.get("profiles"))
    own = [one for one in root.iter(space + "AdaptationSet")
           if any(p.get("schemeIdUri") == "http://dashif.org/guidelines/trickmode"
                  for p in one.findall(space + "EssentialProperty"))]
    need(len(own) == 1, f"{len(own)} trick mode sets")
    sets = [one for one in MPEGDASHParser.parse(path).periods[0].adaptation_sets if one.mime_type == "video/mp4"]
    need(len(sets) == 1 and str(sets[0].id) == own[0].get("id"), "the sets of two readers")
    need(own[0].get("codingDependency") == "false" and int(own[0].get("maxPlayoutRate")) >= 1, "attributes")
    numbers = {one.get("id") for one in root.iter(space + "AdaptationSet")}
    value = own[0].find(space + "EssentialProperty").get("value")
    need(value not in numbers, "the main set is not in this presentation")
    representation = sets[0].representations[0]
    segments = representation.segment_lists[0]
    scale = segments.timescale
    times = [(Fraction(s.t, scale), Fraction(s.d, scale)) for s in segments.segment_timelines[0].Ss]
    need(len(times) == len(segments.segment_urls), "as many times as ranges")
    folder = os.path.dirname(path)
    head = segments.initializations[0]
    found = []
    with open(os.path.join(folder, head.source_url), "rb") as file:
        data = file.read()
    first, last = map(int, head.range.split("-"))
    need(data[first + 4:first + 8] == b"ftyp" and first == 0, "the initialization")
    end = last + 1
    for (start, length), url in zip(times, segments.segment_urls):
        first, last = map(int, url.media_range.split("-"))
        need(first == end and url.media == head.source_url, "a gap between pictures")
        end = last + 1
        size = struct.unpack_from(">I", data, first)[0]
        need(data[first + 4:first + 8] == b"moof" and data[first + size + 4:first + size + 8] == b"mdat", "a fragment")
        need(representation.bandwidth * length * Fraction(1001, 1000) >= 8 * (end - first), "more bytes than bandwidth says")
        found.append({"seconds": float(start), "end": float(start + length)})
    need(end == len(data), "bytes behind the last picture")
    return {"codecs": sets[0].codecs, "pictures": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("tiles")
    one.add_argument("kind", choices=READERS)
    one.add_argument("path")
    one.add_argument("--against", required=True)
    one.add_argument("--stream", type=int, default=0)
    for name in ("picture", "freedesktop", "gstreamer", "mjpg", "trickmode", "preview"):
        commands.add_parser(name).add_argument("path")
    commands.add_parser("uri").add_argument("paths", nargs="+")
    arguments = parser.parse_args()
    try:
        if arguments.command == "tiles":
            found = tiles(arguments.kind, arguments.path, arguments.against, arguments.stream)
        elif arguments.command == "picture":
            found = picture_facts(arguments.path)
        elif arguments.command == "gstreamer":
            found = gstreamer(arguments.path)
        elif arguments.command == "mjpg":
            found = mjpg(arguments.path)
        elif arguments.command == "preview":
            found = preview(arguments.path)
        elif arguments.command == "trickmode":
            found = trickmode(arguments.path)
        elif arguments.command == "freedesktop":
            found = freedesktop(arguments.path)
        else:
            found = uris(arguments.paths)
    except Wrong as wrong:
        print(f"readback: {arguments.command}: {wrong}", file=sys.stderr)
        return 1
    print(json.dumps(found, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
