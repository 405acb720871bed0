"""Marks, in and out, what is downloaded of them, the frame as PNG, links, thumbnail sets, and the table of keys."""

import io
import json
import re
import zipfile

from axe_playwright_python.sync_playwright import Axe
from PIL import Image

import truth
from world import case


def marks(page):
    return page.evaluate("() => window.scrub.store.state.marks.map(({frame, note}) => [frame, note])")


def reach(page, text):
    page.press("g")
    page.tab.keyboard.type(text)
    page.press("Enter")
    page.until("() => document.activeElement.id != 'goto-input'")
    page.idle()


def taken(page, act):
    """What the browser writes to a file: its name and bytes."""
    with page.tab.expect_download() as download:
        act()
    with open(download.value.path(), "rb") as file:
        return download.value.suggested_filename, file.read()


@case(weight=2)
def notes_and_range(run):
    """Marks are of the frame on the screen; notes, in and out stay with the file over a reload, and the focus is never lost."""
    page = run.page
    reach(page, "f88")
    page.press("m")
    reach(page, "f10")
    page.press("n")
    # What is typed is text: none of these letters is a key now.
    page.tab.keyboard.type("m[d]w, x 50 <b>")
    page.press("Enter")
    assert page.evaluate("() => document.activeElement.className") == "marks-go"
    page.press("i")
    reach(page, "f20")
    page.press("o")
    assert marks(page) == [[10, "m[d]w, x 50 <b>"], [88, ""]]
    assert page.tab.locator("[data-part=range]").inner_text().startswith("f10 to f20: 11 frames, 0.366 s")
    page.press("m")
    page.press("m")
    assert len(marks(page)) == 3, "a frame is marked once"
    for key, frame in (("]", 88), ("[", 20), ("[", 10), ("[", 10)):
        page.press(key)
        page.check(frame=frame)
    page.tab.reload()
    page.ready()
    assert marks(page) == [[10, "m[d]w, x 50 <b>"], [20, ""], [88, ""]]
    page.tab.locator("#panel-button").click()
    page.tab.get_by_role("tab", name="Marks").click()
    assert page.tab.locator("[data-part=range]").is_visible()
    run.picture("marks-notes")
    # Escape leaves a note as it was.
    page.tab.get_by_label("Note for the mark on f88").fill("not kept")
    page.press("Escape")
    assert page.tab.get_by_label("Note for the mark on f88").input_value() == ""
    page.tab.get_by_label("Remove the mark on f88").click()
    assert page.evaluate("() => document.activeElement.closest('li').dataset.frame") == "20"
    page.tab.get_by_label("Clear in and out").click()
    assert not page.tab.locator("[data-part=range]").is_visible()
    # An in behind the out takes the out away.
    page.press("o")
    page.press("End")
    page.idle()
    page.press("i")
    assert page.evaluate("() => ({...window.scrub.store.state.range})") == {"first": 209, "last": None}


@case(files=("demo.mp4", "h264-bf3.mp4"), weight=2)
def marks_of_each_film(run):
    """Each film has its own marks, by its fingerprint; another tab's marks come at once."""
    page = run.page
    page.press("m")
    other = run.open(f"f5&m={run.server.medium('h264-bf3.mp4')['id']}")
    assert marks(other) == []
    same = page.context.new_page()
    same.goto(page.tab.url)
    same.wait_for_function("() => window.scrub?.store.state.marks.length == 1")
    same.close()
    key, kept = page.evaluate("() => Object.entries(localStorage).find(([key]) => key.startsWith('scrub.marks.'))")
    assert key == f"scrub.marks.{run.server.medium('demo.mp4')['fingerprint']}"
    assert json.loads(kept)["marks"][0]["frame"] == 0


@case()
def rubbish_in_the_storage(run):
    """What others wrote there is no mark: the page starts and shows what is one."""
    page = run.page
    for text in ("no", "null", "[]", '{"marks":7}', '{"marks":[null,{"frame":-1},{"frame":1e9},{"frame":"3"},{"frame":7,"note":{}}],"first":210,"last":-1}'):
        page.evaluate("([key, text]) => localStorage.setItem('scrub.marks.' + key, text)", [run.server.medium("demo.mp4")["fingerprint"], text])
        page.tab.reload()
        page.ready()
        assert [frame for frame, _ in marks(page)] == ([7] if "null," in text else [])
    # A storage that is full or forbidden keeps nothing, and says so.
    said = page.evaluate("""async () => {
        const {Markbook} = await import('/markbook.js');
        const full = new Markbook({getItem: () => null, setItem() { throw new DOMException('full', 'QuotaExceededError'); }, removeItem() {}});
        full.put('x', 10, {frame: 3, note: ''});
        return [full.kept, full.page('x', 10).marks.length];
    }""")
    assert said == [False, 1]


@case(weight=2)
def downloads(run):
    """Every form that the panel offers comes as a file with the marks in it; JSON comes back through the panel."""
    page = run.page
    for text in ("f0", "f88", "f150"):
        reach(page, text)
        page.press("m")
    page.tab.locator("#panel-button").click()
    page.tab.get_by_role("tab", name="Marks").click()
    page.tab.locator("summary").click()
    wanted = {
        "json": ("demo.marks.json", '"frame": 88'), "edl": ("demo.edl", "00:00:02:28 00:00:02:29"),
        "edl-parts": ("demo.parts.edl", "00:00:02:28 00:00:05:00"), "ffmetadata": ("demo.ffmetadata", "START=45056"),
        "matroska": ("demo.chapters.txt", "CHAPTER02=00:00:02.933"), "webvtt": ("demo.chapters.vtt", "00:00:02.933 --> 00:00:05.000"),
    }
    offered = page.tab.locator("[data-part=export-format] option").evaluate_all("all => all.map(one => one.value)")
    assert offered == list(wanted)
    kept = {}
    for kind, (name, text) in wanted.items():
        page.tab.locator("[data-part=export-format]").select_option(kind)
        given, data = taken(page, lambda: page.tab.locator("[data-part=export]").click())
        assert given == name and text in data.decode(), f"{given}: {data[:400]}"
        kept[kind] = data
    run.picture("marks-export")
    page.evaluate("() => localStorage.clear()")
    page.tab.reload()
    page.ready()
    assert marks(page) == []
    page.tab.locator("#panel-button").click()
    page.tab.get_by_role("tab", name="Marks").click()
    page.tab.locator("summary").click()
    page.tab.locator("[data-part=export]").click()
    page.tab.get_by_text("There is nothing to export").wait_for()
    file = page.tab.locator("input[type=file]")
    file.set_input_files({"name": "bad.json", "mimeType": "application/json", "buffer": b"{}"})
    page.tab.get_by_text("“bad.json” could not be read. These are not marks from Scrub.").wait_for()
    file.set_input_files({"name": "good.json", "mimeType": "application/json", "buffer": kept["json"]})
    page.until("() => window.scrub.store.state.marks.length == 3")
    assert [frame for frame, _ in marks(page)] == [0, 88, 150]


@case()
def a_frame_and_a_link(run):
    """S saves the frame on the screen as the command line writes it; the link leads to it."""
    page = run.page
    reach(page, "f88")
    name, data = taken(page, lambda: page.press("s"))
    assert name == "demo-f88.png"
    assert truth.difference(Image.open(io.BytesIO(data)).convert("RGB"), truth.pixels(truth.DEMO, 88))[0] == 0
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.press("c")
    page.tab.get_by_text("The link was copied").wait_for()
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert re.search(r"#f88\b", link), link
    again = run.open(link.split("#")[1])
    again.check(frame=88)


@case(weight=2)
def a_set(run):
    """A set of thumbnails comes as one archive that other programs unpack."""
    page = run.page
    page.tab.locator("#save").click()
    for profile, suffix in (("web", ".vtt"), ("jellyfin", ".jpg")):
        page.tab.locator("[data-part=set-profile]").select_option(profile)
        name, data = taken(page, lambda: page.tab.locator("[data-part=set]").click())
        assert name == f"demo-{profile}.zip"
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            assert any(one.endswith(suffix) for one in archive.namelist()), archive.namelist()


@case()
def table_of_keys_in_every_window(run):
    """Windows of notebooks show the whole table; in smaller ones the head stays and the last line can be reached."""
    page = run.page
    for size in ((1366, 768), (1280, 720), (1024, 600), (390, 844), (568, 320)):
        page.look(size, "light")
        page.press("?")
        seen = page.evaluate("""() => {
            const help = document.querySelector('[data-part=help]'), whole = help.scrollHeight <= help.clientHeight;
            help.scrollTop = help.scrollHeight;
            const box = help.getBoundingClientRect(), head = help.querySelector('.help-head').getBoundingClientRect();
            const last = help.lastElementChild.getBoundingClientRect();
            return { whole, wide: help.scrollWidth > help.clientWidth, head: head.top >= box.top, last: last.bottom <= box.bottom && last.top >= head.bottom };
        }""")
        assert seen["head"] and seen["last"] and not seen["wide"], f"{size}: {seen}"
        assert seen["whole"] or size[1] < 720 or size[0] < 1000, f"{size}: the table has to be scrolled"
        run.picture(f"keys-{size[0]}x{size[1]}")
        page.press("Escape")


@case()
def table_of_keys(run):
    """The table has every key that is registered; Escape closes it alone and the focus goes back; letters can be turned off."""
    page = run.page
    opener = page.tab.locator("#help")
    opener.focus()
    page.press("Enter")
    dialog = page.tab.get_by_role("dialog", name="Keys")
    dialog.wait_for()
    labels = dialog.locator("dd").all_inner_texts()
    for label in ("Next frame", "Play, pause", "Mark this frame", "Difference of A and B", "Full screen", "Save this frame as PNG", "Back one level"):
        assert label in labels, f"{label} is not in {labels}"
    run.picture("keys")
    report = Axe().run(page.tab)
    assert report.violations_count == 0, report.generate_report()
    page.tab.get_by_label("Use single letters and punctuation as shortcuts").uncheck()
    page.press("Escape")
    assert not dialog.is_visible()
    assert page.evaluate("() => document.activeElement.id") == "help"
    page.press("m")
    assert marks(page) == [], "m is no key now"
    page.press("ArrowRight")
    page.check(frame=1)
    page.tab.reload()
    page.ready()
    page.press("m")
    assert marks(page) == [], "nor after a reload"
