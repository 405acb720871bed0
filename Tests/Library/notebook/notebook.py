#!/usr/bin/env python3
"""Drags the slider of a notebook in a browser: notebook.py VOILA FOLDER, in which are drag.ipynb and film.mp4.

The film's frames have their numbers as bar codes. While the slider moves, pictures come, and each one in the page is the one
that the page's label names. When it rests, the picture is the frame under it, exact. The page at the end is FOLDER/screen.png.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FRAMES = 600
# The page's picture as a number, and its label: the bar code is the uppermost seventh of the picture.
LOOK = """async () => {
  const image = document.querySelector('img.widget-image, .widget-image img, img.jupyter-widgets');
  const label = [...document.querySelectorAll('.widget-label, .jupyter-widget-label')].map(e => e.textContent).find(t => /^frame/.test(t));
  if (!image || !label) return null;
  await image.decode();
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight), context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  let number = 0;
  for (let cell = 0; cell < 12; cell++) {
    const light = [0, 1].map(row => context.getImageData(
      Math.floor((2 * cell + 1) * canvas.width / 24), Math.floor((2 * row + 1) * canvas.height / 28), 1, 1).data[1]);
    if (Math.abs(light[0] - light[1]) < 64) return null;
    if (light[0] > light[1]) number |= 1 << cell;
  }
  return [number, label];
}"""


def look(page: Page) -> tuple[int, str] | None:
    try:
        found = page.evaluate(LOOK)
    except Exception:  # the picture changed while it was decoded
        return None
    return (found[0], found[1]) if found else None


def rested(page: Page, frame: int | None) -> int:
    """Waits for the exact picture of a frame, or of any."""
    for _ in range(600):
        seen = look(page)
        if seen:
            number, label = seen
            if label == f"frame {number} of {FRAMES}, exact" and frame in (None, number):
                return number
        page.wait_for_timeout(50)
    sys.exit(f"notebook: no exact picture of frame {frame}: {look(page)}")


def main() -> None:
    voila, folder = sys.argv[1], Path(sys.argv[2])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [voila, "drag.ipynb", "--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1"], cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        address = next((m[0] for line in server.stderr if (m := re.search(r"http://(127\.0\.0\.1|localhost):\d+/\S*", line))), None)
        if address is None:
            sys.exit(f"notebook: voila did not start: {server.wait()}")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 900, "height": 700})
            page.goto(address, timeout=120_000)
            page.wait_for_selector(".noUi-handle", timeout=120_000)
            assert rested(page, 0) == 0
            base = page.locator(".noUi-base").bounding_box()
            handle = page.locator(".noUi-handle").bounding_box()
            assert base and handle
            y = handle["y"] + handle["height"] / 2
            page.mouse.move(handle["x"] + handle["width"] / 2, y)
            page.mouse.down()
            seen: set[int] = set()
            for step in range(1, 61):
                page.mouse.move(base["x"] + base["width"] * step / 75, y)
                page.wait_for_timeout(30)
                if found := look(page):
                    seen.add(found[0])
            page.mouse.up()
            last = rested(page, None)
            wanted = round((FRAMES - 1) * 60 / 75)
            print(f"notebook: {len(seen)} different pictures in 60 moves; at rest frame {last} of {wanted} under the handle")
            page.screenshot(path=folder / "screen.png")
            if len(seen) < 15 or abs(last - wanted) > 8:
                sys.exit("notebook: the picture does not follow the slider")
            browser.close()
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
