"""Every key of the table, held keys, and places typed by hand."""

import truth
from world import case

LAST = 209


@case(weight=3)
def every_key_of_moving(run):
    page = run.page
    page.check(frame=0)
    steps = [("ArrowRight", 1), ("ArrowRight", 2), (".", 3), (",", 2), ("ArrowLeft", 1), ("Shift+ArrowRight", 31),
             ("Shift+ArrowLeft", 1), ("End", LAST), ("ArrowRight", LAST), ("PageDown", 0), ("PageUp", LAST), ("Home", 0),
             ("ArrowLeft", 0), ("Shift+>", 90), ("Shift+>", 180), ("Shift+<", 90), ("5", 105), ("9", 189), ("1", 21),
             ("0", 0)]
    for key, frame in steps:
        page.press(key)
        shown = page.check()
        assert shown == frame, f"{key} leads to f{shown}, not f{frame}"


@case()
def hold_of_an_arrow(run):
    """A held key repeats; pictures follow in order, one request at a time, and the last is where it was let go."""
    page = run.page
    page.sample()
    for _ in range(40):
        page.tab.keyboard.down("ArrowRight")
    page.tab.keyboard.up("ArrowRight")
    page.check(frame=40)
    rows = page.sampled()
    from sampler import check
    check(rows, last=40)


@case(weight=2)
def typed_places(run):
    page = run.page
    for text in ("f88", "1.5s", "0:02.933", "0:02.9334", "42%", "f0", "f209", "2.5s", "0:00", "6.99s", "first", "last", "0.1%"):
        page.press("g")
        page.part("goto").fill(text)
        page.press("Enter")
        # What the command line finds at the same words is the truth, not this table's memory.
        page.check(frame=truth.found(truth.DEMO, text))
    before = page.frame
    for text in ["f210", "f99999999999999999999", "2:00", "x", "f", "101%", "1:2:3:4:5:6", "NaN", "1e3", "<b>"]:
        page.press("g")
        page.part("goto").fill(text)
        page.press("Enter")
        page.until("() => document.querySelector('#goto-input').getAttribute('aria-invalid') == 'true'")
        page.press("Escape")
        page.check(frame=before)


@case()
def typing_is_not_pressing_keys(run):
    """Letters typed into a field are not shortcuts."""
    page = run.page
    page.press("g")
    page.part("goto").press_sequentially("mmwdjk")
    page.press("Escape")
    page.check(frame=0)
    assert page.evaluate("() => window.scrub.store.get('marks').length") == 0


@case()
def transport(run):
    """Plays forward by J, K, L and Space, in order, and a step stops it."""
    page = run.page
    page.press("l")
    page.until("() => window.scrub.state().frame > 10")
    page.press("k")
    stopped = page.check()
    assert stopped > 10
    page.press("Space")
    page.until("from => window.scrub.state().frame > from + 5", stopped)
    page.press("ArrowLeft")
    there = page.check()
    page.press("j")
    page.until("from => window.scrub.state().frame < from - 5", there)
    page.press("Space")
    page.check()
