"""Drags: absolute on the timeline, relative on the picture, with fine speeds; hover; touch; pinch."""

import truth
from sampler import check
from world import case

LAST = 209
DURATION = 7


def at_fraction(x, width):
    """The frame on screen at x of a timeline of that width."""
    return min(LAST, int(max(0, min(1, x / width)) * DURATION * 30 + 1e-9))


@case(weight=3)
def timeline(run):
    """The frame is that of the pointer's place, at once at the press, and outside the track too."""
    page, mouse = run.page, run.page.tab.mouse
    track = page.box("timeline")
    y = track["y"] + track["height"] / 2
    page.sample()
    mouse.move(track["x"] + 0.25 * track["width"], y)
    mouse.down()
    page.until("() => window.scrub.state().wanted > 0")
    for step in range(60):
        mouse.move(track["x"] + (0.25 + 0.6 * step / 59) * track["width"], y)
    # At rest the exact frame comes, with the button still down.
    page.until("f => { const s = window.scrub.state(); return s.frame == f && s.stage == 'exact'; }", at_fraction(0.85 * track["width"], track["width"]))
    mouse.up()
    last = page.check()
    check(page.sampled(), last=last)
    for fraction in (0, 0.1234, 0.5, 0.777, 1):
        x = min(fraction * track["width"], track["width"] - 1)
        mouse.move(track["x"] + x, y)
        mouse.down()
        mouse.up()
        page.check()
        wanted = at_fraction(x, track["width"])
        assert abs(page.frame - wanted) <= 1, f"f{page.frame} at {fraction} of the track, not f{wanted}"
    mouse.move(track["x"] + track["width"] / 2, y)
    mouse.down()
    mouse.move(track["x"] + track["width"] + 400, y - 300)
    mouse.up()
    page.check(frame=LAST)
    mouse.move(track["x"] + track["width"] / 2, y)
    mouse.down()
    mouse.move(0, y)
    mouse.up()
    page.check(frame=0)


@case(opened=False, weight=2)
def a_list_of_the_strip_that_is_old(run):
    """A sheet that is newer than the list of its frames shows none of them under another one's number."""
    page = run.open(opened=False)

    def older(route):
        strip = route.fetch().json()
        frames = [tile["frame"] for tile in strip["tiles"]]
        for tile, frame in zip(strip["tiles"], frames[1:] + frames[:1]):
            tile["frame"] = frame
        route.fulfill(json=strip)

    page.tab.route("**/strip.json", older)
    page.go()
    mouse, track = page.tab.mouse, page.box("timeline")
    y = track["y"] + track["height"] / 2
    page.sample()
    mouse.move(track["x"] + 20, y)
    mouse.down()
    for step in range(60):
        mouse.move(track["x"] + 20 + step * (track["width"] - 40) / 60, y)
    mouse.up()
    last = page.check()
    rows = page.sampled()
    check(rows, last=last)
    assert all(row["stage"] != "tile" for row in rows), "a picture of the strip under another frame's number"


@case(files=("big",), weight=2)
def rest_with_the_button_held(run):
    """Who stops and does not let go gets the exact frame at its whole size, as after letting go: what came in the drag is half."""
    page, mouse = run.page, run.page.tab.mouse
    track = page.box("timeline")
    y = track["y"] + track["height"] / 2
    mouse.move(track["x"] + 100, y)
    mouse.down()
    for step in range(12):
        mouse.move(track["x"] + 100 + 31 * step, y)
    page.until("""() => {
        const {want, shown, moving} = window.scrub.store.state.panes[0];
        return !moving && shown.stage == 'exact' && shown.frame == want.frame && (shown.width ?? 1920) >= 1280;
    }""")
    last = page.asked()[-1]
    assert "stage=nearest" not in last, last
    there = page.state["frame"]
    asked = len(page.asked())
    mouse.up()
    page.check(path=run.files["big"], frame=there)
    again = len(page.asked()) - asked
    assert again == 0, f"letting go asked {again} times for what was there"


@case()
def escape_leads_back(run):
    page, mouse = run.page, run.page.tab.mouse
    page.press("5")
    start = page.check()
    track = page.box("timeline")
    mouse.move(track["x"] + 20, track["y"] + track["height"] / 2)
    mouse.down()
    mouse.move(track["x"] + 60, track["y"] + track["height"] / 2)
    page.press("Escape")
    mouse.up()
    page.check(frame=start)


def picture_drag(page, right, down, fine):
    """Drags over the picture: `right` CSS pixels while `down` below the start. Gives the frames it moved."""
    mouse = page.tab.mouse
    page.press("5")
    start = page.check()
    box = page.box("stage")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.2
    mouse.move(x, y)
    mouse.down()
    # Sideways enough to begin, then down with no movement sideways, then what counts.
    mouse.move(x + 20, y)
    mouse.move(x + 20, y + down)
    page.idle()
    begun = page.state["wanted"]
    for step in range(1, 21):
        mouse.move(x + 20 + right * step / 20, y + down)
    page.until("() => { const s = window.scrub.state(); return s.frame == s.wanted; }")
    moved = page.state["wanted"] - begun
    mouse.up()
    page.check()
    width = page.canvas().bounding_box()["width"]
    expected = right / width * DURATION * 30 * fine
    assert abs(moved - expected) <= 1.01, f"{right} px at ×{fine} moved {moved} frames, not {expected:.2f} (from f{start})"


@case(weight=2)
def picture(run):
    picture_drag(run.page, 300, 0, 1)
    picture_drag(run.page, -250, 0, 1)


@case(weight=2)
def picture_fine(run):
    picture_drag(run.page, 300, 70, 0.5)
    picture_drag(run.page, 300, 120, 0.25)
    picture_drag(run.page, -300, 200, 0.1)


@case()
def tap_is_no_drag(run):
    page, mouse = run.page, run.page.tab.mouse
    box = page.box("stage")
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 2 + 4, box["y"] + box["height"] / 2)
    mouse.up()
    page.check(frame=0)


@case()
def hover(run):
    """A preview at both ends inside the page, without a request per move, gone when the pointer leaves."""
    page, mouse = run.page, run.page.tab.mouse
    track = page.box("timeline")
    y = track["y"] + track["height"] / 2
    asked = len(page.answers)
    for fraction in (0.001, 0.3, 0.5, 0.999):
        mouse.move(track["x"] + fraction * track["width"], y)
        page.part("preview").wait_for()
        box = page.box("preview")
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280, f"the preview at {fraction} is outside the page: {box}"
    for step in range(100):
        mouse.move(track["x"] + step / 100 * track["width"], y)
    frames = [answer.url for answer in page.answers[asked:] if "/frame" in answer.url]
    assert not frames, f"hovering asks for frames: {frames[:3]}"
    run.picture("hover")
    mouse.move(track["x"] + track["width"] / 2, 100)
    page.until("() => !document.querySelector('.preview')?.checkVisibility({visibilityProperty: true})")
    page.check(frame=0)


def fingers(session, kind, *places):
    session.send("Input.dispatchTouchEvent", {
        "type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)]})


@case(touch=True, size=(360, 740), weight=2)
def touch_timeline(run):
    page = run.page
    session, track = page.cdp(), page.box("timeline")
    y = track["y"] + track["height"] / 2
    page.sample()
    fingers(session, "touchStart", (track["x"] + 20, y))
    for step in range(1, 41):
        fingers(session, "touchMove", (track["x"] + 20 + step * (track["width"] - 60) / 40, y))
    fingers(session, "touchEnd")
    last = page.check()
    assert abs(last - at_fraction(track["width"] - 40, track["width"])) <= 1
    check(page.sampled(), last=last)
    assert page.evaluate("() => scrollX == 0 && scrollY == 0")


@case(touch=True, size=(360, 740))
def touch_cancel(run):
    """A system gesture in the middle of a drag ends it: the next touch begins a new one."""
    page = run.page
    session, track = page.cdp(), page.box("timeline")
    y = track["y"] + track["height"] / 2
    fingers(session, "touchStart", (track["x"] + 20, y))
    fingers(session, "touchMove", (track["x"] + 120, y))
    fingers(session, "touchCancel")
    there = page.check()
    page.tab.mouse.move(track["x"] + track["width"] - 5, y)
    page.check(frame=there)


@case(touch=True, size=(360, 740), weight=2)
def pinch(run):
    """Two fingers zoom and never scrub; the second finger ends the first one's scrub."""
    page = run.page
    page.press("5")
    start = page.check()
    session, box = page.cdp(), page.box("stage")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers(session, "touchStart", (x - 30, y))
    fingers(session, "touchStart", (x - 30, y), (x + 30, y))
    for step in range(1, 16):
        fingers(session, "touchMove", (x - 30 - 5 * step, y), (x + 30 + 5 * step, y))
    fingers(session, "touchEnd")
    page.idle()
    shown = page.state
    assert shown["frame"] == start, f"a pinch went from f{start} to f{shown['frame']}"
    assert shown["box"]["width"] > 1.5 * page.evaluate("() => document.querySelector('[data-pane] canvas').width"), \
        f"the pinch did not zoom: {shown['box']}"
    run.picture("pinched")
