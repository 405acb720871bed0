#!/usr/bin/env python3
"""Makes docs/images/viewer.png, the README's first picture: the viewer in a drag over the demo clip, on a dense screen.

    SCRUB=… SCRUB_VIEW=… VENV/bin/python Scripts/viewer-picture.py [PATH]     (browser-tests.sh makes VENV)
"""

import io
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/Browser"))
sys.dont_write_bytecode = True

from PIL import Image  # noqa: E402

import truth  # noqa: E402
import world  # noqa: E402
from page import ViewerPage  # noqa: E402
from server import Server  # noqa: E402

SIZE, SCALE, FRAME, LIMIT = (1280, 800), 2, 88, 1_000_000


def main(path):
    with world.Worker() as worker, Server([truth.DEMO]) as server:
        case = world.Case(None, size=SIZE, scale=SCALE)
        page = ViewerPage(worker.browser, server, case)
        page.go()
        track, mouse = page.box("timeline"), page.tab.mouse
        y = track["y"] + track["height"] / 2
        # A real drag, from the first third to the frame that costs most; the button stays down.
        mouse.move(track["x"] + 0.3 * track["width"], y)
        mouse.down()
        for step in range(1, 31):
            place = 0.3 + (((FRAME + 0.5) / 210) - 0.3) * step / 30
            mouse.move(track["x"] + place * track["width"], y)
        page.check(frame=FRAME)
        shot = page.tab.screenshot()
        mouse.up()
        page.check(frame=FRAME)
        page.finish()
        page.close()
    picture = truth.decoded(shot)
    # Fewer colours where the file would be too large; the numbers stay as sharp as they are.
    made = io.BytesIO()
    picture.save(made, "PNG", optimize=True)
    for colors in (256, 192, 128):
        if made.tell() <= LIMIT:
            break
        made = io.BytesIO()
        picture.quantize(colors, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG).save(made, "PNG", optimize=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.getvalue())
    print(f"{path}: {picture.width}x{picture.height}, {len(made.getvalue())} bytes")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images/viewer.png")
