"""Films beside each other: one paint for all, offsets, ends, links, wipe, blink and the difference's pixels and numbers."""

import base64
import itertools
import math
import time

from axe_playwright_python.sync_playwright import Axe
from PIL import ImageChops

import truth
from world import case

PAIR = ("demo.mp4", "h264-bf3.mp4")
RATES = ("demo.mp4", "ntsc.mp4", "vfr.mp4")

# What each pane shows before every paint, and what is said about the difference.
WATCH = """() => {
    window.__rows = [];
    const look = () => {
        if (!window.__rows) return;
        const note = document.querySelector('.difference-numbers')?.textContent ?? '';
        window.__rows.push({panes: window.scrub.state().panes.map(({frame, wanted, stage}) => ({frame, wanted, stage})), note});
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
WATCHED = "() => { const rows = window.__rows; window.__rows = null; return rows; }"

# The front canvas as it is: not a screenshot, for the wipe's handle lies over it.
CANVAS = "() => document.querySelector('.pane.front canvas, .pane canvas').toDataURL('image/png')"


def opened(run, *names, frame=50, more="", before=None, **wishes):
    """A page with films beside each other, as a link says it. `before` is called with the page before it is loaded."""
    ids = "~".join(run.server.medium(name)["id"] for name in names)
    first = run.server.medium(names[0])["id"]
    page = run.open(opened=False, **wishes)
    if before:
        before(page)
    page.go(f"f{frame}&m={first}&c={ids}{more}")
    page.until("count => window.scrub.state().panes.length == count && window.scrub.state().panes.every(one => one.frame != null)", len(names))
    page.idle()
    return page


def frames(page):
    return [one["frame"] for one in page.evaluate("() => window.scrub.state().panes")]


def canvas(page):
    """The front canvas as a picture."""
    page.allowed.append("willReadFrequently")
    return truth.decoded(base64.b64decode(page.evaluate(CANVAS).split(",")[1]))


def inside(page, size):
    """The part of the front canvas that the picture of that size fills at 1:1, or its middle where it is larger."""
    whole = canvas(page)
    # As the page rounds: halves up.
    left, top = (whole.width - size[0] + 1) // 2, (whole.height - size[1] + 1) // 2
    return whole, (max(left, 0), max(top, 0), min(left + size[0], whole.width), min(top + size[1], whole.height))


def late(run, name, milliseconds=120):
    """The frames of one film come late. For a page that is not loaded yet: in a page that is, the first request after it can be missed."""
    medium = run.server.medium(name)["id"]

    def slow(route):
        time.sleep(milliseconds / 1000)
        route.continue_()

    return lambda page: page.tab.route(lambda url: f"media/{medium}/frame" in url, slow)


@case(files=PAIR, opened=False, weight=2)
def one_paint(run):
    """Two panes at rest never show frames of two moments, though one of them always comes later."""
    page = opened(run, *PAIR, before=late(run, PAIR[1]))
    page.evaluate(WATCH)
    for _ in range(8):
        page.press("ArrowRight")
        page.idle()
    page.press("ArrowLeft", times=5)
    page.idle()
    rows = page.evaluate(WATCHED)
    assert {tuple(one["frame"] for one in row["panes"]) for row in rows} >= {(frame, frame) for frame in (50, 58, 53)}
    for row in rows:
        a, b = row["panes"]
        if a["stage"] == b["stage"] == "exact":
            assert a["frame"] == b["frame"], f"two moments in one paint: {row}"


@case(files=RATES, opened=False, weight=2)
def offsets(run):
    """One pane goes on by a frame alone; what is aligned stays together, by frame and by time; all of it is in the link."""
    page = opened(run, *RATES, frame=20)
    page.tab.locator("#compare").click()
    page.tab.locator("[data-part=nudge-on]").nth(1).click()
    page.idle()
    assert frames(page) == [20, 21, 20]
    page.press("ArrowRight")
    page.idle()
    assert frames(page) == [21, 22, 21]
    # The leader alone: the others stay.
    page.tab.locator("[data-part=nudge-back]").nth(0).click()
    page.idle()
    assert frames(page) == [20, 22, 21]
    page.press("Home")
    page.idle()
    assert frames(page) == [0, 2, 1]
    page.tab.get_by_text("From the start").click()
    page.idle()
    assert frames(page) == [0, 0, 0]
    # By time from a common event: the frames on screen at the same time after it.
    page.tab.locator("[data-part=nudge-on]").nth(1).click(click_count=1)
    page.tab.get_by_text("Align here").click()
    page.tab.locator("label", has=page.tab.locator("input[name=lock][value=time]")).click()
    page.idle()
    assert frames(page)[:2] == [0, 1]
    for step in (1, 7, 30):
        page.tab.keyboard.press("g")
        page.tab.keyboard.type(f"f{step}")
        page.tab.keyboard.press("Enter")
        page.until("() => document.activeElement.id != 'goto-input'")
        page.idle()
        # f1 of 30000/1001 fps is the event; step/30 s later.
        other = math.floor((step / 30 + 1001 / 30000) * 30000 / 1001 + 1e-9)
        assert frames(page)[1] == min(other, 49), f"{frames(page)} at f{step}, not f{other}"
    before = frames(page)
    page.until("() => location.hash.startsWith('#f30&') && location.hash.includes('lock=time')")
    link = page.evaluate("() => location.hash.slice(1)")
    again = run.open(link)
    again.until("() => window.scrub.state().panes.length == 3")
    again.idle()
    assert frames(again) == before, f"{frames(again)}, not {before}, from {link}"
    run.picture("compare-three", again)
    # The same link in a tab that shows something else.
    other = run.open("f3")
    other.evaluate("link => { location.hash = link; }", link)
    other.until("() => window.scrub?.state().panes.length == 3")
    other.idle()
    assert frames(other) == before


@case(files=PAIR, opened=False)
def past_the_end(run):
    """A film that has ended shows its last frame, dimmed, says so, and has no difference."""
    page = opened(run, *PAIR, frame=98, more="&view=difference")
    page.until("() => /PSNR|dentical|size/.test(document.querySelector('.difference-numbers').textContent)")
    page.press("Shift+ArrowRight")
    page.idle()
    assert frames(page) == [128, 99]
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('has no frame here')")
    page.press("d")
    page.idle()
    page.tab.get_by_text("ends at f99").first.wait_for()
    page.press("Shift+ArrowLeft")
    page.idle()
    assert frames(page) == [98, 98]


@case(files=("h264-bf3.mp4", "h264-cavlc-p.mp4"), opened=False, weight=2)
def difference_of_one_moment(run):
    """Whatever is said of a difference while frames change is said of two frames of one number, and it is the truth."""
    names = run.case.files
    page = opened(run, *names, frame=30, more="&view=difference", before=late(run, names[1], 60))
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('PSNR')")
    page.evaluate(WATCH)
    settle(page)
    for _ in range(4):
        page.press("ArrowRight")
        settle(page)
    page.press("ArrowRight", times=6)
    settle(page)
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('PSNR')")
    said = {}
    for row in page.evaluate(WATCHED):
        if "PSNR" in row["note"] or "dentical" in row["note"]:
            a, b = row["panes"]
            assert a["frame"] == b["frame"] and a["stage"] == b["stage"] == "exact", f"a difference of two moments: {row}"
            said.setdefault(a["frame"], set()).add(row["note"])
    assert {30, 31, 34, 40} <= set(said), sorted(said)
    for frame, notes in said.items():
        assert len(notes) == 1, f"f{frame}: {notes}"
    for frame in (30, 40):
        check_numbers(said[frame].pop(), *(truth.pixels(truth.CLIPS / name, frame) for name in names))


def check_numbers(text, one, other):
    pairs = list(zip(one.getdata(), other.getdata()))
    unlike = sum(1 for a, b in pairs if a != b)
    largest = max(abs(x - y) for a, b in pairs for x, y in zip(a, b))
    square = sum((x - y) ** 2 for a, b in pairs for x, y in zip(a, b)) / (3 * len(pairs))
    wanted = f"{unlike:,} of {len(pairs):,} pixels differ"
    assert wanted in text, f"“{text}” has no “{wanted}”"
    assert f"at most {largest}." in text, f"“{text}”: {largest}"
    assert f"PSNR {10 * math.log10(255 * 255 / square):.2f} dB" in text, f"“{text}”: {square}"


@case(files=("h264-bf3.mp4", "h264-cavlc-p.mp4"), opened=False, weight=2)
def difference_pixels(run):
    """The canvas at 1:1 has |A - B| times the gain, in colours, luma and as a mask."""
    names = run.case.files
    page = opened(run, *names, frame=30, more="&view=difference")
    page.press("z")
    page.tab.locator("#compare").click()
    one, other = (truth.pixels(truth.CLIPS / name, 30) for name in names)
    apart = ImageChops.difference(one, other)
    for gain in (1, 4, 16):
        page.tab.locator("label", has=page.tab.locator(f"input[name=gain][value='{gain}']")).click()
        page.until(f"() => document.querySelector('.difference-numbers').textContent.includes('×{gain}: ')")
        settle(page)
        whole, box = inside(page, one.size)
        wanted = apart.point(lambda value, gain=gain: min(value * gain, 255))
        worst, _ = truth.difference(whole.crop(box), middle(wanted, box))
        assert worst == 0, f"×{gain}: off by {worst}"
    page.tab.locator("label", has=page.tab.locator("input[name=difference-view][value=mask]")).click()
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('mask')")
    settle(page)
    whole, box = inside(page, one.size)
    white = sum(1 for pixel in whole.crop(box).getdata() if pixel == (255, 255, 255))
    wanted = sum(1 for pixel in middle(apart, box).getdata() if max(pixel) > 0)
    assert white == wanted, f"{white} white pixels, {wanted} differ"
    run.picture("difference-mask", page)


def middle(picture, box):
    """The part of a picture that a box of that size shows of its middle."""
    width, height = box[2] - box[0], box[3] - box[1]
    left, top = (picture.width - width) // 2, (picture.height - height) // 2
    return picture.crop((left, top, left + width, top + height))


def settle(page):
    page.idle()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@case(files=("h264-bf3.mp4", "h264-cavlc-p.mp4"), opened=False, weight=2)
def wipe_and_blink(run):
    """Left of the line are A's pixels, right of it B's; the line moves by keyboard; B held shows B, and only B under reduced motion."""
    names = run.case.files
    page = opened(run, *names, frame=30, more="&view=wipe", reduced=True)
    page.press("z")
    page.idle()
    page.until("() => window.scrub.state().panes.every(one => one.stage == 'exact')")
    one, other = (truth.pixels(truth.CLIPS / name, 30) for name in names)
    for keys, share in (((), 0.5), (("Home",), 0), (("PageUp", "PageUp", "ArrowRight"), 0.21), (("End",), 1)):
        page.tab.locator(".wipe-line").focus()
        for key in keys:
            page.press(key)
        settle(page)
        whole, box = inside(page, one.size)
        line = math.floor((whole.width - one.width + 1) // 2 + one.width * share + 0.5)
        for picture, part in ((one, (box[0], box[1], max(line - 1, box[0]), box[3])), (other, (min(line + 1, box[2]), box[1], box[2], box[3]))):
            if part[0] < part[2]:
                wanted = whole.copy()
                wanted.paste(middle(picture, box), box[:2])
                assert truth.difference(whole.crop(part), wanted.crop(part))[0] == 0, f"the wipe at {share}"
    run.picture("wipe", page)
    assert frames(page) == [30, 30], "the line's keys are no steps"
    page.press("Escape")
    page.idle()
    assert page.evaluate("() => document.querySelector('#stage').dataset.view") == "side"
    page.evaluate("() => document.activeElement.blur()")
    for key, picture in (("down", other), ("up", one)):
        getattr(page.tab.keyboard, key)("b")
        settle(page)
        seen = canvas(page)
        box = ((seen.width - one.width) // 2, (seen.height - one.height) // 2)
        part = seen.crop((max(box[0], 0), max(box[1], 0), min(box[0] + one.width, seen.width), min(box[1] + one.height, seen.height)))
        apart = truth.difference(part, middle(picture, (0, 0, *part.size)))[1]
        unlike = truth.difference(part, middle(other if picture is one else one, (0, 0, *part.size)))[1]
        assert apart < unlike, f"{key}: {apart} from what should be there, {unlike} from the other"


@case(files=("demo.mp4", "ntsc.mp4"), opened=False)
def sizes_differ(run):
    """Nothing is scaled in silence: the sizes are said, and scaling is offered and said."""
    page = opened(run, "demo.mp4", "ntsc.mp4", frame=10, more="&view=difference")
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('640 × 360')")
    page.tab.locator("#compare").click()
    page.tab.locator("[data-part=scale]").check()
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('was scaled')")
    page.tab.locator("[data-part=scale]").uncheck()
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('differ in size')")
    # The film itself a second time is identical, in words.
    page.tab.locator("[aria-label^='Remove B']").click()
    page.tab.locator("[data-part=compare-film]").select_option(label="demo.mp4")
    page.tab.locator("[data-part=compare-add]").click()
    page.until("() => window.scrub.state().panes.length == 2")
    page.press("d")
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('Identical')")
    page.press("x")
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('Identical')")
    run.picture("difference-identical", page)


@case()
def one_film_only(run):
    """The keys of comparing say what they need."""
    run.page.press("d")
    run.page.tab.get_by_text("There is only one film").wait_for()
    assert len(frames(run.page)) == 1


@case(files=("demo.mp4", "damaged-av1.mkv"), opened=False)
def a_film_that_fails(run):
    """A frame that one film cannot show keeps the other one waiting for nothing, and is said."""
    page = opened(run, "demo.mp4", "damaged-av1.mkv", frame=32, more="&view=difference")
    page.allowed.append("422")
    page.lock("frame")
    page.press("ArrowRight")
    page.until("() => window.scrub.state().panes[0].frame == 33")
    page.idle()
    page.until("() => document.querySelector('.difference-numbers').textContent.includes('no frame here')")
    page.press("d")
    page.tab.get_by_text("f33 of damaged-av1.mkv cannot be shown").first.wait_for()
    page.goto("f40")
    page.idle()
    assert frames(page) == [40, 40]


@case(files=PAIR, opened=False, weight=4)
def panels(run):
    """axe has nothing to say of comparing, marks and saving, small and large, dark and light; what is pressed is large enough."""
    small = """least => [...document.querySelectorAll('button, input, select, summary, [role=slider]')].filter(one => one.checkVisibility())
        .map(one => (one.closest('label') && one.matches('[type=radio], [type=checkbox]') ? one.closest('label') : one))
        .map(one => [one.className || one.id || one.tagName, one.getBoundingClientRect()])
        .filter(([, box]) => box.width > 0 && Math.min(box.width, box.height) < least).map(([name, box]) => `${name} ${box.width}x${box.height}`)"""
    page = opened(run, *PAIR, more="&view=difference")
    for key in ("m", "i", "n"):
        page.press(key)
    page.tab.locator("summary").click()
    # From 1280 on the panel is a column of one width: larger windows have nothing of their own in it.
    for size, scheme in itertools.product(((360, 740), (1280, 800)), ("dark", "light")):
        page.look(size, scheme)
        for tab in ("Marks", "Compare", "Save"):
            page.tab.get_by_role("tab", name=tab).click()
            settle(page)
            report = Axe().run(page.tab)
            assert report.violations_count == 0, f"{tab}, {size}, {scheme}: {report.generate_report()}"
            assert page.evaluate(small, 24) == [], f"{tab}, {size}: too small"
            assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
            run.picture(f"{tab.lower()}-{size[0]}-{scheme}", page)
