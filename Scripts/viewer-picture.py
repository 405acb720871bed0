#!/usr/bin/env python3
"""Makes docs/images/viewer.png, the README's first picture: the viewer in a drag over the demo clip, on a dense screen.

    SCRUB=… SCRUB_VIEW=… VENV/bin/python Scripts/viewer-picture.py [PATH]     (browser-tests.sh makes VENV)
"""

import io
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/Programs/Browser"))
sys.dont_write_bytecode = True

import truth  # noqa: E402
import world  # noqa: E402
from page import ViewerPage  # noqa: E402
from server import Server  # noqa: E402

SIZE, SCALE, FRAME, LIMIT = (1280, 800), 2, 88, 700_000


def main(path):
    with world.Worker() as worker, Server([truth.DEMO]) as server:
        case = world.Case(None, size=SIZE, scale=SCALE)
        page = ViewerPage(worker.browser, server, case)
        page.go()
        # The strip whole, as it is a moment after opening.
        page.until_true("async () => (await (await fetch(`api/media/${window.scrub.state().medium}/strip.json`)).json()).state == 'ready'")
        page.tab.wait_for_timeout(2_500)
        track, mouse = page.box("timeline"), page.tab.mouse
        y = track["y"] + track["height"] / 2
        # A real drag, straight to the frame that costs most; the button stays down.
        mouse.move(track["x"] + 0.1 * track["width"], y)
        mouse.down()
        mouse.move(track["x"] + (FRAME + 0.5) / 210 * track["width"], y)
        page.check(frame=FRAME)
        shot = page.tab.screenshot()
        mouse.up()
        page.check(frame=FRAME)
        page.finish()
        page.close()
    picture = truth.decoded(shot)
    # Steps of a colour that no one sees, as coarse as the size asks for: what is smooth then packs well.
    for step in (1, 2, 3, 4, 6, 8):
        made = io.BytesIO()
        picture.point(lambda value: min(255, (value + step // 2) // step * step)).save(made, "PNG", optimize=True)
        if made.tell() <= LIMIT:
            break
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.getvalue())
    print(f"{path}: {picture.width}x{picture.height}, {len(made.getvalue())} bytes")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images/viewer.png")
