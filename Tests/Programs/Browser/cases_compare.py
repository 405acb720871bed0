"""Films side by side, their difference, stories and marks."""

import math

import truth
from sampler import check
from world import case

PAIR = ("demo.mp4", "h264-bf3.mp4")
RATES = ("demo.mp4", "ntsc.mp4")


def beside(run):
    run.page.compare(run.case.files[1:])
    return run.page


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
    page.tab.get_by_text("ends at f99").first.wait_for()
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
    page = beside(run)
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
    page.until("() => /PSNR/.test(document.querySelector('.difference-numbers').textContent)")
    text = page.part("difference-numbers").inner_text().replace(",", "")
    run.picture("difference")
    for value in (str(unlike), str(largest), f"{psnr:.2f}"):
        assert value in text, f"{value} is not in “{text}”: {unlike} pixels differ, by up to {largest}, PSNR {psnr:.2f}"


def story(page, index):
    """Waits until a part of the stories shows its first frame."""
    page.until("""index => document.querySelector('dialog.stories').dataset.index == index
        && document.querySelector('[data-part=story-facts]').dataset.frame != null""", index)


STORIES = ("demo.mp4", "h264-bf3.mp4", "ntsc.mp4")


@case(size=(360, 740), touch=True, files=STORIES, own=True, opened=False, weight=3)
def stories_still(run):
    """Taps on the right go on and on the left third back; under reduced motion nothing moves by itself."""
    page = run.open(reduced=True)
    page.press("Shift+S")
    page.part("stories").wait_for()
    story(page, 0)
    box = page.box("story")
    right, left = ((box["x"] + box["width"] * part, box["y"] + box["height"] / 2) for part in (0.8, 0.1))
    for index, place in ((1, right), (2, right), (1, left), (0, left), (0, left), (1, right)):
        page.tab.touchscreen.tap(*place)
        story(page, index)
    run.picture("stories")
    assert page.evaluate("() => document.getAnimations().filter(one => one.playState == 'running').length") == 0
    page.press("Escape")
    # The page is where the story was left.
    page.check(path=truth.DEMO, frame=0)


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
