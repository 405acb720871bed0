#!/usr/bin/env python3
"""Byte surgery on MP4 files: mp4.py OPERATION IN OUT ARGUMENTS... (see OPERATIONS at the end)."""
import struct
import sys

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"mvex", b"moof", b"traf"}


class Box:
    def __init__(self, kind, data=b"", kids=None):
        self.kind, self.data, self.kids = kind, data, kids

    def bytes(self):
        body = b"".join(k.bytes() for k in self.kids) if self.kids is not None else self.data
        return struct.pack(">I4s", len(body) + 8, self.kind) + body

    def find(self, *path):
        box = self
        for name in path:
            box = next((k for k in box.kids if k.kind == name.encode()), None)
            if box is None:
                return None
        return box


def parse(data):
    boxes, at = [], 0
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        head = 8
        if size == 1:
            size, head = struct.unpack_from(">Q", data, at + 8)[0], 16
        elif size == 0:
            size = len(data) - at
        body = data[at + head:at + size]
        boxes.append(Box(kind, kids=parse(body)) if kind in CONTAINERS else Box(kind, body))
        at += size
    return boxes


def offset_of_mdat(boxes):
    at = 0
    for box in boxes:
        if box.kind == b"mdat":
            return at
        at += len(box.bytes())
    return None


class File:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.boxes = parse(f.read())
        self.mdat_at = offset_of_mdat(self.boxes)

    @property
    def moov(self):
        return next(b for b in self.boxes if b.kind == b"moov")

    def tracks(self):
        return [k for k in self.moov.kids if k.kind == b"trak"]

    def video(self):
        return next(t for t in self.tracks() if t.find("mdia", "hdlr").data[8:12] == b"vide")

    def save(self, path):
        delta = (offset_of_mdat(self.boxes) or 0) - (self.mdat_at or 0)
        if delta:
            for track in self.tracks():
                stco = track.find("mdia", "minf", "stbl", "stco")
                count = struct.unpack_from(">I", stco.data, 4)[0]
                offsets = struct.unpack_from(f">{count}I", stco.data, 8)
                stco.data = stco.data[:8] + struct.pack(f">{count}I", *(o + delta for o in offsets))
        with open(path, "wb") as f:
            f.write(b"".join(b.bytes() for b in self.boxes))


def stbl(track):
    return track.find("mdia", "minf", "stbl")


def runs(box, signed=False):
    """Expands stts or ctts to one value a sample."""
    count = struct.unpack_from(">I", box.data, 4)[0]
    values = []
    for i in range(count):
        n, v = struct.unpack_from(">Ii" if signed else ">II", box.data, 8 + 8 * i)
        values += [v] * n
    return values


def packed_runs(values, version=0):
    pairs = []
    for v in values:
        if pairs and pairs[-1][1] == v:
            pairs[-1][0] += 1
        else:
            pairs.append([1, v])
    body = struct.pack(">II", version << 24, len(pairs))
    return body + b"".join(struct.pack(">Ii" if v < 0 else ">II", n, v) for n, v in pairs)


def sizes(box):
    fixed, count = struct.unpack_from(">II", box.data, 4)
    return [fixed] * count if fixed else list(struct.unpack_from(f">{count}I", box.data, 12))


# Operations -----------------------------------------------------------------------------------------------

def op_matrix(f, *values):
    """A B U C D V X Y W as real numbers: the track's display matrix."""
    numbers = [float(v) for v in values]
    raw = [int(round(v * (1 << (30 if i % 3 == 2 else 16)))) for i, v in enumerate(numbers)]
    tkhd = f.video().find("tkhd")
    at = 40 if tkhd.data[0] == 0 else 52
    tkhd.data = tkhd.data[:at] + struct.pack(">9i", *raw) + tkhd.data[at + 36:]


def op_elst(f, *entries):
    """DURATION,MEDIA_TIME[,RATE] ...: the video track's edits, in movie and media units."""
    track = f.video()
    track.kids = [k for k in track.kids if k.kind != b"edts"]
    if not entries:
        return
    body = struct.pack(">II", 0, len(entries))
    for entry in entries:
        parts = [int(x) for x in entry.split(",")]
        body += struct.pack(">IiI", parts[0], parts[1], (parts[2] if len(parts) > 2 else 1) << 16)
    at = next(i for i, k in enumerate(track.kids) if k.kind == b"tkhd") + 1
    track.kids.insert(at, Box(b"edts", kids=[Box(b"elst", body)]))


def op_pasp(f, h, v):
    """H V: the sample entry's pixel aspect."""
    stsd = stbl(f.video()).find("stsd")
    size = struct.unpack_from(">I", stsd.data, 8)[0]
    entry, rest = stsd.data[8:8 + size], stsd.data[8 + size:]
    kids = [k for k in parse(entry[86:]) if k.kind != b"pasp"]
    kids.append(Box(b"pasp", struct.pack(">II", int(h), int(v))))
    entry = entry[:86] + b"".join(k.bytes() for k in kids)
    entry = struct.pack(">I", len(entry)) + entry[4:]
    stsd.data = stsd.data[:8] + entry + rest


def op_fourcc(f, name):
    """NAME: the sample entry's type."""
    stsd = stbl(f.video()).find("stsd")
    stsd.data = stsd.data[:12] + name.encode() + stsd.data[16:]


def op_stss(f, *numbers):
    """NUMBER ... (from 1): the samples marked as sync; none at all drops the box."""
    table = stbl(f.video())
    table.kids = [k for k in table.kids if k.kind != b"stss"]
    if numbers:
        body = struct.pack(">II", 0, len(numbers)) + b"".join(struct.pack(">I", int(n)) for n in numbers)
        table.kids.append(Box(b"stss", body))


def op_count(f, kind, value):
    """BOX VALUE: the number of entries a table claims to have."""
    box = stbl(f.video()).find(kind)
    at = 8 if kind == "stsz" else 4
    box.data = box.data[:at] + struct.pack(">I", int(value, 0)) + box.data[at + 4:]


def op_entry(f, kind, index, value):
    """stsz|stco INDEX VALUE: one sample size or chunk offset."""
    box = stbl(f.video()).find(kind)
    at = (12 if kind == "stsz" else 8) + 4 * int(index)
    box.data = box.data[:at] + struct.pack(">I", int(value, 0)) + box.data[at + 4:]


def op_same(f, *pairs):
    """A=B ...: gives the picture shown A-th the time of the picture shown B-th."""
    table = stbl(f.video())
    deltas, offsets = runs(table.find("stts")), runs(table.find("ctts"), True)
    dts = [sum(deltas[:i]) for i in range(len(deltas))]
    shown = sorted(range(len(dts)), key=lambda i: dts[i] + offsets[i])
    for pair in pairs:
        a, b = (shown[int(x)] for x in pair.split("="))
        offsets[a] = dts[b] + offsets[b] - dts[a]
    table.find("ctts").data = packed_runs(offsets, 1)


def op_ctts(f, index, value):
    """INDEX VALUE: one composition offset, in decoding order."""
    table = stbl(f.video())
    offsets = runs(table.find("ctts"), True)
    offsets[int(index)] = int(value, 0)
    table.find("ctts").data = packed_runs(offsets, 1)


def op_noctts(f, *range_):
    """[FIRST LAST]: takes the composition offsets away, or sets those of some samples to what shows them in turn."""
    table = stbl(f.video())
    if not range_:
        table.kids = [k for k in table.kids if k.kind != b"ctts"]
        return
    offsets = runs(table.find("ctts"), True)
    for i in range(int(range_[0]), int(range_[1]) + 1):
        offsets[i] = offsets[0]
    table.find("ctts").data = packed_runs(offsets, 1)


def op_swap(f, *pairs):
    """A=B ...: two samples, in decoding order, get each other's composition time."""
    table = stbl(f.video())
    deltas, offsets = runs(table.find("stts")), runs(table.find("ctts"), True)
    dts = [sum(deltas[:i]) for i in range(len(deltas))]
    for pair in pairs:
        a, b = (int(x) for x in pair.split("="))
        times = dts[a] + offsets[a], dts[b] + offsets[b]
        offsets[a], offsets[b] = times[1] - dts[a], times[0] - dts[b]
    table.find("ctts").data = packed_runs(offsets, 1)


def op_offsets(f, *pairs):
    """SAMPLE=OFFSET ...: composition offsets where there were none, 0 for all other samples."""
    table = stbl(f.video())
    offsets = [0] * len(sizes(table.find("stsz")))
    for pair in pairs:
        sample, offset = (int(x) for x in pair.split("="))
        offsets[sample] = offset
    table.kids.append(Box(b"ctts", packed_runs(offsets, 1)))


def op_nooffsets(f, *numbers):
    """[NUMBER ...]: takes the composition offsets out of all fragments, or of some (from 0)."""
    fragments = [b for b in f.boxes if b.kind == b"moof"]
    for i, moof in enumerate(fragments):
        if numbers and str(i) not in numbers:
            continue
        before = len(moof.bytes())
        for trun in (k for t in moof.kids if t.kind == b"traf" for k in t.kids if k.kind == b"trun"):
            flags, count = struct.unpack_from(">II", trun.data)
            head = 8 + (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
            widths = [4 for bit in (0x100, 0x200, 0x400) if flags & bit]
            step = sum(widths) + 4
            assert flags & 0x800 and len(trun.data) == head + count * step
            body = b"".join(trun.data[head + s * step:head + (s + 1) * step - 4] for s in range(count))
            trun.data = struct.pack(">I", flags & ~0x800) + trun.data[4:head] + body
        shrunk = before - len(moof.bytes())
        for trun in (k for t in moof.kids if t.kind == b"traf" for k in t.kids if k.kind == b"trun"):
            flags, _, offset = struct.unpack_from(">IIi", trun.data)
            assert flags & 1, "the run says where its data are"
            trun.data = trun.data[:8] + struct.pack(">i", offset - shrunk) + trun.data[12:]


def op_append(f, other):
    """FILE: appends another file's samples to the video track, with a sample entry of their own."""
    g = File(other)
    table, more = stbl(f.video()), stbl(g.video())
    mdat = next(b for b in f.boxes if b.kind == b"mdat")
    grown = next(b for b in g.boxes if b.kind == b"mdat")
    count, added = len(sizes(table.find("stsz"))), len(sizes(more.find("stsz")))
    first = struct.unpack_from(">I", table.find("stco").data, 8)[0]
    second = struct.unpack_from(">I", more.find("stco").data, 8)[0] - (g.mdat_at + 8) + f.mdat_at + 8 + len(mdat.data)
    mdat.data += grown.data
    a, b = table.find("stsd"), more.find("stsd")
    a.data = struct.pack(">II", 0, 2) + a.data[8:] + b.data[8:]
    both = sizes(table.find("stsz")) + sizes(more.find("stsz"))
    table.find("stsz").data = struct.pack(f">III{len(both)}I", 0, 0, len(both), *both)
    table.find("stts").data = packed_runs(runs(table.find("stts")) + runs(more.find("stts")))
    table.find("ctts").data = packed_runs(runs(table.find("ctts"), True) + runs(more.find("ctts"), True))
    keys = [struct.unpack_from(f">{(len(t.find('stss').data) - 8) // 4}I", t.find("stss").data, 8) for t in (table, more)]
    keys = list(keys[0]) + [k + count for k in keys[1]]
    table.find("stss").data = struct.pack(f">II{len(keys)}I", 0, len(keys), *keys)
    table.find("stsc").data = struct.pack(">II6I", 0, 2, 1, count, 1, 2, added, 2)
    table.find("stco").data = struct.pack(">IIII", 0, 2, first, second)
    # The edit and the durations must reach over both parts.
    scale = struct.unpack_from(">I", f.video().find("mdia", "mdhd").data, 12)[0]
    movie = struct.unpack_from(">I", f.moov.find("mvhd").data, 12)[0]
    total = sum(runs(table.find("stts")))
    shown = total * movie // scale
    mdhd, mvhd, tkhd = f.video().find("mdia", "mdhd"), f.moov.find("mvhd"), f.video().find("tkhd")
    mdhd.data = mdhd.data[:16] + struct.pack(">I", total) + mdhd.data[20:]
    mvhd.data = mvhd.data[:16] + struct.pack(">I", shown) + mvhd.data[20:]
    tkhd.data = tkhd.data[:20] + struct.pack(">I", shown) + tkhd.data[24:]
    elst = f.video().find("edts", "elst")
    if elst:
        elst.data = elst.data[:8] + struct.pack(">I", shown) + elst.data[12:]


OPERATIONS = {name[3:]: function for name, function in list(globals().items()) if name.startswith("op_")}


def build(path, samples, entry, timescale, width, height):
    """Writes a file of one video track. samples: (bytes, dts, pts, key); entry: a whole sample entry."""
    mdat = Box(b"mdat", b"".join(s[0] for s in samples))
    ftyp = Box(b"ftyp", b"isom" + struct.pack(">I", 512) + b"isomavc1")
    deltas = [b[1] - a[1] for a, b in zip(samples, samples[1:])]
    deltas.append(deltas[-1])
    total = sum(deltas)
    lead = min(s[2] for s in samples)
    unity = struct.pack(">9i", 1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)
    keys = [i + 1 for i, s in enumerate(samples) if s[3]]
    table = Box(b"stbl", kids=[
        Box(b"stsd", struct.pack(">II", 0, 1) + entry),
        Box(b"stts", packed_runs(deltas)),
        Box(b"stss", struct.pack(f">II{len(keys)}I", 0, len(keys), *keys)),
        Box(b"ctts", packed_runs([s[2] - s[1] for s in samples])),
        Box(b"stsc", struct.pack(">IIIII", 0, 1, 1, len(samples), 1)),
        Box(b"stsz", struct.pack(f">III{len(samples)}I", 0, 0, len(samples), *(len(s[0]) for s in samples))),
        Box(b"stco", struct.pack(">III", 0, 1, len(ftyp.bytes()) + 8)),
    ])
    minf = Box(b"minf", kids=[
        Box(b"vmhd", struct.pack(">IHHHH", 1, 0, 0, 0, 0)),
        Box(b"dinf", Box(b"dref", struct.pack(">II", 0, 1) + Box(b"url ", struct.pack(">I", 1)).bytes()).bytes()),
        table,
    ])
    mdia = Box(b"mdia", kids=[
        Box(b"mdhd", struct.pack(">IIIIIHH", 0, 0, 0, timescale, total, 0x55C4, 0)),
        Box(b"hdlr", struct.pack(">II4s12x", 0, 0, b"vide") + b"VideoHandler\0"),
        minf,
    ])
    trak = Box(b"trak", kids=[
        Box(b"tkhd", struct.pack(">IIIIII8xHHHH", 3, 0, 0, 1, 0, total, 0, 0, 0, 0) + unity
            + struct.pack(">II", width << 16, height << 16)),
        Box(b"edts", kids=[Box(b"elst", struct.pack(">IIIiI", 0, 1, total, lead, 1 << 16))]),
        mdia,
    ])
    mvhd = Box(b"mvhd", struct.pack(">IIIIIIH10x", 0, 0, 0, timescale, total, 1 << 16, 0x100) + unity
               + struct.pack(">24xI", 2))
    with open(path, "wb") as f:
        for box in (ftyp, mdat, Box(b"moov", kids=[mvhd, trak])):
            f.write(box.bytes())


def visual_entry(fourcc, width, height, config):
    body = struct.pack(">6xH16xHHIIIH32xHh", 1, width, height, 72 << 16, 72 << 16, 0, 1, 24, -1) + config
    return struct.pack(">I4s", len(body) + 8, fourcc) + body


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in OPERATIONS:
        sys.exit("\n".join([__doc__] + [f"  {n}: {o.__doc__}" for n, o in OPERATIONS.items()]))
    movie = File(sys.argv[2])
    OPERATIONS[sys.argv[1]](movie, *sys.argv[4:])
    movie.save(sys.argv[3])
