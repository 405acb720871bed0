#!/usr/bin/env python3
"""Makes streams in which H.264 and HEVC decoders keep something over a restart, one file for each state and container.

    testdata/tools/state-clips.py DIR                 # all of them
    testdata/tools/state-clips.py DIR sets grain      # the kinds whose names begin so
    testdata/tools/state-clips.py DIR --codec hevc    # those of one codec

Sound streams of ffmpeg's encoders are changed bit by bit: parameter sets and messages are put in, taken out and
rewritten. docs/decoder-state.md says what each state is.
"""
import argparse
import os
import subprocess
import sys

import annexb


class Bits:
    """Fields of a unit, from the first bit behind its header, without emulation prevention."""

    def __init__(self, unit, header):
        self.header = unit[:header]
        plain, zeros = bytearray(), 0
        for byte in unit[header:]:
            if zeros >= 2 and byte == 3:
                zeros = 0
                continue
            plain.append(byte)
            zeros = zeros + 1 if byte == 0 else 0
        self.bits = "".join(f"{byte:08b}" for byte in plain).rstrip("0")[:-1]
        self.place = 0

    def u(self, count):
        self.place += count
        return int(self.bits[self.place - count : self.place] or "0", 2)

    def ue(self):
        zeros = self.bits.index("1", self.place) - self.place
        self.place += zeros
        return self.u(zeros + 1) - 1

    def se(self):
        code = self.ue()
        return (code + 1) // 2 if code % 2 else -(code // 2)

    def put(self, bits, replacing=0):
        """Writes bits at the present place, over as many as are said."""
        self.bits = self.bits[: self.place] + bits + self.bits[self.place + replacing :]
        self.place += len(bits)

    def unit(self):
        bits = self.bits + "1"
        bits += "0" * (-len(bits) % 8)
        plain = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
        return bytes(self.header) + annexb.escape(plain)


def ue(value):
    text = f"{value + 1:b}"
    return "0" * (len(text) - 1) + text


def se(value):
    return ue(2 * value - 1 if value > 0 else -2 * value)


class Stream:
    """A stream behind start codes, as access units of one slice each."""

    def __init__(self, codec, data):
        self.codec = codec
        places = []
        place = data.find(b"\0\0\1")
        while place >= 0:
            places.append(place + 3)
            place = data.find(b"\0\0\1", place + 3)
        self.pictures, units = [], []
        for number, start in enumerate(places):
            end = places[number + 1] - 3 if number + 1 < len(places) else len(data)
            unit = data[start:end].rstrip(b"\0")
            units.append(unit)
            if self.is_slice(unit):
                self.pictures.append(units)
                units = []

    def kind(self, unit):
        return unit[0] & 31 if self.codec == "h264" else unit[0] >> 1 & 63

    def is_slice(self, unit):
        return self.kind(unit) in ((1, 5) if self.codec == "h264" else (*range(10), *range(16, 22)))

    def is_set(self, unit):
        return self.kind(unit) in ((7, 8) if self.codec == "h264" else (32, 33, 34))

    def set(self, name):
        kinds = {"vps": 32, "sps": 7 if self.codec == "h264" else 33, "pps": 8 if self.codec == "h264" else 34}
        return next(unit for unit in self.pictures[0] if self.kind(unit) == kinds[name])

    def without(self, is_gone, first=0):
        """Takes units out, of the pictures from one on."""
        for number, units in enumerate(self.pictures):
            if number >= first:
                self.pictures[number] = [unit for unit in units if not is_gone(unit)]
        return self

    def insert(self, picture, *units):
        """Puts units before a picture's slice."""
        self.pictures[picture][-1:-1] = units
        return self

    def keys(self):
        key = {5} if self.codec == "h264" else set(range(16, 22))
        return [n for n, units in enumerate(self.pictures) if self.kind(units[-1]) in key]

    def ranks(self):
        """Returns the place of each picture in display order."""
        ranks, counts = [], []
        sps = self.set("sps")
        for units in self.pictures + [[]]:
            is_key = units and self.kind(units[-1]) in ((5,) if self.codec == "h264" else (19, 20))
            if not units or is_key:
                ranks += [len(ranks) + sorted(counts).index(count) for count in counts]
                counts = []
            if units:
                counts.append(0 if is_key else order_count(self.codec, sps, units[-1], counts))
        return ranks

    def copy(self):
        other = Stream(self.codec, b"")
        other.pictures = [list(units) for units in self.pictures]
        return other

    def bytes(self):
        return b"".join(b"\0\0\0\1" + unit for units in self.pictures for unit in units)


def order_count(codec, sps, slice, before):
    """Returns a picture's order count; the high part is the nearest to the ones before (H.264 8.2.1.1)."""
    if codec == "h264":
        fields = Bits(sps, 1)
        profile = fields.u(8)
        fields.u(16), fields.ue()
        if profile == 100:
            fields.ue(), fields.ue(), fields.ue(), fields.u(1)
            if fields.u(1):
                assert fields.u(8) == 0
        frame_bits = fields.ue() + 4
        if fields.ue() != 0:
            return max(before) + 2
        width = fields.ue() + 4
        bits = Bits(slice, 1)
        bits.ue(), bits.ue(), bits.ue(), bits.u(frame_bits)
    else:
        fields = Bits(sps, 2)
        fields.u(4 + 3 + 1 + 88 + 8), fields.ue(), fields.ue(), fields.ue(), fields.ue()
        if fields.u(1):
            fields.ue(), fields.ue(), fields.ue(), fields.ue()
        fields.ue(), fields.ue()
        width = fields.ue() + 4
        bits = Bits(slice, 2)
        bits.u(1)
        if slice[0] >> 1 & 63 >= 16:
            bits.u(1)
        bits.ue(), bits.ue()
    low, last = bits.u(width), max(before)
    return min((last - last % (1 << width) + low + high for high in (-(1 << width), 0, 1 << width)),
               key=lambda count: abs(count - last))


# Parameter sets that decode to other pictures, without an error.


def pps_h264(unit, id=None, chroma=6):
    bits = Bits(unit, 1)
    own = bits.ue()
    if id is not None:
        bits.place = 0
        bits.put(ue(id), len(ue(own)))
    bits.ue(), bits.u(2), bits.ue(), bits.ue(), bits.ue(), bits.u(3), bits.se(), bits.se()
    start = bits.place
    old = bits.se()
    length, bits.place = bits.place - start, start
    bits.put(se(old + chroma), length)
    # second_chroma_qp_index_offset of the High profiles stays.
    return bits.unit()


def pps_hevc(unit, chroma=6):
    bits = Bits(unit, 2)
    bits.ue(), bits.ue(), bits.u(7), bits.ue(), bits.ue(), bits.se(), bits.u(2)
    if bits.u(1):
        bits.ue()
    start = bits.place
    bits.se(), bits.se()
    length, bits.place = bits.place - start, start
    bits.put(se(chroma) + se(-chroma), length)
    return bits.unit()


def sps_h264(unit):
    """Gives a High profile's set the default scaling matrices (7.4.2.1.1)."""
    bits = Bits(unit, 1)
    profile = bits.u(8)
    assert profile == 100, "a High profile"
    bits.u(16), bits.ue(), bits.ue(), bits.ue(), bits.ue(), bits.u(1)
    bits.put("1" + "0" * 8, 1)
    return bits.unit()


def sps_hevc(unit):
    """Crops two columns more."""
    bits = Bits(unit, 2)
    bits.u(4)
    assert bits.u(3) == 0, "one sub-layer"
    bits.u(1 + 88 + 8), bits.ue(), bits.ue(), bits.ue(), bits.ue()
    start = bits.place
    if bits.u(1):
        bits.ue(), bits.ue(), bits.ue(), bits.ue()
    length, bits.place = bits.place - start, start
    bits.put("1" + ue(0) + ue(2) + ue(0) + ue(0), length)
    return bits.unit()


def vps_hevc(unit):
    """Another set of the same meaning: vps_timing_info_present_flag is near its end, so a level is changed."""
    bits = Bits(unit, 2)
    bits.u(4 + 2 + 6 + 3 + 1 + 16 + 88)
    bits.put(f"{186:08b}", 8)
    return bits.unit()


def sei(codec, type, payload):
    bits = payload + "1" + "0" * (-(len(payload) + 1) % 8) if len(payload) % 8 else payload
    body = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    header = b"\x06" if codec == "h264" else b"\x4e\x01"
    unit = header + bytes([type, len(body)])
    made = Bits(header + b"\x80", len(header))
    made.bits = "".join(f"{byte:08b}" for byte in unit[len(header) :] + body)
    return made.unit()


def grain(codec, keeps, cancels=False):
    """Film grain: frequency filtering, luma only, one interval (H.264 D.1.21)."""
    if cancels:
        return sei(codec, 19, "1")
    bits = "0" + "00" + "0" + "00" + f"{2:04b}" + "100"
    bits += f"{0:08b}" + f"{2:03b}" + f"{0:08b}" + f"{255:08b}" + se(120) + se(8) + se(8)
    bits += (ue(1) if keeps else ue(0)) if codec == "h264" else ("1" if keeps else "0")
    return sei(codec, 19, bits)


def mark_h264(unit, sps, operations):
    """Gives a P slice of a Baseline profile memory management operations (7.3.3.3)."""
    seq = Bits(sps, 1)
    seq.u(24), seq.ue()
    frame_bits = seq.ue() + 4
    order = seq.ue()
    order_bits = seq.ue() + 4 if order == 0 else 0
    bits = Bits(unit, 1)
    bits.ue()
    kind = bits.ue() % 5
    bits.ue(), bits.u(frame_bits), bits.u(order_bits)
    assert unit[0] & 31 == 1 and unit[0] & 0x60
    if kind == 0:
        if bits.u(1):
            bits.ue()
        if bits.u(1):
            while bits.ue() != 3:
                bits.ue()
    assert bits.u(1) == 0, "a sliding window"
    bits.place -= 1
    bits.put("1" + operations + ue(0), 1)
    return bits.unit()


# Sound streams.


def encode(codec, options, frames=24, size="64x48", source="testsrc2", pixels="yuv420p"):
    encoder = {"h264": "libx264", "hevc": "libx265"}[codec]
    name = "-x264-params" if codec == "h264" else "-x265-params"
    options = options if codec == "h264" else options + ":log-level=none:info=0"
    words = ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", f"{source}=s={size}:r=25", "-frames:v"]
    words += [str(frames), "-threads", "1", "-pix_fmt", pixels, "-c:v", encoder, name, options, "-f", codec, "-"]
    data = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
    stream = Stream(codec, data)
    return stream.without(lambda unit: stream.kind(unit) == (6 if codec == "h264" else 39) and not is_recovery(unit))


def is_recovery(unit):
    return unit[0] & 31 == 6 and unit[1] == 6


def sound(codec, extra="", keyint=6):
    """Groups of six pictures."""
    b_pyramid = "b-pyramid=none:" if codec == "h264" else ""
    options = f"keyint={keyint}:min-keyint={keyint}:scenecut=0:{b_pyramid}bframes=2:b-adapt=0:ref=2:" + extra
    if codec == "h264":
        return encode(codec, options + "repeat-headers=1:")
    return encode(codec, options + "repeat-headers=1:open-gop=0:frame-threads=1:pools=none:b-pyramid=0")


def changed(stream, name):
    return {
        ("h264", "pps"): pps_h264, ("hevc", "pps"): pps_hevc, ("h264", "sps"): sps_h264, ("hevc", "sps"): sps_hevc,
        ("hevc", "vps"): vps_hevc,
    }[stream.codec, name](stream.set(name))


def once(codec):
    """A stream whose sets come with its first picture alone."""
    stream = sound(codec)
    return stream.without(stream.is_set, first=1)


def sets(codec):
    """Parameter sets: what is sent, where, and which pictures bring their own."""
    plain = once(codec)
    pps, sps = changed(plain, "pps"), changed(plain, "sps")
    own = [plain.set("sps"), plain.set("pps")]
    vps = [plain.set("vps")] if codec == "hevc" else []
    yield "sets-pps-in-group", plain.copy().insert(1, pps)
    yield "sets-pps-at-key", plain.copy().insert(6, pps)
    yield "sets-pps-and-back", plain.copy().insert(3, pps).insert(14, plain.set("pps"))
    # In H.264 it changes nothing until a picture set comes behind it; in HEVC it takes the picture set away.
    yield "sets-sps-alone", plain.copy().insert(7, sps)
    yield "sets-sps-then-pps", plain.copy().insert(7, sps).insert(12, plain.set("pps"))
    yield "sets-sps-and-pps", plain.copy().insert(6, sps, plain.set("pps"))
    yield "sets-sps-there-and-back", plain.copy().insert(6, sps, plain.set("pps")).insert(12, *vps, *own)
    repeated = sound(codec)
    yield "sets-own-at-keys", repeated.copy().insert(8, pps)
    mixed = repeated.copy().insert(8, pps)
    mixed.pictures[12] = [unit for unit in mixed.pictures[12] if not mixed.is_set(unit)]
    yield "sets-own-at-some-keys", mixed
    if codec == "hevc":
        yield "sets-vps-alone", plain.copy().insert(6, changed(plain, "vps"))
        # The same set with another temporal id in its header, which counts as other content.
        vps = plain.set("vps")
        yield "sets-vps-header", plain.copy().insert(6, vps[:1] + bytes([vps[1] & 0xF8 | 3]) + vps[2:])
    else:
        # The restart brings its picture set, which is bound to a sequence set of before.
        yield "sets-sps-early", plain.copy().insert(3, sps).insert(6, plain.set("pps")).insert(12, plain.set("pps"))
        yield "sets-other-id", plain.copy().insert(3, pps_h264(plain.set("pps"), id=1))


def film_grain(codec):
    """Film grain: which pictures say it, and for how long."""
    closed = sound(codec)
    keys = closed.keys()
    for keeps in (False, True):
        stream = closed.copy()
        for key in keys:
            stream.insert(key, grain(codec, keeps))
        yield f"grain-keys-{'kept' if keeps else 'once'}", stream
    yield "grain-first", closed.copy().insert(0, grain(codec, True))
    yield "grain-cancelled", closed.copy().insert(0, grain(codec, True)).insert(8, grain(codec, True, cancels=True))
    every = closed.copy()
    for picture in range(len(every.pictures)):
        every.insert(picture, grain(codec, False))
    yield "grain-each", every
    if codec == "h264":
        opened = encode(codec, "keyint=6:min-keyint=1:scenecut=0:bframes=2:b-adapt=0:b-pyramid=none:open-gop=1:repeat-headers=1")
    else:
        opened = encode(codec, "keyint=6:min-keyint=6:scenecut=0:bframes=2:open-gop=1:repeat-headers=1:pools=none")
    for picture in range(len(opened.pictures)):
        opened.insert(picture, grain(codec, False))
    yield "grain-open", opened


def long_term(codec):
    """Pictures that are held as long-term references over an open restart."""
    if codec != "h264":
        return
    options = "keyint=8:min-keyint=1:scenecut=0:bframes=1:b-adapt=0:open-gop=1:cabac=0:weightp=0:ref=3:8x8dct=0"
    stream = encode(codec, options + ":repeat-headers=1", source="testsrc2")
    for picture in range(1, len(stream.pictures)):
        slice = stream.pictures[picture][-1]
        if slice[0] & 31 == 1 and slice[0] & 0x60:
            try:
                marked = mark_h264(slice, stream.set("sps"), ue(4) + ue(1) + ue(6) + ue(0))
            except AssertionError:
                continue
            stream.pictures[picture][-1] = marked
            break
    yield "long-term-open", stream


def moved(codec):
    """A leading picture before its restart: the decoder makes its reference up, and drops the restart for that."""
    if codec != "hevc":
        return
    options = "keyint=6:min-keyint=6:scenecut=0:bframes=2:b-adapt=0:open-gop=1:repeat-headers=1:pools=none"
    stream = encode(codec, options, frames=36)
    key = [number for number in stream.keys() if stream.kind(stream.pictures[number][-1]) == 21][-1]
    pictures = stream.pictures
    pictures[key], pictures[key + 1] = pictures[key + 1], pictures[key]
    yield "moved-leading", stream


KINDS = {"sets": sets, "grain": film_grain, "long-term": long_term, "moved": moved}

# Containers by their file extension, with the options for ffmpeg.
CONTAINERS = {
    "h264": {
        "mp4": [], "avc3.mp4": ["-tag:v", "avc3"], "mov": [], "frag.mp4": ["-movflags", "frag_keyframe+empty_moov"],
        "mkv": [], "ts": [], "flv": [], "avi": [],
    },
    "hevc": {
        "mp4": ["-tag:v", "hvc1"], "hev1.mp4": ["-tag:v", "hev1"], "mov": ["-tag:v", "hvc1"],
        "frag.mp4": ["-tag:v", "hvc1", "-movflags", "frag_keyframe+empty_moov"], "mkv": [], "ts": [],
    },
}


def wrap(stream, raw, path, options):
    """Puts a stream into a container, with the times that its order counts tell. A picture waits for two at most."""
    words = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-r", "25", "-f", stream.codec, "-i", raw, "-c", "copy"]
    times = "+".join(f"eq(N\\,{number})*{rank + 2}" for number, rank in enumerate(stream.ranks()))
    words += ["-bsf:v", f"setts=dts=N/25/TB:pts=({times})/25/TB", *options, path]
    made = subprocess.run(words, stderr=subprocess.PIPE, text=True)
    if made.returncode != 0:
        sys.exit(f"{path}: {made.stderr}")


def second_header(stream, folder, name):
    """Puts FLV files of two different headers into one, as a publisher that begins again does."""
    first, second = stream.copy(), stream.copy()
    pps = changed(stream, "pps")
    second.pictures = [[pps if second.kind(unit) == 8 else unit for unit in units] for units in second.pictures]
    bodies = []
    for number, part in enumerate((first, second)):
        raw = os.path.join(folder, f".part-{number}.h264")
        with open(raw, "wb") as file:
            file.write(part.bytes())
        path = os.path.join(folder, f".part-{number}.flv")
        wrap(part, raw, path, [])
        with open(path, "rb") as file:
            bodies.append(file.read())
        os.remove(raw)
        os.remove(path)
    with open(os.path.join(folder, f"{name}-joined.flv"), "wb") as file:
        file.write(bodies[0] + bodies[1])
    tags = [flv_tags(body) for body in bodies]
    header = next(tag for tag in tags[1] if tag[0] == 9 and tag[12] == 0)
    out, videos = bodies[0][:13], 0
    for tag in tags[0]:
        if tag[0] == 9 and tag[12] == 1:
            if videos == 6:
                out += header[:4] + tag[4:8] + header[8:]
            videos += 1
        out += tag
    with open(os.path.join(folder, f"{name}.flv"), "wb") as file:
        file.write(out)


def flv_tags(data):
    place, tags = 13, []
    while place + 11 <= len(data):
        size = 11 + int.from_bytes(data[place + 1 : place + 4], "big") + 4
        tags.append(data[place : place + size])
        place += size
    return tags


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("kinds", nargs="*", help="the beginnings of kinds' names; all without any")
    parser.add_argument("--codec", choices=sorted(CONTAINERS), action="append")
    parser.add_argument("--container", action="append", help="only these endings, such as mkv; raw for the bare stream")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    wanted = lambda name: not options.container or name in options.container
    for codec in options.codec or sorted(CONTAINERS):
        for kind, make in KINDS.items():
            if options.kinds and not any(kind.startswith(name) or name.startswith(kind) for name in options.kinds):
                continue
            for name, stream in make(codec):
                if options.kinds and not any(name.startswith(wish) for wish in options.kinds):
                    continue
                raw = os.path.join(options.folder, f"{name}.{codec}")
                with open(raw, "wb") as file:
                    file.write(stream.bytes())
                for container, words in CONTAINERS[codec].items():
                    path = os.path.join(options.folder, f"{name}-{codec}.{container}")
                    if wanted(container):
                        wrap(stream, raw, path, words)
                if not wanted("raw"):
                    os.remove(raw)
            is_wished = not options.kinds or any("sets-second-header".startswith(wish) for wish in options.kinds)
            if kind == "sets" and codec == "h264" and wanted("flv") and is_wished:
                second_header(once(codec), options.folder, "sets-second-header")


if __name__ == "__main__":
    main()
