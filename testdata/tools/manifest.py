#!/usr/bin/env python3
"""Hashes the clips, reads their numbers, checks that each trap is there and writes the manifest.

    manifest.py ENTRIES.tsv DIRECTORY
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import subprocess
import sys
import time

import annexb
import mp4
import read_number

root = sys.argv[2] if len(sys.argv) > 2 else "."


def run(*command):
    return subprocess.run(["nice", *command], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)


def clip(name):
    return os.path.join(root, "clips", name)


class Clip:
    """What the checks look at, computed once."""

    def __init__(self, entry):
        self.entry, self.path, self.stream = entry, clip(entry["file"]), str(entry["stream"])

    @functools.cached_property
    def bytes(self):
        with open(self.path, "rb") as f:
            return f.read()

    @functools.cached_property
    def probe(self):
        out = run("ffprobe", "-v", "quiet", "-of", "json", "-show_streams", "-show_format", self.path).stdout
        return json.loads(out or b"{}")

    @functools.cached_property
    def info(self):
        streams = self.probe.get("streams", [])
        return streams[int(self.stream)] if int(self.stream) < len(streams) else {}

    @functools.cached_property
    def packets(self):
        out = run("ffprobe", "-v", "quiet", "-select_streams", self.stream, "-of", "json", "-show_entries", "packet=pts,dts,flags,size,pos", self.path).stdout
        return json.loads(out or b"{}").get("packets", [])

    @functools.cached_property
    def frames(self):
        out = run("ffprobe", "-v", "quiet", "-select_streams", self.stream, "-of", "json", "-show_entries", "frame=key_frame,pict_type,width,height,interlaced_frame,pts", self.path).stdout
        return json.loads(out or b"{}").get("frames", [])

    @functools.cached_property
    def nals(self):
        codec, kind = self.info["codec_name"], {"h264": "h264", "hevc": "hevc"}
        filters = ["-bsf:v", f"{codec}_mp4toannexb"] if "mp4" in self.probe["format"]["format_name"] or "matroska" in self.probe["format"]["format_name"] or "flv" in self.probe["format"]["format_name"] else []
        out = run("ffmpeg", "-v", "quiet", "-i", self.path, "-map", "0:" + self.stream, "-c", "copy", *filters, "-f", kind[codec], "-").stdout
        return annexb.units(out)

    @functools.cached_property
    def kinds(self):
        if self.info["codec_name"] == "hevc":
            return [annexb.kind_hevc(n) for n in self.nals]
        return [annexb.kind_h264(n) for n in self.nals]

    @functools.cached_property
    def trace(self):
        return run("ffmpeg", "-i", self.path, "-map", "0:" + self.stream, "-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-").stderr.decode("latin1")

    def values(self, name):
        """The values of one header field in the trace."""
        return [line.split("=")[-1].strip() for line in self.trace.split("\n") if f" {name} " in line and "=" in line]

    def keys(self):
        return [i for i, p in enumerate(self.packets) if "K" in p["flags"]]

    def pts(self, i):
        return int(self.packets[i].get("pts", 0))

    def mpeg_pictures(self):
        """(structure code, 32 bits after it) in an MPEG-1/2 elementary stream."""
        out = run("ffmpeg", "-v", "quiet", "-i", self.path, "-map", "0:" + self.stream, "-c", "copy", "-f",
                  {"mpeg1video": "mpeg1video"}.get(self.info["codec_name"], "mpeg2video"), "-").stdout
        found, at = [], out.find(b"\0\0\1")
        while at >= 0:
            found.append((out[at + 3], out[at + 4:at + 12]))
            at = out.find(b"\0\0\1", at + 3)
        return found


def recovery_points(c):
    return [n for n in c.nals if annexb.kind_h264(n) == 6 and n[1] == 6]


def has_leading(c):
    keys = c.keys()
    return any(c.pts(i) < c.pts(k) for k in keys for i in range(k + 1, min(k + 8, len(c.packets))))


def open_gop(c):
    codec = c.info["codec_name"]
    if codec == "h264":
        return bool(recovery_points(c)) and c.kinds.count(5) == 1 and has_leading(c)
    if codec == "hevc":
        return 21 in c.kinds and (8 in c.kinds or 9 in c.kinds)
    groups = [d for code, d in c.mpeg_pictures() if code == 0xB8]
    return any(not d[3] & 0x40 for d in groups[1:])


def closed_gop(c):
    codec = c.info["codec_name"]
    if codec == "h264":
        return c.kinds.count(5) == len(c.keys()) > 1
    if codec == "hevc":
        return 21 not in c.kinds and (20 in c.kinds or 19 in c.kinds)
    return all(d[3] & 0x40 for code, d in c.mpeg_pictures() if code == 0xB8)


def nonref(c):
    codec = c.info["codec_name"]
    if codec == "h264":
        return any(n[0] >> 5 == 0 for n in c.nals if annexb.kind_h264(n) == 1)
    if codec == "av1":
        return "0" in c.values("refresh_frame_flags")
    return any(f.get("pict_type") == "B" for f in c.frames)


def times(c):
    return [p.get("pts") for p in c.packets]


def layers(c):
    return {n[1] & 7 for n in c.nals if annexb.kind_hevc(n) < 32}


def hidden(c):
    codec = c.info["codec_name"]
    if codec == "av1":
        return "0" in c.values("show_frame")
    if codec == "vp9":
        return "0" in c.values("show_frame")
    return any(not int(f) & 0x10 for f in first_bytes(c))


def first_bytes(c):
    out = run("ffprobe", "-v", "quiet", "-select_streams", c.stream, "-show_packets", "-show_data", "-of", "json", c.path).stdout
    for p in json.loads(out)["packets"]:
        yield int(p["data"].split(":")[1].split()[0][:2], 16)


def boxes(name):
    return lambda c: name.encode() in c.bytes


def elst(c):
    at = c.bytes.index(b"elst")
    count = int.from_bytes(c.bytes[at + 8:at + 12], "big")
    return [(int.from_bytes(c.bytes[at + 12 + 12 * i:at + 16 + 12 * i], "big"),
             int.from_bytes(c.bytes[at + 16 + 12 * i:at + 20 + 12 * i], "big", signed=True)) for i in range(count)]


def pix(name):
    return lambda c: c.info["pix_fmt"] == name


def sizes(c):
    return len({(f["width"], f["height"]) for f in c.frames}) > 1


def table(c, kind):
    return mp4.stbl(mp4.File(c.path).video()).find(kind)


def marked(c):
    data = table(c, "stss").data
    return {int.from_bytes(data[i:i + 4], "big") - 1 for i in range(8, len(data), 4)}


def idr(c):
    """The samples that are IDR pictures."""
    groups = annexb.groups_h264(c.nals)
    return {i for i, g in enumerate(groups) if any(annexb.kind_h264(n) == 5 for n in g)}


def starts_open(c):
    codec = c.info["codec_name"]
    if codec == "h264":
        first = next(n for n in c.nals if annexb.kind_h264(n) in (1, 5))
        return annexb.kind_h264(first) == 1
    if codec == "hevc":
        return next(k for k in c.kinds if k < 32) == 21 and (8 in c.kinds or 9 in c.kinds)
    at = c.mpeg_pictures()
    group = next(i for i, (code, _) in enumerate(at) if code == 0xB8)
    return not at[group][1][3] & 0x40 and any(code == 0 and (d[1] >> 3 & 7) == 3 for code, d in at[group:group + 60])


def delta(c):
    return [int(b) - int(a) for a, b in zip(sorted(int(t) for t in times(c)), sorted(int(t) for t in times(c))[1:])]


def dts_jumps(c):
    dts = [int(p["dts"]) for p in c.packets if "dts" in p]
    return any(b < a for a, b in zip(dts, dts[1:]))


TRAPS = {
    "b-pyramid": lambda c: any(n[0] >> 5 and s == "B" for n, s in slices(c)),
    "closed-gop": closed_gop,
    "open-gop": open_gop,
    "leading": has_leading,
    "nonref": nonref,
    "no-reorder": lambda c: all(p["pts"] == p["dts"] for p in c.packets),
    "intra-refresh": lambda c: bool(recovery_points(c)) and c.kinds.count(5) == 1,
    "one-idr": lambda c: c.kinds.count(5) == 1,
    "one-key": lambda c: len(c.keys()) == 1,
    "long-gop": lambda c: len(c.packets) >= 250,
    "single-frame": lambda c: len(c.frames) == 1,
    "all-intra": lambda c: all(f["key_frame"] == 1 and f["pict_type"] in "I?" for f in c.frames),
    "key-at-end": lambda c: c.keys()[-1] >= len(c.packets) - 3,
    "x264-sei": lambda c: b"x264 - core" in c.bytes,
    "full-range": lambda c: c.info.get("color_range") == "pc",
    "monochrome": lambda c: "0" in c.values("chroma_format_idc"),
    "rgb": lambda c: "rgb" in c.info["pix_fmt"] or "gbr" in c.info["pix_fmt"] or "bgr" in c.info["pix_fmt"],
    "palette": lambda c: c.info["pix_fmt"] in ("bgra", "pal8"),
    "alpha": lambda c: "a" in c.info["pix_fmt"].replace("gray", ""),
    "alpha-side-data": lambda c: c.info["tags"].get("alpha_mode", c.info["tags"].get("ALPHA_MODE")) == "1",
    "cropped": lambda c: c.info["coded_height"] != c.info["height"] or "1" in c.values("frame_cropping_flag"),
    "odd-size": lambda c: c.info["width"] % 2 == 1 and c.info["height"] % 2 == 1,
    "sar": lambda c: any(int(v) > 1 for v in c.values("aspect_ratio_idc")),
    "sar-disagrees": lambda c: c.info["sample_aspect_ratio"] == "1:1",
    "mbaff": lambda c: "1" in c.values("mb_adaptive_frame_field_flag"),
    "interlaced": lambda c: any(f.get("interlaced_frame") for f in c.frames),
    "paff": lambda c: {"0", "1"} <= set(c.values("field_pic_flag")),
    "no-timestamps": lambda c: any("pts" not in p for p in c.packets) or no_b(c),
    "cra": lambda c: 21 in c.kinds,
    "rasl": lambda c: 8 in c.kinds or 9 in c.kinds,
    "radl": lambda c: 6 in c.kinds or 7 in c.kinds,
    "hev1": lambda c: c.info["codec_tag_string"] == "hev1",
    "hvc1": lambda c: c.info["codec_tag_string"] == "hvc1",
    "avc3": lambda c: c.info["codec_tag_string"] == "avc3",
    "temporal-layers": lambda c: layers(c) == {1, 2},
    "tsvc": lambda c: layers(c) == {1, 2, 3} and any(annexb.kind_hevc(n) == 0 and n[1] & 7 == 2 for n in c.nals),
    "in-band-sets": lambda c: (c.kinds.count(33) if c.info["codec_name"] == "hevc" else c.kinds.count(7)) > 1,
    "show-existing": lambda c: "1" in c.values("show_existing_frame"),
    "hidden": hidden,
    "alt-ref": hidden,
    "hidden-packets": lambda c: len(c.packets) > len(c.frames),
    "intra-only": lambda c: "2" in c.values("frame_type") and c.values("frame_type").count("0") == 1,
    "film-grain": lambda c: "1" in c.values("apply_grain"),
    "ibbp": lambda c: sum(f["pict_type"] == "B" for f in c.frames) > len(c.frames) // 2,
    "rff": lambda c: any(code == 0xB5 and d[0] >> 4 == 8 and d[3] & 2 for code, d in c.mpeg_pictures()),
    "broken-link": lambda c: next(d for code, d in c.mpeg_pictures() if code == 0xB8)[3] & 0x20,
    "starts-open": starts_open,
    "mpeg4-b": lambda c: any(f["pict_type"] == "B" for f in c.frames),
    "packed-b": lambda c: b"DivX503b1393p" in c.bytes and any(len(p) > 1 for p in vops(c)),
    "n-vop": lambda c: any(int(p["size"]) < 12 for p in c.packets),
    "null-chunks": lambda c: b"00dc\0\0\0\0" in c.bytes,
    "xvid": lambda c: b"XviD" in c.bytes,
    "gmc": lambda c: any(f["pict_type"] == "S" for f in c.frames),
    "inter-lossless": lambda c: len(c.keys()) < len(c.packets) // 2,
    "elst": boxes("elst"),
    "discard-key": lambda c: any("KD" in p["flags"] for p in c.packets),
    "discard-leading": lambda c: any("D" in p["flags"] for p in c.packets[1:8]),
    "discard-tail": lambda c: elst(c)[0][0] < 4000,
    "no-elst": lambda c: b"elst" not in c.bytes,
    "empty-edit": lambda c: any(m == -1 for _, m in elst(c)),
    "multi-edit": lambda c: len(elst(c)) > 1,
    "edit-goes-back": lambda c: elst(c)[0][1] > elst(c)[1][1],
    "edit-repeats": lambda c: elst(c)[0] == elst(c)[1],
    "fragmented": boxes("moof"),
    "partly-fragmented": lambda c: c.bytes.index(b"moof") > c.bytes.index(b"mdat") and b"mvex" in c.bytes,
    "default-base-moof": boxes("tfhd\0\2"),
    "sidx": boxes("sidx"),
    "vfr": lambda c: len(set(delta(c))) > 3,
    "long-frame": lambda c: max(delta(c)) > 50 * min(delta(c)),
    "ntsc": lambda c: c.info["r_frame_rate"] == "30000/1001",
    "rounded-times": lambda c: set(delta(c)) == {33, 34},
    "negative-ctts": lambda c: min(mp4.runs(table(c, "ctts"), True)) < 0,
    "nonzero-start": lambda c: float(c.info["start_time"]) > 0.03,
    "missing-times": lambda c: "pts" not in c.packets[0] and "pts" in c.packets[-1],
    "duplicate-times": lambda c: len(set(times(c))) < len(times(c)),
    "times-contradict": lambda c: any(b < a for a, b in zip(shown_times(c), shown_times(c)[1:])),
    "decode-times": lambda c: any("pts" not in p for p in c.packets) and any(f["pict_type"] == "B" for f in c.frames),
    "empty-units": lambda c: len(c.packets) > len(c.frames),
    "no-picture-packets": lambda c: len(c.packets) > len(c.frames),
    "stss-missing": lambda c: table(c, "stss") is None,
    "stss-false": lambda c: len(marked(c) - idr(c)) > 2,
    "stss-few": lambda c: marked(c) < idr(c),
    "ts-wrap": lambda c: wraps(c),
    "ts-splice": dts_jumps,
    "ts-mid-gop": lambda c: "K" not in c.packets[0]["flags"] or c.frames[0]["pict_type"] != "I" or int(c.packets[0]["pos"]) > 0,
    "lost-packets": lambda c: True,
    "m2ts": lambda c: c.bytes[4] == 0x47 and c.bytes[196] == 0x47,
    "size-change": sizes,
    "multi-stsd": lambda c: c.bytes.count(b"avcC") == 2,
    "moov-in-front": lambda c: c.bytes.index(b"moov") < c.bytes.index(b"mdat"),
    "moov-at-end": lambda c: c.bytes.index(b"moov") > c.bytes.index(b"mdat"),
    "with-audio": lambda c: any(s["codec_type"] == "audio" for s in c.probe["streams"]),
    "audio-first": lambda c: c.probe["streams"][0]["codec_type"] == "audio",
    "several-videos": lambda c: sum(s["codec_type"] == "video" for s in c.probe["streams"]) > 1,
    "cover-art": lambda c: any(s["disposition"]["attached_pic"] for s in c.probe["streams"]),
    "no-cues": lambda c: b"\x1c\x53\xbb\x6b" not in c.bytes,
    "encrypted": boxes("senc"),
    "lossless": lambda c: c.info["profile"] == "High 4:4:4 Predictive",
    "orientation": lambda c: c.entry["file"] == "rotate-0.mp4" or bool(c.info.get("side_data_list")),
    "film": lambda c: len(c.frames) >= 13 and (not counts_keys(c) or sum(f["key_frame"] for f in c.frames) >= 12),
    "no-b-pictures": lambda c: not any(f["pict_type"] == "B" for f in c.frames),
    "no-video": lambda c: not any(s["codec_type"] == "video" and not s["disposition"]["attached_pic"] for s in c.probe["streams"]),
}


def counts_keys(c):
    """Whether the encoder begins a group where it is told to."""
    return c.info["codec_name"] not in ("h261", "msvideo1", "roq", "zmbv")


def shown_times(c):
    """The container's times of the pictures as they come out of the decoder."""
    return [int(f["pts"]) for f in c.frames]


def slices(c):
    """H.264 slices with their kind."""
    for n in c.nals:
        if annexb.kind_h264(n) in (1, 5):
            r = annexb.Reader(annexb.unescape(n[1:12]))
            r.ue()
            yield n, "PBIPS"[r.ue() % 5]


def vops(c):
    found, at = [], c.bytes.find(b"00dc")
    while at >= 0 and at < c.bytes.find(b"idx1"):
        size = int.from_bytes(c.bytes[at + 4:at + 8], "little")
        body = c.bytes[at + 8:at + 8 + size]
        found.append([1] * body.count(b"\0\0\1\xb6"))
        at = c.bytes.find(b"00dc", at + 8 + size)
    return found


def no_b(c):
    """Codecs without reordering get their times from the rate."""
    return c.info["codec_name"] in ("mjpeg", "huffyuv", "h263", "msmpeg4v3") or "null-chunks" in c.entry["traps"]


def wraps(c):
    raw = []
    for at in range(0, len(c.bytes) - 187, 188):
        p = c.bytes[at:at + 188]
        if p[1] & 0x40:
            body = 4 + (1 + p[4] if p[3] & 0x20 else 0)
            if p[body:body + 3] == b"\0\0\1" and p[body + 7] & 0x80:
                d = p[body + 9:body + 14]
                raw.append((d[0] >> 1 & 7) << 30 | d[1] << 22 | (d[2] >> 1) << 15 | d[3] << 7 | d[4] >> 1)
    return max(raw) > (1 << 33) - 400000 and min(raw) < 400000


for name in ("yuv444p", "yuv422p", "yuv420p10le", "yuv422p10le", "yuv444p12le"):
    TRAPS[name] = pix(name)
UNCHECKED = {"truncated", "flipped", "bad-table", "claims-2^32", "empty-file", "not-media", "missing-file", "demo", "colour"}


def decode(c, path, burned):
    """Hashes and numbers from one linear decode; writes the hashes to path.

    -autoscale 0 keeps a changed size; -enc_time_base -1 and -copyts keep the file's own times.
    """
    to_hashes = ["-map", "0:" + c.stream, "-fps_mode", "passthrough", "-autoscale", "0", "-enc_time_base", "-1",
                 "-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "framehash", "-hash", "md5", path]
    width, height = c.info.get("width", 0), c.info.get("height", 0)
    to_numbers = ["-map", "0:" + c.stream, "-fps_mode", "passthrough", "-vf",
                  f"scale={width}:{height}:flags=neighbor,format=gray", "-f", "rawvideo", "-"] if burned else []
    gray = run("ffmpeg", "-nostdin", "-y", "-v", "quiet", "-noautorotate", "-copyts", "-threads", "1", "-i", c.path,
               *to_hashes, *to_numbers).stdout
    text = ""
    if os.path.exists(path):
        with open(path) as f:
            text = f.read()
    return [x for x in text.split("\n") if x and not x.startswith("#")], read_number.split(gray, width, height) if burned else []


def timed(line):
    start = time.monotonic()
    try:
        result = finish(line)
    except Exception as error:
        name = line.split("\t")[0]
        result = {"file": name}, [f"{type(error).__name__}: {error}"]
    took = time.monotonic() - start
    if took > 5:
        print(f"{line.split(chr(9))[0]}: {took:.1f} s", file=sys.stderr)
    return result


def finish(line):
    fields = line.split("\t")
    name, traps, numbers = fields[:3]
    options = dict(f.split("=", 1) for f in fields[3:])
    kind = options.get("kind", "good")
    entry = {
        "file": name, "traps": traps.split(","), "stream": int(options.get("stream", 0)), "codec": None, "container": None,
        "frames": 0, "burnedIn": bool(numbers) or options.get("burned") == "1" , "numbers": None, "kind": kind,
        "expectExit": int(options.get("exit", 0)), "note": options.get("note", ""),
    }
    errors = []
    if kind == "damaged":
        entry["burnedIn"] = True
    if not os.path.exists(clip(name)):
        if "missing-file" not in entry["traps"]:
            errors.append("no such file")
        return entry, errors
    c = Clip(entry)
    entry["bytes"] = len(c.bytes)
    entry["sha256"] = hashlib.sha256(c.bytes).hexdigest()
    entry["codec"] = c.info.get("codec_name")
    entry["container"] = c.probe.get("format", {}).get("format_name")
    if kind != "refused":
        entry["expected"] = f"expected/{name}{options.get('suffix', '')}.framehash"
        path = os.path.join(root, entry["expected"])
        lines, read = decode(c, path, entry["burnedIn"])
        entry["frames"] = len(lines)
        if not lines:
            errors.append("nothing decodes")
    if entry["burnedIn"] and entry["frames"]:
        entry["numbers"] = read_number.ranges(read)
        if len(read) != entry["frames"]:
            errors.append(f"{entry['frames']} hashes but {len(read)} numbers")
        if numbers and entry["numbers"] != numbers:
            errors.append(f"shows {entry['numbers']} instead of {numbers}")
        if read == list(range(len(read))):
            entry["numbers"] = "sequential"
    for trap in entry["traps"]:
        if trap in UNCHECKED or "/" in trap or kind == "damaged":
            continue
        try:
            if trap not in TRAPS:
                errors.append(f"no check for trap {trap}")
            elif not TRAPS[trap](c):
                errors.append(f"trap {trap} is not there")
        except Exception as error:
            errors.append(f"trap {trap}: {type(error).__name__} {error}")
    if "colour" in entry["traps"]:
        wanted = entry["traps"][1].split("/")
        got = [c.info.get(k, "unknown") for k in ("color_primaries", "color_transfer", "color_space", "color_range")]
        got = ["gamma28" if g == "bt470bg" and i == 1 else g for i, g in enumerate(got)]
        if got[:3] != wanted[:3]:
            errors.append(f"tagged {got} instead of {wanted}")
    return entry, errors


def main():
    with open(sys.argv[1]) as f:
        lines = f.read().splitlines()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(timed, lines))
    failed = 0
    for entry, errors in results:
        for error in errors:
            print(f"{entry['file']}: {error}", file=sys.stderr)
            failed += 1
    files = {entry["file"] for entry, _ in results}
    for extra in sorted(set(os.listdir(os.path.join(root, "clips"))) - files):
        print(f"{extra}: in no entry", file=sys.stderr)
        failed += 1
    with open(os.path.join(root, "manifest.json"), "w") as f:
        f.write("[\n" + ",\n".join("  " + json.dumps(entry) for entry, _ in results) + "\n]\n")
    total = sum(os.path.getsize(clip(n)) for n in os.listdir(os.path.join(root, "clips")))
    print(f"{len(results)} entries, {len(files)} files, {total} bytes, {failed} faults", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
