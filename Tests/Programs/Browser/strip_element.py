"""Tests <scrub-strip> in Chromium: from WebVTT and JSON, whole and damaged, by mouse, touch and keys, from a file, under a strict policy.

    python3 Tests/Programs/Browser/strip_element.py PROGRAM CLIP [FOLDER FOR PICTURES]

PROGRAM is scrub; CLIP is testdata/clips/demo.mp4, whose frames carry their numbers as bar codes. Needs Playwright for Python and
Debian's chromium. Ends with 1 when something is not as it should be.
"""
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from playwright.sync_api import sync_playwright

PROGRAM, CLIP = sys.argv[1], sys.argv[2]
SHOTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
ROOT = pathlib.Path(__file__).resolve().parents[3]
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; media-src 'self'; "
          "base-uri 'none'; form-action 'none'")

# What was asked for, in order, and what is held back: path -> event.
asked, held, lock = [], {}, threading.Lock()


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        with lock:
            asked.append(self.path)
            gate = held.get(path)
        if gate:
            gate.wait(30)
        found = re.match(r"bytes=(\d+)-(\d*)$", self.headers.get("Range") or "")
        if not found or not path.endswith(".mp4"):
            return super().do_GET()
        # Without ranges browsers cannot seek in a video.
        content = pathlib.Path(self.translate_path(self.path)).read_bytes()
        first, last = int(found[1]), min(int(found[2] or len(content) - 1), len(content) - 1)
        self.send_response(206)
        self.send_header("Content-Type", "video/mp4")
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        try:
            self.wfile.write(content[first:last + 1])
        except OSError:
            pass

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store" if "sheet" not in self.path else "max-age=60")
        super().end_headers()

    def log_message(self, *_):
        pass


def page_html(body):
    return ('<!doctype html><html lang="en"><meta charset="utf-8"><title>strip</title><link rel="icon" href="icon.svg">'
            '<link rel="stylesheet" href="page.css"><script src="page.js" defer></script>'
            # After what listens: a set may be read before the next script is there.
            '<script src="scrub-strip.js" defer></script><main><h1>Strips</h1>' + body + "</main></html>")


class Check:
    def __init__(self, browser, root, address):
        self.browser, self.root, self.address, self.serial = browser, root, address, 0

    def open(self, body, touch=False, expect_messages=(), **options):
        """A page with these elements; its console has to stay empty but for what is expected."""
        self.serial += 1
        name = f"page-{self.serial}.html"
        (self.root / name).write_text(page_html(body), encoding="utf-8")
        context = self.browser.new_context(viewport={"width": 800, "height": 600}, has_touch=touch, **options)
        page = context.new_page()
        page.messages = []
        page.on("console", lambda m: page.messages.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: page.messages.append(str(e)))
        page.goto(self.address + name)
        wait(page, "window.ready")
        self.expected = expect_messages
        return page

    def close(self, page):
        # The last is what this test itself does.
        bad = [m for m in page.messages if not any(e in m for e in (*self.expected, "willReadFrequently"))]
        assert not bad, bad
        page.context.close()


# In the page: the frame's number from the bar code of what a strip shows, and what it says.
HELPERS = """
window.part = (strip, name) => strip.shadowRoot.getElementById(name);
// Twelve bits of Gray code, or whatever the clip has: compared with the same code of the thumbnails' own sheet, not read.
window.look = (strip = document.querySelector('scrub-strip')) => {
  const picture = part(strip, 'picture'), preview = part(strip, 'preview');
  const isShown = !preview.hidden && !picture.hidden;
  return {shown: isShown, late: picture.classList.contains('late'), time: preview.hidden ? null : part(strip, 'time').textContent,
    width: picture.width, height: picture.height, value: strip.value, text: part(strip, 'range').getAttribute('aria-valuetext'),
    pixels: isShown ? [...picture.getContext('2d').getImageData(0, 0, picture.width, picture.height).data].reduce((h, v) => (h * 31 + v) >>> 0, 7) : null};
};
window.expected = async (url, x, y, w, h) => {
  const image = new Image(); image.src = url; await image.decode();
  const canvas = document.createElement('canvas'); canvas.width = w ?? image.naturalWidth; canvas.height = h ?? image.naturalHeight;
  canvas.getContext('2d').drawImage(image, x ?? 0, y ?? 0, canvas.width, canvas.height, 0, 0, canvas.width, canvas.height);
  return [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].reduce((a, v) => (a * 31 + v) >>> 0, 7);
};
window.events = [];
for (const name of ['input', 'change']) document.addEventListener(name, e => events.push([name, e.target.value]));
document.addEventListener('load', e => e.target.localName === 'scrub-strip' && events.push(['load', e.detail]), true);
document.addEventListener('error', e => e.target.localName === 'scrub-strip' && events.push(['error', e.detail.message]), true);
window.ready = true;
"""


def wait(page, condition, arg=None, timeout=10000):
    """As Playwright's own, which evaluates a text in the page, and the policy forbids that."""
    end = time.monotonic() + timeout / 1000
    function = condition if "=>" in condition.split("(")[0] or re.match(r"^\w+ =>", condition) else f"() => ({condition})"
    while not page.evaluate(function, arg):
        assert time.monotonic() < end, f"never: {condition} {page.evaluate('[...document.querySelectorAll(`scrub-strip`)].map(s => look(s))')}"
        time.sleep(0.02)


def settle(page):
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def hover(page, fraction, selector="scrub-strip"):
    box = page.locator(selector).first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * fraction, box["y"] + box["height"] / 2)
    wait(page, f"!part(document.querySelector('{selector}'), 'preview').hidden")
    settle(page)


def shown(page, want, selector="scrub-strip"):
    """Waits until the strip shows those pixels of a sheet: url, x, y, width, height."""
    number = page.evaluate("a => expected(...a)", want)
    wait(page, f"n => look(document.querySelector('{selector}')).pixels === n && !look(document.querySelector('{selector}')).late", arg=number, timeout=5000)


def loaded(page, count=1):
    wait(page, f"events.filter(e => e[0] === 'load' || e[0] === 'error').length >= {count}")
    return page.evaluate("events.find(e => e[0] === 'load' || e[0] === 'error')")


def tile(board, number):
    one = board["thumbnails"][number]
    return [one["sheet"], one["x"], one["y"], one["width"], one["height"]]


# MARK: The tests

def hovers_everywhere(check, board):
    """Every thumbnail of the set comes where its time is, from every index format."""
    for source in ("thumbnails.vtt", "thumbnails.json", "manifest.json", "storyboard.json"):
        page = check.open(f'<scrub-strip src="{source}"></scrub-strip>')
        name, detail = loaded(page)
        # Mux's form knows one sheet.
        count = board["columns"] * board["rows"] if source == "storyboard.json" else len(board["thumbnails"])
        assert name == "load" and detail == {"count": count, "skipped": 0}, (source, name, detail)
        assert abs(page.evaluate("document.querySelector('scrub-strip').duration") - board["duration"]) < 0.002
        for number in range(0, count, 3):
            one = board["thumbnails"][number]
            hover(page, (one["start"] + 0.05) / board["duration"])
            shown(page, tile(board, number))
        hover(page, 0)
        shown(page, tile(board, 0))
        page.mouse.move(799, 20)
        settle(page)
        assert page.evaluate("look().time") is None, "a preview stays behind"
        check.close(page)


def preview_stays_inside(check, board):
    page = check.open('<scrub-strip src="thumbnails.vtt"></scrub-strip>')
    loaded(page)
    for place in (0.001, 0.5, 0.999):
        hover(page, place)
        box = page.evaluate("(({left, right, top}) => [left, right, top])(part(document.querySelector('scrub-strip'), 'preview').getBoundingClientRect())")
        strip = page.locator("scrub-strip").bounding_box()
        assert box[0] >= strip["x"] - 1 and box[1] <= strip["x"] + strip["width"] + 1, (place, box, strip)
        assert box[2] >= 0, "above the window: it goes below where there is no room"
    check.close(page)


def keyboard(check, board):
    page = check.open('<scrub-strip src="thumbnails.vtt" label="Film"></scrub-strip>')
    loaded(page)
    slider = page.get_by_role("slider", name="Film")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.localName") == "scrub-strip"
    starts = [one["start"] for one in board["thumbnails"]]
    for number in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        assert abs(page.evaluate("document.querySelector('scrub-strip').value") - starts[number]) < 1e-5
    settle(page)
    shown(page, tile(board, 3))
    page.keyboard.press("ArrowLeft")
    assert abs(page.evaluate("document.querySelector('scrub-strip').value") - starts[2]) < 1e-5
    page.keyboard.press("End")
    assert page.evaluate("document.querySelector('scrub-strip').value") == board["duration"]
    settle(page)
    shown(page, tile(board, len(starts) - 1))
    page.keyboard.press("PageDown")
    page.keyboard.press("Home")
    assert page.evaluate("document.querySelector('scrub-strip').value") == 0
    page.keyboard.press("Shift+ArrowRight")
    assert abs(page.evaluate("document.querySelector('scrub-strip').value") - starts[10]) < 1e-5
    names = [e[0] for e in page.evaluate("events") if e[0] != "load"]
    assert names == ["input", "change"] * 8, names
    page.wait_for_timeout(600)
    text = slider.get_attribute("aria-valuetext")
    assert text == f"{starts[10]:g} seconds of {board['duration']:g} seconds", text
    check.close(page)
    page = check.open('<scrub-strip src="thumbnails.vtt" step="0.5"></scrub-strip>')
    loaded(page)
    page.keyboard.press("Tab")
    for key in ("ArrowUp", "ArrowRight", "ArrowDown", "Shift+ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("document.querySelector('scrub-strip').value") == 1.5
    check.close(page)


def drags(check, board):
    """Press seeks at once, the drag goes on outside, Escape takes it back; a screen reader's own step counts too."""
    page = check.open('<scrub-strip src="thumbnails.vtt"></scrub-strip>')
    loaded(page)
    box = page.locator("scrub-strip").bounding_box()
    value = "document.querySelector('scrub-strip').value"
    y = box["y"] + 10
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    assert abs(page.evaluate(value) - board["duration"] / 2) < 0.02
    page.mouse.move(box["x"] + box["width"] * 0.75, y + 300, steps=4)
    assert abs(page.evaluate(value) - board["duration"] * 0.75) < 0.02
    page.mouse.move(box["x"] + box["width"] + 500, y)
    assert page.evaluate(value) == board["duration"]
    page.mouse.up()
    names = [e[0] for e in page.evaluate("events")]
    assert names[-1] == "change" and names.count("change") == 1 and names.count("input") >= 4, names
    page.mouse.move(box["x"] + 100, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, y)
    page.keyboard.press("Escape")
    assert page.evaluate(value) == board["duration"]
    page.mouse.move(box["x"] + 300, y)
    page.mouse.up()
    assert page.evaluate(value) == board["duration"]
    # What a gesture of a screen reader does to a range.
    page.evaluate("() => { const range = part(document.querySelector('scrub-strip'), 'range'); range.value = 2; range.dispatchEvent(new Event('input', {bubbles: true, composed: true})); }")
    assert page.evaluate(value) == 2 and page.evaluate("events.at(-1)")[0] == "change"
    # Right button and a disabled strip do nothing.
    page.mouse.click(box["x"] + 5, y, button="right")
    page.evaluate("document.querySelector('scrub-strip').disabled = true")
    page.mouse.click(box["x"] + 5, y)
    assert page.evaluate(value) == 2
    check.close(page)


def touches(check, board):
    page = check.open('<scrub-strip src="thumbnails.vtt"></scrub-strip>', touch=True)
    loaded(page)
    box = page.locator("scrub-strip").bounding_box()
    client = page.context.new_cdp_session(page)

    def touch(kind, x=None, y=None):
        points = [] if x is None else [{"x": x, "y": y}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    y = box["y"] + 10
    touch("touchStart", box["x"] + 10, y)
    for step in range(1, 11):
        touch("touchMove", box["x"] + 10 + step * 50, y)
    settle(page)
    assert page.evaluate("look().time") is not None
    touch("touchEnd")
    settle(page)
    value = page.evaluate("document.querySelector('scrub-strip').value")
    assert abs(value - 510 / box["width"] * board["duration"]) < 0.1, value
    assert page.evaluate("look().time") is None, "a preview sticks after a touch"
    # The system takes the touch away: as if nothing had been.
    touch("touchStart", box["x"] + 100, y)
    touch("touchMove", box["x"] + 200, y)
    touch("touchCancel")
    settle(page)
    assert page.evaluate("document.querySelector('scrub-strip').value") == value
    check.close(page)


def never_an_old_picture(check, board):
    """While a sheet loads the picture before stays, pale, and a picture that is shown is always of the time that is written."""
    second = next(i for i, one in enumerate(board["thumbnails"]) if one["sheet"] != board["thumbnails"][0]["sheet"])
    gate = threading.Event()
    with lock:
        held["/" + board["thumbnails"][second]["sheet"]] = gate
    page = check.open('<scrub-strip src="thumbnails.vtt?slow"></scrub-strip>')
    loaded(page)
    hover(page, 0.1)
    # Until its sheet is there the first picture is empty, and not late: none is before it.
    shown(page, tile(board, max(i for i, one in enumerate(board["thumbnails"]) if one["start"] <= 0.1 * board["duration"])))
    first = page.evaluate("look().pixels")
    hover(page, (board["thumbnails"][second]["start"] + 0.1) / board["duration"])
    wait(page, "look().late")
    assert page.evaluate("look().pixels") == first
    # Back, while it still loads.
    hover(page, 0.1)
    wait(page, "!look().late")
    hover(page, (board["thumbnails"][second]["start"] + 0.1) / board["duration"])
    gate.set()
    with lock:
        held.clear()
    shown(page, tile(board, second))
    with lock:
        count = sum(1 for path in asked if path.startswith("/" + board["thumbnails"][second]["sheet"]))
    check.close(page)
    return count


def many_sheets(check, board):
    """A fast pointer over a set of single pictures asks for few of them, and one at a time; the cache is bounded."""
    with lock:
        asked.clear()
    page = check.open('<scrub-strip src="many.vtt"></scrub-strip>')
    loaded(page)
    with lock:
        assert not [path for path in asked if path.startswith("/one-")], "pictures were asked for before anybody pointed"
    gate = threading.Event()
    with lock:
        held.update({f"/one-{number}.jpg": gate for number in range(60)})
    box = page.locator("scrub-strip").bounding_box()
    for x in range(0, int(box["width"]), 6):
        page.mouse.move(box["x"] + x, box["y"] + 10)
    settle(page)
    wanted = [path for path in list(asked) if path.startswith("/one-")]
    assert len(wanted) == 1, f"while one is on its way others are asked for: {wanted}"
    with lock:
        held.clear()
    gate.set()
    shown(page, ["one-59.jpg"])
    wanted = [path for path in list(asked) if path.startswith("/one-")]
    assert len(wanted) <= 3 and wanted[-1] == "/one-59.jpg", wanted
    hover(page, 0.5 + 0.5 / 60)
    shown(page, ["one-30.jpg"])
    check.close(page)
    return len(wanted)


def damaged(check, board):
    """What can be read is used; what cannot leaves a line that works."""
    def vtt(name, text, **kind):
        (check.root / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    whole = (check.root / "thumbnails.vtt").read_text()
    vtt("bom.vtt", b"\xef\xbb\xbf" + whole.replace("\n", "\r\n").encode())
    vtt("mac.vtt", whole.replace("\n", "\r"))
    vtt("half.vtt", whole[: len(whole) // 2])
    vtt("short.vtt", whole.replace("00:00:0", "0:0").replace("0:00:0", "00:0"))
    lines = whole.split("\n")
    payload = next(i for i, line in enumerate(lines) if "-->" in line) + 1
    vtt("holes.vtt", "\n".join(lines[:payload] + ["garbage --> nothing", "x"] + lines[payload:]).replace("#xywh=320,0,320,180", "#xywh=320,0,3", 1))
    vtt("notes.vtt", whole.replace("WEBVTT\n", "WEBVTT some title\nKind: metadata\n\nNOTE a word\nof two lines\n\nSTYLE\n::cue{}\n\n", 1)
        .replace("\n00:00:01.000 --> ", "\ncue 7\n00:00:01.000 --> ").replace("01.250\n", "01.250 align:start position:0%\n"))
    vtt("html.vtt", "<html><p>Not found</p></html>")
    vtt("empty.vtt", "")
    vtt("bad.json", '{"thumbnails": [1, null, "x", {"start": -1}, {"start": 0, "sheet": "", "x": 0}], "duration": "long"}')
    vtt("cut.json", '[{"url": "sheet-000.jpg", "startT')
    vtt("number.json", "[7, {}]")
    count = len(board["thumbnails"])
    for name, found in (("bom.vtt", count), ("mac.vtt", count), ("notes.vtt", count), ("holes.vtt", count - 2)):
        page = check.open(f'<scrub-strip src="{name}"></scrub-strip>')
        event, detail = loaded(page)
        assert event == "load" and detail["count"] == found, (name, event, detail)
        hover(page, (board["thumbnails"][5]["start"] + 0.05) / board["duration"])
        shown(page, tile(board, 5))
        check.close(page)
    page = check.open('<scrub-strip src="half.vtt"></scrub-strip>')
    event, detail = loaded(page)
    assert event == "load" and 10 <= detail["count"] <= 16, detail
    check.close(page)
    for name in ("html.vtt", "empty.vtt", "bad.json", "cut.json", "number.json", "none.vtt"):
        page = check.open(f'<scrub-strip src="{name}" duration="10"></scrub-strip>', expect_messages=("404",))
        event, detail = loaded(page)
        assert event == "error" and name in detail, (name, event, detail)
        hover(page, 0.5)
        look = page.evaluate("look()")
        assert look["time"] in ("0:05.00", "0:05.0") and not look["shown"], (name, look)
        check.close(page)
    # A sheet that is missing, and one that is not a picture: no picture of another time.
    vtt("lost.vtt", whole.replace("sheet-001", "sheet-404"))
    page = check.open('<scrub-strip src="lost.vtt"></scrub-strip>', expect_messages=("404",))
    loaded(page)
    hover(page, 0.1)
    wait(page, "look().shown")
    hover(page, 0.99)
    wait(page, "!look().shown")
    hover(page, 0.1)
    wait(page, "look().shown && !look().late")
    check.close(page)


def addresses_and_regions(check, board):
    """Relative to the file, absolute, root-relative; pixels, percent, none, outside; with commas and other fragments."""
    (check.root / "deep").mkdir(exist_ok=True)
    cues = ["../sheet-000.jpg#xywh=pixel:320,0,320,180", check.address + "sheet-000.jpg#xywh=percent:20,0,20,20",
            "/sheet-000.jpg#t=1&xywh=320,0,320,180", "../one-3.jpg", "../sheet-000.jpg#xywh=99999,0,320,180",
            "../one%2D4.jpg"]
    text = "WEBVTT\n" + "".join(f"\n00:{i:02d},000 --> 00:{i + 1:02d},000\n{cue}\n" for i, cue in enumerate(cues))
    (check.root / "deep/odd.vtt").write_text(text)
    page = check.open('<scrub-strip src="deep/odd.vtt"></scrub-strip>')
    event, detail = loaded(page)
    assert detail == {"count": len(cues), "skipped": 0}, detail
    for number in (0, 1, 2):
        hover(page, (number + 0.5) / len(cues))
        shown(page, ["sheet-000.jpg", 320, 0, 320, 180])
    hover(page, 3.5 / len(cues))
    shown(page, ["one-3.jpg"])
    hover(page, 4.5 / len(cues))
    wait(page, "!look().shown")
    hover(page, 5.5 / len(cues))
    shown(page, ["one-4.jpg"])
    check.close(page)


def several(check, board):
    page = check.open('<div>' + '<scrub-strip src="thumbnails.vtt"></scrub-strip>' * 3
                      + '<scrub-strip class="own" preload="none" src="many.vtt"></scrub-strip></div>')
    loaded(page, 3)
    assert page.evaluate("document.querySelector('.own').duration") == 0, "preload=none waits"
    page.evaluate("document.querySelectorAll('scrub-strip')[1].className = 'second'")
    hover(page, 0.5, ".second")
    assert page.evaluate("[...document.querySelectorAll('scrub-strip')].map(s => look(s).time !== null)") == [False, True, False, False]
    box = page.locator(".own").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    loaded(page, 4)
    assert page.evaluate("document.querySelector('.own').duration") == 60
    # Taken out and put back, and a set of one's own.
    page.evaluate("() => { const s = document.querySelector('.own'); s.remove(); s.removeAttribute('preload'); document.querySelector('div').append(s); }")
    hover(page, 0.25, ".own")
    shown(page, ["one-15.jpg"], ".own")
    page.evaluate("document.querySelector('.own').thumbnails = [{start: 0, url: 'one-1.jpg'}, {start: 5, end: 10, url: 'sheet-000.jpg', x: 320, y: 0, width: 320, height: 180}]")
    assert page.evaluate("document.querySelector('.own').duration") == 10
    hover(page, 0.75, ".own")
    shown(page, ["sheet-000.jpg", 320, 0, 320, 180], ".own")
    again = page.evaluate("(() => { const s = document.querySelector('.own'); s.thumbnails = s.thumbnails; return s.thumbnails; })()")
    assert len(again) == 2 and again[1]["start"] == 5, again
    check.close(page)


def video(check, board):
    """With a <video>: seeks in it, pauses while it is dragged, follows it."""
    page = check.open('<scrub-strip for="film" src="thumbnails.vtt"></scrub-strip><video id="film" muted width="320" src="film.mp4"></video>')
    loaded(page)
    if not page.evaluate("document.createElement('video').canPlayType('video/mp4; codecs=\"avc1.64001e\"')"):
        check.close(page)
        return "this browser plays no MP4"
    wait(page, "film.readyState > 1")
    box = page.locator("scrub-strip").bounding_box()
    page.evaluate("film.play()")
    wait(page, "film.currentTime > 0.2 && document.querySelector('scrub-strip').value > 0.1")
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10, steps=10)
    assert page.evaluate("film.paused")
    wait(page, "!film.seeking")
    page.mouse.up()
    wait(page, "!film.paused")
    assert abs(page.evaluate("film.currentTime") - board["duration"] / 2) < 0.5
    page.evaluate("film.pause()")
    page.keyboard.press("Home")
    wait(page, "!film.seeking && film.currentTime === 0")
    # A video that is in the page later.
    page.evaluate("() => { document.querySelector('scrub-strip').setAttribute('for', 'later'); const v = document.createElement('video'); v.id = 'later'; v.src = 'film.mp4'; v.muted = true; v.preload = 'auto'; document.querySelector('main').append(v); return new Promise(done => v.onloadeddata = done); }")
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + 10)
    wait(page, f"Math.abs(later.currentTime - {board['duration']} / 4) < 0.1")
    check.close(page)


def from_a_file(check, board):
    """The set's own page, opened as a file and by HTTP: nothing in the console, and the pictures are there."""
    for address in ("file://" + str(check.root / "index.html"), None):
        # The page has its styles inside, which this server's policy forbids: read by HTTP from one without.
        context = check.browser.new_context(viewport={"width": 1200, "height": 900}, bypass_csp=True)
        page = context.new_page()
        messages = []
        page.on("console", lambda m: messages.append(m.text))
        page.on("pageerror", lambda e: messages.append(str(e)))
        page.goto(address or check.address + "index.html")
        page.evaluate(HELPERS)
        wait(page, "!part(document.querySelector('scrub-strip'), 'picture').hidden")
        text = page.evaluate("part(document.querySelector('scrub-strip'), 'time').textContent")
        assert text.startswith("0:0"), text
        hover(page, 0.3)
        frames = page.evaluate("document.querySelector('scrub-strip').thumbnails.map(t => t.frame)")
        assert frames == [one["frame"] for one in board["thumbnails"]], frames
        assert not messages, messages
        if SHOTS and address:
            page.screenshot(path=str(SHOTS / "strip-page.png"))
        context.close()
    # Data inside of the element needs no request either.
    inside = (check.root / "thumbnails.vtt").read_text()
    (check.root / "inside.html").write_text(
        '<!doctype html><meta charset="utf-8"><title>inside</title><link rel="icon" href="data:,"><script src="scrub-strip.js"></script>'
        f'<body><scrub-strip><script type="text/vtt">\n{inside}</script></scrub-strip>')
    context = check.browser.new_context()
    page = context.new_page()
    page.goto("file://" + str(check.root / "inside.html"))
    page.evaluate(HELPERS)
    wait(page, "document.querySelector('scrub-strip').duration > 1")
    hover(page, 0.5)
    wait(page, "part(document.querySelector('scrub-strip'), 'picture').width === 320")
    context.close()


def looks(check, board):
    """Pictures to look at, and the filmstrip."""
    if not SHOTS:
        return
    for scheme in ("light", "dark"):
        page = check.open('<scrub-strip src="thumbnails.vtt" filmstrip value="3"></scrub-strip><p>Text</p><scrub-strip src="thumbnails.vtt" value="2"></scrub-strip>'
                          '<p>Text</p><scrub-strip duration="100" value="20"></scrub-strip>', color_scheme=scheme)
        loaded(page, 2)
        wait(page, "!part(document.querySelector('scrub-strip'), 'film').hidden")
        hover(page, 0.7)
        wait(page, "look().shown")
        page.screenshot(path=str(SHOTS / f"strip-{scheme}.png"))
        page.mouse.move(1, 1)
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        wait(page, "look().shown")
        page.screenshot(path=str(SHOTS / f"strip-keys-{scheme}.png"))
        check.close(page)


def accessible(check, board):
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        return "without axe"
    page = check.open('<scrub-strip src="thumbnails.vtt" label="Film"></scrub-strip>')
    loaded(page)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    settle(page)
    violations = Axe().run(page).response["violations"]
    assert not violations, [(v["id"], [n["html"] for n in v["nodes"]]) for v in violations]
    assert not page.evaluate("document.getAnimations().length")
    check.close(page)


TESTS = [hovers_everywhere, preview_stays_inside, keyboard, drags, touches, never_an_old_picture, many_sheets, damaged,
         addresses_and_regions, several, video, from_a_file, looks, accessible]


def main():
    root = pathlib.Path(tempfile.mkdtemp())
    failures = 0
    try:
        subprocess.run([PROGRAM, "thumbs", CLIP, "--no-cache", "--profile", "web", "--every", "0.25", "--tolerance", "exact",
                        "--base-url", "./", "--output", str(root)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        web = root / "web"
        board = json.loads((web / "manifest.json").read_text())
        shutil.copy(ROOT / "Sources/Thumbnails/ScrubStripElement/scrub-strip.js", web)
        shutil.copy(CLIP, web / "film.mp4")
        # Sixty pictures, each of its own colour.
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=black:s=96x54:r=1,format=rgb24,geq=r='4*N':g=64:b=128", "-frames:v", "60",
                        "-start_number", "0", str(web / "one-%d.jpg")], check=True)
        (web / "many.vtt").write_text("WEBVTT\n" + "".join(
            f"\n00:00:{i:02d}.000 --> 00:{(i + 1) // 60:02d}:{(i + 1) % 60:02d}.000\none-{i}.jpg\n" for i in range(60)))
        (web / "page.js").write_text(HELPERS)
        (web / "page.css").write_text(":root{color-scheme:light dark}body{font:14px system-ui,sans-serif;margin:20px}"
                                      "scrub-strip{margin:16px 0}p{margin:200px 0 0}p+scrub-strip{margin-top:16px}")
        (web / "icon.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
        http.server.ThreadingHTTPServer.handle_error = lambda *_: None
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(web)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        if SHOTS:
            SHOTS.mkdir(parents=True, exist_ok=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
            check = Check(browser, web, f"http://127.0.0.1:{server.server_port}/")
            first = [t for t in board["thumbnails"] if t["sheet"] == board["thumbnails"][0]["sheet"]]
            (web / "storyboard.json").write_text(json.dumps({
                "url": first[0]["sheet"], "tile_width": first[0]["width"], "tile_height": first[0]["height"],
                "duration": board["duration"], "tiles": [{"start": t["start"], "x": t["x"], "y": t["y"]} for t in first]}))
            wanted = sys.argv[4:]
            for test in TESTS:
                if wanted and test.__name__ not in wanted:
                    continue
                start = time.monotonic()
                try:
                    note = test(check, board)
                    print(f"ok    {test.__name__} {time.monotonic() - start:.1f} s" + (f" ({note})" if note is not None else ""), flush=True)
                except Exception:
                    with lock:
                        for gate in held.values():
                            gate.set()
                        held.clear()
                    failures += 1
                    print(f"FAIL  {test.__name__}\n{traceback.format_exc()}", flush=True)
            browser.close()
    finally:
        shutil.rmtree(root)
    return 1 if failures else 0


sys.exit(main())
