#!/usr/bin/env python3
"""Seeds for the fuzzers, made of testdata and of what this program writes: seeds.py FOLDER. Needs ffmpeg and ffprobe."""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLIPS = os.path.join(ROOT, "testdata", "clips")
CODECS = {"h264": "h264", "hevc": "hevc", "av1": "av1", "vp8": "vp8", "vp9": "vp9", "mpeg1video": "mpeg", "mpeg2video": "mpeg",
          "mpeg4": "mpeg"}
TEXTS = {
    "position": ["0.42", "42%", "1/3", "12.5s", "90ms", "1:02.5", "00:01:02.500", "2m", "1h2m3.5s", "01:00:03:12",
                 "01:00:03;12", "f1234", "#7", "f-1", "first", "last", "1e3", "-1s"],
    "playlist": [
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:3\n#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\"9@0\"\n"
        "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x00000000000000000000000000000001\n#EXTINF:4.0,\n#EXT-X-BYTERANGE:100@9\na.m4s\n"
        "#EXT-X-DISCONTINUITY\n#EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00Z\n#EXTINF:3.5,x\nb.m4s\n#EXT-X-ENDLIST\n",
        "#EXTM3U\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\",URI=\"a.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=1000,AVERAGE-BANDWIDTH=900,RESOLUTION=192x112,CODECS=\"avc1.64001f,mp4a.40.2\",FRAME-RATE=25\n"
        "v.m3u8\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100,URI=\"i.m3u8\"\n"],
    "thumbnailSet": [
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-VERSION:7\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-IMAGES-ONLY\n"
        "#EXTINF:4,\n#EXT-X-TILES:RESOLUTION=96x54,LAYOUT=2x2,DURATION=1\na.jpg\n#EXT-X-ENDLIST\n"],
    "http": ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/100\r\nETag: \"a\"\r\n"
             "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 10\r\n\r\n", "bytes 0-9/*", "bytes */100",
             "Sun, 06 Nov 1994 08:49:37 GMT"],
    "address": ["http://user:pass@a.example:8080/b/../c%20d?e=f#g", "https://[2001:db8::1]/x", "//host/x", "../x?y", "127.1",
                "0x7f000001", "::ffff:1.2.3.4", "http://xn--a.example/"],
    "filmList": [
        "films/a.mkv\r\n./b//c.mp4\n/abs/#1.mp4\n\n", "3/16\n5\n1\n16\n16\n",
        "{\"file\":\"a \\udbff\\udfe9.mkv\",\"key\":\"00ff\",\"cost\":1.25,\"bytes\":7}\n{\"file\":\"b\",\"cost\":1e-3,\"x\":[null]}\n"],
    "requestTarget": ["/api/media/1/frame?at=42%25&width=100&format=png", "/%2e%2e/x?a=%zz&&=&b", "/?q", "localhost:8080", "[::1]:80"],
}


def write(folder, entry, name, data):
    place = os.path.join(folder, entry)
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, name), "wb") as file:
        file.write(data)


def hexdump(text):
    """The bytes of ffprobe's -show_data."""
    return b"".join(bytes.fromhex(re.sub(r"\s", "", line[10:50])) for line in (text or "").splitlines() if ":" in line[:10])


def packets(path, most=12):
    probe = subprocess.run(
        ["ffprobe", "-v", "quiet", "-of", "json", "-show_data", "-select_streams", "v:0", "-show_entries",
         "stream=codec_name,extradata:packet=data", "-read_intervals", f"%+#{most}", path], capture_output=True)
    try:
        found = json.loads(probe.stdout)
        stream = found["streams"][0]
    except (ValueError, KeyError, IndexError):
        return None
    return stream.get("codec_name"), hexdump(stream.get("extradata")), [hexdump(p.get("data")) for p in found.get("packets", [])]


def main():
    folder = os.path.abspath(sys.argv[1])
    for name in sorted(os.listdir(CLIPS)):
        path = os.path.join(CLIPS, name)
        with open(path, "rb") as file:
            data = file.read()
        kind = name.rsplit(".", 1)[-1]
        if kind in ("mp4", "mov", "m4a") and len(data) <= 65536:
            write(folder, "movie", name, data)
        if kind in ("mkv", "webm") and len(data) <= 65536:
            write(folder, "matroska", name, data)
        if name.endswith((".ts", ".m2ts", ".mpg", ".vob")):
            write(folder, "systems", name, data[:16384])
        found = packets(path) if data else None
        if not found or found[0] not in CODECS:
            continue
        codec, extradata, parts = found
        number = {"mpeg1video": 0, "mpeg2video": 1, "mpeg4": 2}.get(codec, 0)
        out = bytes([number]) + len(extradata).to_bytes(2, "big") + extradata
        for part in parts:
            part = part[:600]
            out += len(part).to_bytes(2, "big") + part
        write(folder, CODECS[codec], name, out)
    for entry, texts in TEXTS.items():
        for number, text in enumerate(texts):
            write(folder, entry, f"text-{number}", text.encode())
    write(folder, "gesture", "drag", (1000).to_bytes(2, "big") + b"0.40" + bytes([0, 0, 0, 128, 0, 0, 1, 0, 16, 129, 0, 128, 2, 0, 32, 0, 0, 1]))
    for kind in ("mjpeg", "ljpeg", "jpegls"):
        picture = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "quiet", "-f", "lavfi", "-i", "testsrc2=s=32x16", "-frames:v", "1", "-c:v", kind,
             *(["-huffman", "optimal"] if kind == "mjpeg" else []), "-f", "data", "-map", "0:v", "-strict", "-1", "-"],
            capture_output=True).stdout
        write(folder, "jpeg", kind, picture)
    write(folder, "vc1", "main", bytes([0, 0, 4, 0x4E, 0x29, 0x1A, 0x01, 0, 4, 0x40, 1, 2, 3]))
    made(folder)


def made(folder):
    """What the program itself writes: saved indexes, and sets."""
    scrub = os.path.join(ROOT, ".build", "release", "scrub")
    if not os.path.exists(scrub):
        print("seeds: without .build/release/scrub there are no seeds of saved indexes and sets", file=sys.stderr)
        return
    work = os.path.join(folder, "work")
    os.makedirs(work)
    environment = dict(os.environ, SCRUB_CACHE_DIR=os.path.join(work, "cache"))
    for name in ("h264-bf3.mp4", "hevc-open-gop.mkv", "mpeg2-open.ts", "av1-svt.ivf", "vp9-altref.webm"):
        path = os.path.join(CLIPS, name)
        subprocess.run([scrub, "info", path], env=environment, stdout=subprocess.DEVNULL)
        subprocess.run([scrub, "seek", path, "0.5"], env=environment, stdout=subprocess.DEVNULL)
    for base, _, names in os.walk(os.path.join(work, "cache")):
        for name in names:
            with open(os.path.join(base, name), "rb") as file:
                write(folder, "savedIndex", name, file.read())
    for profile in ("web", "jellyfin", "plex", "roku", "hls", "dash", "contact"):
        out = os.path.join(work, profile)
        subprocess.run(
            [scrub, "thumbs", "h264-bf3.mp4", "--profile", profile, "--every", "1", "--output", out],
            env=environment, cwd=CLIPS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for base, _, names in os.walk(out):
            for name in names:
                if not name.endswith((".jpg", ".png", ".webp", ".avif", ".mp4", ".html", ".svg", ".js")):
                    with open(os.path.join(base, name), "rb") as file:
                        write(folder, "thumbnailSet", f"{profile}-{name}", file.read()[:65536])
    subprocess.run(["rm", "-rf", work], check=True)


main()
