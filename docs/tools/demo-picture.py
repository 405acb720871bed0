#!/usr/bin/env python3
"""Makes docs/images/demo.webp, the README's moving picture, with the program: a drag over the demo clip, as `scrub gesture` played it.

demo-picture.py [SCRUB] [OUTPUT]. Needs Pillow. The pictures are the ones that were on screen at each moment, by the events of a real
run; the strip below is the program's own. Look at the result before it is committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[2]
SCRUB = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".build/release/scrub")
OUTPUT = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs/images/demo.webp"
CLIP = ROOT / "testdata/clips/demo.mp4"
WIDTH, FILM, BAR, STRIP, RATE = 640, 360, 34, 45, 20
GROUND, INK, DIM, MARK = (18, 20, 24), (236, 238, 240), (140, 146, 154), (255, 184, 46)


def run(*words: object) -> str:
    return subprocess.run([SCRUB, *map(str, words)], capture_output=True, text=True, check=True).stdout


def font(size: int) -> ImageFont.ImageFont:
    for name in ("DejaVuSansMono.ttf", "LiberationMono-Regular.ttf"):
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = json.loads(run("info", CLIP, "--json"))["frameCount"]
        words = ["gesture", CLIP, "--made", "turning", "--begin", "0.15", "--distance", "620", "--seconds", "5", "--warm"]
        lines = [json.loads(line) for line in run(*words, "--no-cache", "--json", "--events").splitlines()]
        events, total = [line for line in lines[:-1] if line.get("frame") is not None], lines[-1]
        run("seek", CLIP, "first..last", "--width", WIDTH, "-o", folder / "f-%05d.png")
        frames = sorted(folder.glob("f-*.png"))
        assert len(frames) == count, f"{len(frames)} pictures of {count} frames"
        run("strip", CLIP, "--count", "8", "--width", WIDTH // 8, "--columns", "8", "--output", folder / "strip", "--format", "png")
        strip = Image.open(next((folder / "strip").glob("*.png"))).convert("RGB").resize((WIDTH, STRIP))

        large, small, pictures, shown = font(16), font(13), [], None
        end = events[-1]["ms"]
        for tick in range(int(end * RATE / 1000) + RATE):
            now = tick * 1000 / RATE
            event = next((e for e in reversed(events) if e["ms"] <= now), events[0])
            shown = event["frame"]
            picture = Image.new("RGB", (WIDTH, FILM + BAR + STRIP + 8), GROUND)
            picture.paste(Image.open(frames[shown]).convert("RGB"), (0, 0))
            picture.paste(strip, (0, FILM + BAR))
            draw = ImageDraw.Draw(picture)
            right = event.get("requested", shown) == shown
            draw.text((10, FILM + 8), f"asked f{event.get('requested', shown)}", INK, large)
            draw.text((150, FILM + 8), f"on screen f{shown}", INK if right else MARK, large)
            draw.text((WIDTH - 10, FILM + 10), f"right in time: {total['rightShown']} of {total['moves']} moves", DIM, small, anchor="ra")
            x = round(shown / max(1, count - 1) * (WIDTH - 1))
            draw.rectangle((x - 1, FILM + BAR - 3, x + 1, FILM + BAR + STRIP + 3), MARK)
            pictures.append(picture)
        pictures[0].save(OUTPUT, save_all=True, append_images=pictures[1:], duration=1000 // RATE, loop=0, quality=55, method=6)
        print(f"{OUTPUT}: {len(pictures)} pictures, {OUTPUT.stat().st_size:,} bytes; {total['rightShown']} of {total['moves']} moves right in time")


if __name__ == "__main__":
    main()
