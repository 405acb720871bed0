#!/usr/bin/env python3
"""Makes streams whose decoders keep something beyond their pictures, of all codecs but H.264, HEVC and VVC.

    testdata/tools/state-clips-mpeg.py DIR [ITEM...]

Bits of sound streams are rewritten: one file for each item and container, ITEM-KIND.CONTAINER. Each is one line of a
table in docs/decoder-state.md. Needs ffmpeg.
"""

import os
import re
import struct
import subprocess
import sys
import zlib

ITEMS = {}


def item(make):
    ITEMS[make.__name__.replace("_", "-")] = make
    return make


def ffmpeg(*words, data=None):
    done = subprocess.run(["ffmpeg", "-v", "error", "-y", *words], input=data, stdout=subprocess.PIPE, check=True)
    return done.stdout


def source(frames, size="64x48", rate=25):
    return ["-f", "lavfi", "-i", f"testsrc2=s={size}:r={rate}:d={frames / rate}"]


def encode(codec, frames, *words, size="64x48", form=None):
    return ffmpeg(*source(frames, size), "-c:v", codec, *words, "-fflags", "+bitexact", "-flags:v", "+bitexact",
                  "-f", form or codec, "-")


def mux(data, form, path, *words):
    """Puts a raw stream into a container, as its packets are."""
    ffmpeg("-fflags", "+genpts", "-r", "25", "-f", form, *words, "-i", "-", "-c", "copy", path, data=data)


class Folder:
    def __init__(self, path):
        self.path = path

    def write(self, name, data):
        with open(os.path.join(self.path, name), "wb") as out:
            out.write(data)

    def all(self, name, data, form, kinds, raw=None, *words):
        """Writes a raw stream as it is, and in containers."""
        if raw:
            self.write(f"{name}.{raw}", data)
        for kind in kinds:
            path = os.path.join(self.path, f"{name}.{kind}")
            try:
                mux(data, form, path, *words)
            except subprocess.CalledProcessError:
                if os.path.exists(path):
                    os.remove(path)


class Bits:
    """Bits of bytes, read and written one field at a time."""

    def __init__(self, data):
        self.bits = "".join(f"{byte:08b}" for byte in data)
        self.at = 0

    def read(self, count):
        value = int(self.bits[self.at:self.at + count] or "0", 2)
        self.at += count
        return value

    def insert(self, text):
        self.bits = self.bits[:self.at] + text + self.bits[self.at:]
        self.at += len(text)

    def set(self, text):
        self.bits = self.bits[:self.at] + text + self.bits[self.at + len(text):]
        self.at += len(text)

    def bytes(self):
        bits = self.bits + "0" * (-len(self.bits) % 8)
        return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def units(data):
    """Splits a byte stream in front of its start codes."""
    places = [found.start() for found in re.finditer(b"\0\0\1", data)] + [len(data)]
    return [data[a:b] for a, b in zip(places, places[1:])]


# MPEG-1, MPEG-2

CONTAINERS = ["mkv", "ts", "mpg", "mov", "avi", "nut"]
END = b"\0\0\1\xb7"


def mpeg(version, frames=12, *words):
    return encode(f"mpeg{version}video", frames, "-g", "4", "-bf", "2", *words)


def pictures(data):
    """The stream's pictures with the headers in front of each."""
    result, head = [], b""
    for unit in units(data):
        code = unit[3]
        if code in (0xB3, 0xB8) or code == 0 and b"\0\0\1\0" in head:
            if b"\0\0\1\0" in head:
                result.append(head)
                head = b""
        head += unit
    return result + [head]


@item
def tmpgexs(folder):
    name = b"\0\0\1\xb2" + b"\0TMPGEXS\0" + b"x" * 30
    for where in (0, 4, 8):
        parts = pictures(mpeg(1))
        first = units(parts[where])
        # Behind the sequence or group header of one picture.
        parts[where] = first[0] + name + b"".join(first[1:])
        folder.all(f"tmpgexs-{where}", b"".join(parts), "mpegvideo", ["mkv", "mpg", "avi"], "m1v")


@item
def mpeg1_behind_mpeg2(folder):
    two = mpeg(2, 8, "-alternate_scan", "1", "-non_linear_quant", "1", "-qmax", "28", "-dc", "10")
    folder.all("mpeg1-behind-mpeg2", two + mpeg(1, 8), "mpegvideo", ["ts", "mpg"], "m2v")
    folder.all("mpeg1-before-mpeg2", mpeg(1, 8) + two, "mpegvideo", ["ts", "mpg"], "m2v")


@item
def mpeg_matrices(folder):
    """A matrix extension in one picture, and a sequence header in the first groups only: the configuration has it."""
    bits = Bits(b"")
    bits.insert("0011" + "1" + "".join(f"{8 + 3 * place:08b}" for place in range(64)) + "0000")
    matrices = b"\0\0\1\xb5" + bits.bytes()
    for version in (1, 2):
        for where in (0, 4):
            parts = pictures(mpeg(version, 16))
            slices = parts[where].index(b"\0\0\1\1")
            parts[where] = parts[where][:slices] + matrices + parts[where][slices:]
            for number in range(8, 16):
                parts[number] = b"".join(
                    unit for unit in units(parts[number])
                    if unit[3] != 0xB3 and not (unit[3] == 0xB5 and unit[4] >> 4 in (1, 2)))
            folder.all(f"mpeg-matrices-{version}-{where}", b"".join(parts), "mpegvideo", CONTAINERS, f"m{version}v")


@item
def end_packets(folder):
    """The end of a sequence in a packet of its own: between sequences, and within a group."""
    for version in (1, 2):
        parts = pictures(mpeg(version))
        for name, where in (("between", 4), ("within", 5), ("twice", 4)):
            ends = END * (3 if name == "twice" else 2)
            data = b"".join(parts[:where]) + ends + b"".join(parts[where:])
            folder.all(f"end-{name}-{version}", data, "mpegvideo", CONTAINERS, f"m{version}v")


@item
def ends_before_b(folder):
    """The end of a sequence between an anchor and its B pictures, for which libavcodec makes another one up."""
    for version in (1, 2):
        parts = pictures(mpeg(version))
        for where in (2, 6):
            data = b"".join(parts[:where]) + END * 2 + b"".join(parts[where:])
            folder.all(f"end-before-b-{where}-{version}", data, "mpegvideo", CONTAINERS, f"m{version}v")


@item
def lost_picture_headers(folder):
    """Slices whose picture header is user data now, in every container."""
    for version in (1, 2):
        data = mpeg(version)
        for kind in CONTAINERS:
            path = os.path.join(folder.path, f"lost-header-{version}.{kind}")
            mux(data, "mpegvideo", path)
            with open(path, "rb") as file:
                made = file.read()
            places = [found.start() for found in re.finditer(b"\0\0\1\0", made)]
            for number in (4, 7):
                if number < len(places):
                    at = places[number] + 3
                    made = made[:at] + b"\xb2" + made[at + 1:]
            folder.write(f"lost-header-{version}.{kind}", made)


@item
def headers_alone(folder):
    """Group headers and user data in packets of their own."""
    path = os.path.join(folder.path, "headers-alone.avi")
    parts = pictures(mpeg(2, 8))
    chunks = parts[:4] + [b"\0\0\1\xb8\0\x08\0\x40"] + [parts[4][parts[4].index(b"\0\0\1\0"):]] + parts[5:6]
    chunks += [b"\0\0\1\xb2abcd"] + parts[6:] + [END]
    write_avi(path, b"mpg2", 64, 48, chunks)


def write_avi(path, tag, width, height, chunks, keys=None):
    """A plain AVI whose chunks are the packets given."""
    def chunk(name, data):
        return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def group(name, data):
        return chunk(b"LIST", name + data)

    avih = struct.pack("<14I", 40_000, 0, 0, 0x10, len(chunks), 0, 1, 0, width, height, 0, 0, 0, 0)
    strh = b"vids" + tag + struct.pack("<IHHIIIIIIIIhhhh", 0, 0, 0, 0, 1, 25, 0, len(chunks), 0, 0, 0, 0, 0, width,
                                       height)
    strf = struct.pack("<IiiHH4sIiiII", 40, width, height, 1, 24, tag, width * height * 3, 0, 0, 0, 0)
    header = group(b"hdrl", chunk(b"avih", avih) + group(b"strl", chunk(b"strh", strh) + chunk(b"strf", strf)))
    movi, index, at = b"", b"", 4
    for number, data in enumerate(chunks):
        is_key = keys is None or number in keys
        index += struct.pack("<4sIII", b"00dc", 0x10 if is_key else 0, at, len(data))
        movi += chunk(b"00dc", data)
        at = 4 + len(movi)
    body = header + group(b"movi", movi) + chunk(b"idx1", index)
    with open(path, "wb") as out:
        out.write(chunk(b"RIFF", b"AVI " + body))


# MPEG-4 part 2, H.263

def layer_at_complexity(vol):
    """A layer's bits, read as far as complexity_estimation_disable."""
    bits = Bits(vol[4:])
    bits.read(9)
    version = 1
    if bits.read(1):
        version = bits.read(4)
        bits.read(3)
    if bits.read(4) == 15:
        bits.read(16)
    if bits.read(1):
        bits.read(3)
        if bits.read(1):
            bits.read(79)
    bits.read(2 + 1)
    resolution = bits.read(16)
    bits.read(1)
    if bits.read(1):
        bits.read(max(1, (resolution - 1).bit_length()))
    bits.read(1 + 13 + 1 + 13 + 1 + 1 + 1)
    bits.read(1 if version == 1 else 2)
    bits.read(1)
    return bits, version


def is_layer(unit):
    return len(unit) > 3 and 0x20 <= unit[3] <= 0x2F


def with_matrix(vol):
    bits, _ = layer_at_complexity(vol)
    bits.set("1")
    bits.insert("1" + "".join(f"{8 + i % 40:08b}" for i in range(64)) + "0")
    return vol[:4] + bits.bytes()


def with_complexity(vol):
    bits, version = layer_at_complexity(vol)
    if bits.read(1):
        bits.read(2)
    if version != 1:
        bits.read(1)
    bits.set("0")
    # Method 0; no shape; texture set 1 with its first field; marker; no set 2; no motion; marker.
    bits.insert("00" + "1" + "0" + "1000" + "1" + "1" + "1" + "1")
    return vol[:4] + bits.bytes()


def mpeg4(frames=16, *words):
    return encode("mpeg4", frames, "-g", "6", *words, form="m4v")


@item
def mpeg4_matrix_on_the_way(folder):
    parts = units(mpeg4())
    vol = next(unit for unit in parts if is_layer(unit))
    planes = [i for i, unit in enumerate(parts) if unit[3] == 0xB6]
    data = b"".join(parts[:planes[3]]) + with_matrix(vol) + b"".join(parts[planes[3]:])
    folder.all("mpeg4-matrix", data, "m4v", ["avi", "mkv", "mov", "nut"], "m4v")


@item
def mpeg4_complexity(folder):
    data = b"".join(with_complexity(unit) if is_layer(unit) else unit for unit in units(mpeg4()))
    folder.all("mpeg4-complexity", data, "m4v", ["avi", "mkv"], "m4v")


@item
def mpeg4_field_distance(folder):
    """Groups whose first B plane is as far as those of the first group, and one in which it is not. Layers are in the
    first group alone."""
    for name, change in (("even", ""), ("uneven", "+if(gte(N,9),N-8,0)")):
        parts = units(ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=s=176x144:r=50:d=1.2", "-vf",
            f"tinterlace=interleave_top,settb=1/25,setpts='N{change}'", "-enc_time_base", "1/25", "-c:v", "mpeg4", "-flags", "+ildct+ilme", "-bf", "2",
            "-g", "8", "-q:v", "3", "-sc_threshold", "1000000000", "-fps_mode", "passthrough", "-f", "m4v", "-"))
        kept, has_plane = [], False
        for unit in parts:
            has_plane = has_plane or unit[3] == 0xB6
            if not has_plane or unit[3] in (0xB6, 0xB3):
                kept.append(unit)
        folder.all(f"mpeg4-field-distance-{name}", b"".join(kept), "m4v", ["avi", "mkv"], "m4v")


@item
def h263_without_modes(folder):
    """Key pictures of H.263+ that go by the modes of the first one (UFEP 0)."""
    data = encode("h263p", 12, "-g", "4", "-umv", "1", size="176x144", form="h263")
    parts = re.split(b"(?=\0\0[\x80-\x83])", data)
    parts = [part for part in parts if part]
    for number, part in enumerate(parts[1:], 1):
        bits = Bits(part)
        bits.read(22 + 8 + 5)
        if bits.read(3) != 7:
            continue
        if bits.read(3) == 1:
            bits.at -= 3
            # OPPTYPE is cut out.
            bits.bits = bits.bits[:bits.at] + "000" + bits.bits[bits.at + 3 + 18:]
        parts[number] = bits.bytes()
    write_avi(os.path.join(folder.path, "h263-without-modes.avi"), b"H263", 176, 144, parts)


# JPEG, PNG, TIFF

def jpegs(frames, *words, size="32x32"):
    data = encode("mjpeg", frames, "-pix_fmt", "yuvj420p", *words, size=size)
    return [part for part in re.split(b"(?=\xff\xd8\xff)", data) if part]


def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def with_segment(picture, extra):
    return picture[:2] + extra + picture[2:]


JPEG_KINDS = ["avi", "mov", "mkv", "nut"]


@item
def jpeg_comments(folder):
    comments = {
        "intel": b"Intel(R) JPEG Library, version 1.51", "metasoft": b"Metasoft MJPEG Codec 2",
        "range": b"CS=ITU601", "multiscope": b"MULTISCOPE II",
    }
    for name, text in comments.items():
        for where in (0, 2):
            parts = jpegs(6)
            parts[where] = with_segment(parts[where], segment(0xFE, text))
            folder.all(f"jpeg-{name}-{where}", b"".join(parts), "mjpeg", JPEG_KINDS)
        same = b"".join(with_segment(part, segment(0xFE, text)) for part in jpegs(4))
        folder.all(f"jpeg-{name}-all", same, "mjpeg", ["avi", "mov"])


@item
def jpeg_lines(folder):
    """Pictures of half the lines from one on, and a lost field."""
    tall, low = jpegs(6, size="32x64"), jpegs(6, size="32x32")
    folder.all("jpeg-half", b"".join(tall[:2] + low[2:]), "mjpeg", JPEG_KINDS)
    fields = [a + b for a, b in zip(low[::2], low[1::2])]
    pairs = fields + fields + fields
    write_avi(os.path.join(folder.path, "jpeg-fields.avi"), b"MJPG", 32, 64, pairs)
    write_avi(os.path.join(folder.path, "jpeg-lost-field.avi"), b"MJPG", 32, 64, pairs[:3] + [low[0]] + pairs[3:])


@item
def jpeg_lossless(folder):
    data = encode("ljpeg", 5, "-pix_fmt", "bgr24", size="32x32", form="mjpeg")
    parts = [part for part in re.split(b"(?=\xff\xd8\xff)", data) if part]
    parts[1] = with_segment(parts[1], segment(0xE8, b"LJIF" + bytes(8) + b"\x02" + bytes(4)))
    folder.all("jpeg-ljif", b"".join(parts), "mjpeg", ["avi", "mov"])


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def chunks(picture):
    at, found = 8, []
    while at < len(picture):
        length = struct.unpack(">I", picture[at:at + 4])[0]
        found.append((picture[at + 4:at + 8], picture[at + 8:at + 8 + length]))
        at += 12 + length
    return found


@item
def png_palettes(folder):
    data = ffmpeg(*source(6, "32x32"), "-pix_fmt", "pal8", "-c:v", "png", "-f", "image2pipe", "-")
    parts = [part for part in re.split(b"(?=\x89PNG\r\n\x1a\n)", data) if part]
    for name, with_palette in (("first", (0,)), ("second", (0, 3)), ("late", (2,))):
        made = []
        for number, part in enumerate(parts):
            kept = [(kind, body) for kind, body in chunks(part) if kind != b"PLTE" or number in with_palette]
            kept = [(kind, bytes(255 - byte for byte in body) if kind == b"PLTE" and number == 3 else body)
                    for kind, body in kept]
            made.append(part[:8] + b"".join(chunk(kind, body) for kind, body in kept))
        path = os.path.join(folder.path, f"png-palette-{name}.avi")
        write_avi(path, b"MPNG", 32, 32, made)
        for kind in ("mkv", "nut"):
            ffmpeg("-i", path, "-c", "copy", os.path.join(folder.path, f"png-palette-{name}.{kind}"))


@item
def tiff_palettes(folder):
    for number in range(6):
        form = "pal8" if number == 2 else "gray"
        ffmpeg(*source(1, "32x32"), "-frames:v", "1", "-vf", f"hue=h={number * 50}", "-pix_fmt", form,
               os.path.join(folder.path, f"page{number}.tiff"))
    ffmpeg("-framerate", "10", "-i", os.path.join(folder.path, "page%d.tiff"), "-c", "copy",
           os.path.join(folder.path, "tiff-palette.mkv"))
    for kind in ("mov", "avi", "nut"):
        try:
            ffmpeg("-i", os.path.join(folder.path, "tiff-palette.mkv"), "-c", "copy",
                   os.path.join(folder.path, f"tiff-palette.{kind}"))
        except subprocess.CalledProcessError:
            pass
    for number in range(6):
        os.remove(os.path.join(folder.path, f"page{number}.tiff"))


@item
def apng_first_part(folder):
    """A first picture that is not the whole canvas."""
    for form in ("pal8", "rgba"):
        data = ffmpeg(*source(5, "32x32"), "-pix_fmt", form, "-f", "apng", "-")
        at = data.index(b"fcTL")
        body = bytearray(data[at + 4:at + 30])
        # libavformat looks at the size of the picture number 0 alone.
        body[0:20] = struct.pack(">5I", 9, 16, 16, 8, 4)
        data = data[:at - 4] + chunk(b"fcTL", bytes(body)) + data[at + 34:]
        folder.write(f"apng-first-part-{form}.apng", data)


@item
def palettes_once(folder):
    """Raw and run-length pictures whose palette comes with the first packet, or with a later one."""
    for codec, kinds in (("rawvideo", ("avi", "mkv", "mov", "nut")), ("qtrle", ("mov",)), ("msrle", ("avi",)),
                         ("gif", ("gif",)), ("pcx", ("mov",)), ("bmp", ("avi", "mov"))):
        for kind in kinds:
            try:
                ffmpeg(*source(6, "32x32"), "-pix_fmt", "pal8", "-c:v", codec,
                       os.path.join(folder.path, f"palette-{codec}.{kind}"))
            except subprocess.CalledProcessError:
                path = os.path.join(folder.path, f"palette-{codec}.{kind}")
                if os.path.exists(path):
                    os.remove(path)


# VP8, Theora, Dirac

@item
def theora_chained(folder):
    parts = [ffmpeg(*source(6, size), "-c:v", "libtheora", "-q:v", quality, "-g", "3", "-f", "ogg", "-")
             for size, quality in (("64x48", "2"), ("64x48", "9"))]
    folder.write("theora-chained.ogv", b"".join(parts))


@item
def dirac_encoder(folder):
    data = encode("vc2", 5, "-pix_fmt", "yuv420p", size="64x48", form="dirac")
    parts = [part for part in re.split(b"(?=BBCD)", data) if part]
    aux = b"\x01Schroedinger 1.0.7\0"
    unit = b"BBCD\x20" + struct.pack(">II", 13 + len(aux), 0) + aux
    where = [i for i, part in enumerate(parts) if part[4] == 0][2]
    folder.all("dirac-encoder", b"".join(parts[:where]) + unit + b"".join(parts[where:]), "dirac",
               ["mkv", "ts"], "drc")


def main():
    to, wanted = sys.argv[1], sys.argv[2:] or list(ITEMS)
    os.makedirs(to, exist_ok=True)
    for name in wanted:
        ITEMS[name](Folder(to))


if __name__ == "__main__":
    main()
