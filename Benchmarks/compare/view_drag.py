#!/usr/bin/env python3
"""How soon the right frame is painted on the viewer's page while a pointer drags at 60 Hz, in Chromium.

    SCRUB_BROWSER_PROGRAM=Benchmarks/compare/view_drag.py bash Tests/Programs/Browser/browser-tests.sh [--rounds 5] [--ways warm,kept,cold,again]

The film is 1080p H.264 with groups of 250, and each frame carries its number as a bar code. A drag goes forward over one part of
the timeline, and another one back over the rest, so that no answer is one that the server has encoded before. Moves are events of the browser's own input, sent by the clock. After each of its animation frames is painted,
the page reads the bar code out of the picture's canvas. From a move's time stamp to the first paint of its frame is its time;
`nearer` is the same for its frame or one of a later move. A move counts when it asks for another frame than the move before.
`wait` is the part of it before the page seeks, `answer` the time of the page's requests. Of the server it says the moves that it
answered in time (`rightShown`), and its processor time: two cores are shared by it, the browser and this program.

Each round has a server and a page of its own. `warm`: the server has made the film's previews in memory. `kept`: `scrub previews`
has made them on the disk. `cold`: there are none. `again` is warm, all rounds with one server and page. Memory is read at rest, after the page's garbage is collected: the server's own bytes, and the share of
all renderers of the browser. Ends with 1 when a warm or kept drag does not show what it must: 95 % of the moves painted within
33 ms, both ways; or when `again` has a tenth more memory after the last round than after the second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Programs/Browser"))

import page as viewer_page  # noqa: E402
import truth  # noqa: E402
from playwright.async_api import async_playwright  # noqa: E402
from server import SCRUB, Server  # noqa: E402
from world import CHROMIUM  # noqa: E402

FRAMES, GROUP, RATE, LIMIT = 1200, 250, 60, 33

# The bar code is the uppermost seventh of the picture: two rows of twelve cells, the second one the inverse.
WATCH = """
(() => {
  const small = new OffscreenCanvas(36, 6).getContext('2d', {willReadFrequently: true});
  const read = () => {
    const [pane] = window.__panes();
    if (!pane?.box) return null;
    small.drawImage(pane.canvas, pane.box.x, pane.box.y, pane.box.width, pane.box.height / 7, 0, 0, 36, 6);
    const at = small.getImageData(0, 0, 36, 6).data;
    let number = 0;
    for (let cell = 0; cell < 12; cell++) {
      const [plain, inverse] = [4 * (36 + 3 * cell + 1), 4 * (36 * 4 + 3 * cell + 1)];
      if (Math.abs(at[plain] - at[inverse]) < 64) return null;
      if (at[plain] > at[inverse]) number |= 1 << cell;
    }
    return number;
  };
  let paints = null, moves = null;
  // A message comes when the animation frame in which it was sent has been painted.
  const painted = new MessageChannel();
  painted.port1.onmessage = () => { if (paints) paints.push([performance.now(), read()]); };
  const look = () => {
    if (!paints) return;
    painted.port2.postMessage(null);
    requestAnimationFrame(look);
  };
  // The page seeks in the animation frame after the move, before this is called.
  addEventListener('pointermove', (event) => {
    if (moves) requestAnimationFrame(() => moves?.push([event.timeStamp, window.scrub.state().wanted, performance.now()]));
  });
  performance.setResourceTimingBufferSize(5000);
  window.__watch = {
    start() {
      [paints, moves] = [[], []];
      performance.clearResourceTimings();
      requestAnimationFrame(look);
    },
    async stop() {
      await new Promise((done) => setTimeout(done, 500));
      const answers = performance.getEntriesByType('resource').filter((one) => one.name.includes('stage=nearest'));
      const found = {paints, moves, answers: answers.map((one) => one.responseEnd - one.startTime)};
      [paints, moves] = [null, null];
      return found;
    },
  };
})();
"""


def descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents.setdefault(int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1]), []).append(int(folder.name))
        except OSError:
            continue
    found, open_ones = [], [pid]
    while open_ones:
        children = parents.get(open_ones.pop(), [])
        found += children
        open_ones += children
    return found


def renderers() -> float:
    """MiB of the renderers of this program's browser, shared pages by their share."""
    total = 0
    for pid in descendants(os.getpid()):
        try:
            if b"--type=renderer" not in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                continue
            lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def processor(pid: int) -> float:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def rest(server: Server, seconds: float = 1.5) -> None:
    """Waits until the server does nothing: its previews are made."""
    quiet, end = 0.0, time.monotonic() + 120
    while quiet < seconds and time.monotonic() < end:
        before = processor(server.process.pid)
        await asyncio.sleep(0.25)
        quiet = quiet + 0.25 if processor(server.process.pid) - before < 0.02 else 0.0


def part(values: list[float], share: float) -> float | None:
    values = sorted(values)
    return round(values[min(len(values) - 1, int(share * len(values)))], 1) if values else None


def spread(values: list[float]) -> dict:
    """Shares of times; nothing where a share was never painted."""
    shares = {"p50": part(values, 0.5), "p95": part(values, 0.95), "max": part(values, 1)}
    return {name: None if value == float("inf") else value for name, value in shares.items()}


def times(found: dict) -> dict:
    """What the moves of one drag came to."""
    paints, moves = found["paints"], [(at, frame) for at, frame, _ in found["moves"]]
    changes = [i for i, (_, frame) in enumerate(moves) if i == 0 or frame != moves[i - 1][1]]
    waits = [sought - at for at, _, sought in found["moves"]]
    own, nearer, never = [], [], 0
    for i in changes:
        when, frame = moves[i]
        mine = next((at for at, code in paints if at >= when and code == frame), None)
        never += mine is None
        own.append(mine - when if mine is not None else float("inf"))
        later: dict[int, float] = {}
        for at, other in moves[i:]:
            later.setdefault(other, at)
        first = next((at for at, code in paints if code in later and at >= later[code]), None)
        nearer.append(first - when if first is not None else float("inf"))
    steps = [b[0] - a[0] for a, b in zip(paints, paints[1:])]
    changed = [a for a, b in zip(paints, [[0, None], *paints]) if a[1] != b[1]]
    gaps = [b[0] - a[0] for a, b in zip(changed, changed[1:])]
    return {
        "moves": len(changes), "paintedWithin33Percent": round(100 * sum(t <= LIMIT for t in own) / max(1, len(own)), 1),
        "neverPainted": never, "ownMs": spread(own), "nearerMs": spread(nearer),
        "waitMs": spread(waits), "answers": len(found["answers"]), "answerMs": spread(found["answers"]),
        "paints": len(paints), "unread": sum(code is None for _, code in paints), "paintEveryMs": part(steps, 0.5),
        "paintEveryMsP95": part(steps, 0.95), "newPictures": len(changed), "gapMs": part(gaps, 1),
    }


async def drag(server: Server, tab, session, box: dict, way: int, moves: int) -> dict:
    """Over four tenths of the timeline, forward in its first half or back in its second, in so many moves."""
    y = box["y"] + box["height"] / 2

    def x(place: float) -> float:
        return box["x"] + (0.05 + 0.4 * place if way > 0 else 0.95 - 0.4 * place) * box["width"]

    await tab.mouse.move(x(0), y)
    await tab.mouse.down()
    await asyncio.sleep(0.5)
    await tab.evaluate("() => window.__watch.start()")
    counts, spent = server.status(), processor(server.process.pid)
    begin, sent = time.monotonic(), []
    for i in range(1, moves + 1):
        await asyncio.sleep(max(0, begin + i / RATE - time.monotonic()))
        # Not waited for: the browser answers when the page has taken it.
        sent.append(asyncio.ensure_future(session.send(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x(i / moves), "y": y, "button": "left", "buttons": 1})))
    await asyncio.gather(*sent)
    found = await tab.evaluate("() => window.__watch.stop()")
    after, spent = server.status(), processor(server.process.pid) - spent
    await tab.mouse.up()
    await tab.evaluate("() => window.scrub.idle()")
    asked = {f"server{name[0].upper()}{name[1:]}": after[name] - counts[name] for name in ("moves", "rightShown")}
    return {**times(found), **asked, "serverProcessorSeconds": round(spent, 2)}


async def opened(browser, server: Server):
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
    tab = await context.new_page()
    for script in (viewer_page.PANES, WATCH):
        await tab.add_init_script(script)
    await tab.goto(server.url + "/")
    await tab.wait_for_function("() => window.scrub && window.scrub.state().frame != null", timeout=30_000)
    await tab.evaluate("() => window.scrub.idle()")
    session = await context.new_cdp_session(tab)
    return context, tab, session, await tab.locator("#timeline").bounding_box()


async def measured(browser, film: pathlib.Path, way: str, options: argparse.Namespace) -> bool:
    """Plays the rounds of a way.

    Returns whether it shows what it must.
    """
    rounds, memory = [], []
    with tempfile.TemporaryDirectory(prefix="view-drag-") as folder:
        environment = {"SCRUB_CACHE_DIR": folder}
        if way == "kept":
            subprocess.run([SCRUB, "previews", str(film), "--json"], check=True, capture_output=True, env={**os.environ, **environment})
        server = context = None
        try:
            for number in range(options.rounds):
                if server is None or way != "again":
                    if server:
                        await context.close()
                        server.stop()
                    server = Server([film], *(["--no-cache"] if way != "kept" else []), environment=environment)
                    context, tab, session, box = await opened(browser, server)
                if way != "cold":
                    await rest(server)
                one = {"round": number}
                for name, direction in (("forward", 1), ("back", -1)):
                    one[name] = await drag(server, tab, session, box, direction, options.moves)
                await rest(server, 0.5)
                await session.send("HeapProfiler.collectGarbage")
                await asyncio.sleep(0.3)
                one["serverMiB"], one["rendererMiB"] = round(server.memory() / (1 << 20), 1), round(renderers(), 1)
                memory.append((one["serverMiB"], one["rendererMiB"]))
                rounds.append(one)
                print(json.dumps({"way": way, **one}), flush=True)
            status = server.status()
        finally:
            if context:
                await context.close()
            if server:
                server.stop()
    worst = {}
    for name in ("forward", "back"):
        values = [one[name]["ownMs"]["p95"] for one in rounds]
        worst[name] = None if None in values else max(values)
    # The first round fills caches that have limits.
    early, last = memory[min(1, len(memory) - 1)], memory[-1]
    flat = all(b <= 1.1 * a for a, b in zip(early, last)) if way == "again" else None
    shows = flat is not False and all(value is not None and value <= LIMIT for value in worst.values())
    print(json.dumps({
        "way": way, "rounds": len(rounds), "worstP95Ms": worst, "serverMiB": [a for a, _ in memory],
        "rendererMiB": [b for _, b in memory], "memoryIsFlat": flat, "showsWhatItMust": shows, "status": status,
    }), flush=True)
    return shows or way == "cold"


async def run(options: argparse.Namespace) -> bool:
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    film = folder / f"bars-{FRAMES}-{GROUP}.mp4"
    if not film.exists():
        truth.make_big_clip(film, frames=FRAMES, group=GROUP)
    shows = True
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
                  "--disable-backgrounding-occluded-windows", "--force-color-profile=srgb", "--disable-gpu"])
        for way in options.ways.split(","):
            shows = await measured(browser, film, way, options) and shows
        await browser.close()
    return shows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--moves", type=int, default=240, help="of each drag, at 60 Hz")
    parser.add_argument("--ways", default="warm,kept,cold,again")
    cache = os.environ.get("COMPARE_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "scrub-compare")
    parser.add_argument("--folder", default=cache, help="where the film is kept")
    sys.exit(0 if asyncio.run(run(parser.parse_args())) else 1)


if __name__ == "__main__":
    main()
