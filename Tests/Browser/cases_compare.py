"""Films side by side, their difference, stories and marks."""

import math

import truth
from sampler import check
from world import case

PAIR = ("demo.mp4", "h264-bf3.mp4")
RATES = ("demo.mp4", "ntsc.mp4")


def beside(run, count=2):
    """Puts the media beside each other."""
    page = run.page
    page.compare(count)
    page.until("n => window.scrub.state().panes.length == n && window.scrub.state().panes.every(p => p.frame != null)", count)
    page.idle()
    return page


def check_both(run, frames, paths):
    page = run.page
    page.idle()
    for pane, (frame, name) in enumerate(zip(frames, paths)):
        page.check(path=truth.CLIPS / name, frame=frame, pane=pane)


@case(files=PAIR, own=True, weight=3)
def by_frame(run):
    page = beside(run)
    page.goto("f50")
    check_both(run, (50, 50), PAIR)
    page.press("ArrowRight")
    check_both(run, (51, 51), PAIR)
    run.picture("compare")
    # Past the end of the shorter one: its last frame, and the page says so.
    page.goto("f150")
    check_both(run, (150, 99), PAIR)
    page.tab.get_by_text("f99").first.wait_for()
    run.picture("compare-past-the-end")


@case(files=RATES, own=True, weight=3)
def by_time_with_unequal_rates(run):
    """30 and 30000/1001 frames a second: each shows the frame that is on screen at the leader's time."""
    page = beside(run)
    page.lock("time")
    for frame in (0, 1, 29, 31, 49):
        page.goto(f"f{frame}")
        # The frame of 30000/1001 fps on screen at frame/30 seconds.
        other = min(49, math.floor(frame * 30000 / (30 * 1001)))
        check_both(run, (frame, other), RATES)


@case(files=PAIR, own=True, weight=3)
def drag_of_two(run):
    """While both move, each pane says what it shows, and both end exact."""
    page = beside(run)
    track, mouse = page.box("timeline"), page.tab.mouse
    y = track["y"] + track["height"] / 2
    page.sample()
    mouse.move(track["x"] + 10, y)
    mouse.down()
    for step in range(80):
        mouse.move(track["x"] + 10 + step * 5, y)
    mouse.up()
    page.idle()
    rows = page.sampled()
    check(rows)
    states = page.states
    check_both(run, [one["wanted"] for one in states], PAIR)


@case(files=("demo.mp4", "mp4-faststart.mp4", "h264-bf3.mp4", "ntsc.mp4"), own=True, weight=3)
def four(run):
    names = run.case.files
    page = beside(run, 4)
    page.goto("f33")
    check_both(run, (33, 33, 33, 33), names)
    run.picture("compare-four")


@case(files=("h264-bf3.mp4", "mp4-faststart.mp4"), own=True, weight=2)
def difference_of_equal_files(run):
    page = beside(run)
    page.goto("f40")
    page.idle()
    page.press("d")
    page.tab.get_by_text("identical", exact=False).first.wait_for()
    page.press("ArrowRight")
    page.idle()
    page.tab.get_by_text("identical", exact=False).first.wait_for()
    run.picture("difference-identical")


@case(files=("h264-bf3.mp4", "h264-cavlc-p.mp4"), own=True, weight=2)
def difference_of_unequal_files(run):
    """The numbers beside the difference are those of the two PNG."""
    page = beside(run)
    page.goto("f40")
    page.idle()
    page.press("d")
    one, other = (truth.pixels(truth.CLIPS / name, 40) for name in run.case.files)
    assert one.size == other.size
    pairs = list(zip(one.getdata(), other.getdata()))
    unlike = sum(1 for a, b in pairs if a != b)
    largest = max(abs(x - y) for a, b in pairs for x, y in zip(a, b))
    square = sum((x - y) ** 2 for a, b in pairs for x, y in zip(a, b)) / (3 * len(pairs))
    psnr = 10 * math.log10(255 * 255 / square)
    page.part("difference-numbers").wait_for()
    page.until("""() => /\\d/.test(document.querySelector('.difference-numbers').textContent)""")
    text = page.part("difference-numbers").inner_text().replace("\u202f", "").replace(",", "").replace(" ", " ")
    run.picture("difference")
    for value in (str(unlike), str(largest), f"{psnr:.1f}"):
        assert value in text, f"{value} is not in “{text}”: {unlike} pixels differ, by up to {largest}, PSNR {psnr:.2f}"


@case(size=(360, 740), touch=True, files=("demo.mp4", "h264-bf3.mp4", "ntsc.mp4"), own=True, weight=3)
def stories(run):
    """Taps on the right go on, on the left go back; the segments say where; nothing moves by itself under reduced motion."""
    page = run.open(reduced=True)
    page.stories()
    segments = page.part("stories")
    segments.wait_for()
    run.picture("stories", page)
    before = page.state["pane"], page.frame, page.evaluate("() => JSON.stringify(window.scrub.state())")
    box = page.box("stage")
    page.tab.touchscreen.tap(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.5)
    page.until("was => JSON.stringify(window.scrub.state()) != was", before[2])
    page.idle()
    page.tab.touchscreen.tap(box["x"] + box["width"] * 0.1, box["y"] + box["height"] * 0.5)
    page.until("was => window.scrub.state().frame == was", before[1])
    page.idle()
    page.press("Escape")
    page.check(path=truth.DEMO)
    assert page.evaluate("() => document.getAnimations().filter(one => one.playState == 'running').length") == 0


@case(weight=2)
def marks(run):
    """Marks stay with the file over a reload, lead back, and are exported with the frame's number."""
    page = run.page
    for frame in (10, 88, 150):
        page.goto(f"f{frame}")
        page.check(frame=frame)
        page.press("m")
    page.until("() => window.scrub.store.get('marks').length == 3")
    page.press("[")
    page.check(frame=88)
    page.press("[")
    page.check(frame=10)
    page.press("]")
    page.check(frame=88)
    page.tab.reload()
    page.ready()
    page.until("() => window.scrub.store.get('marks').length == 3")
    assert [one["frame"] for one in page.evaluate("() => window.scrub.store.get('marks')")] == [10, 88, 150]
    run.picture("marks")
