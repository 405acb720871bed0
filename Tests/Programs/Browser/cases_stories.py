"""Stories: taps, holds, the clock, the end, and what people see who asked for less motion."""

from axe_playwright_python.sync_playwright import Axe

import truth
from world import case


def begun(page):
    page.tab.locator("#stories").click()
    page.tab.locator("dialog.stories").wait_for()
    page.until("() => document.querySelector('[data-part=story-facts]').textContent != ''")


def place(page):
    return page.evaluate("() => Number(document.querySelector('dialog.stories').dataset.index)")


def shown(page, frame):
    """The number that is said, and the one that is drawn in the picture on the screen."""
    page.until("frame => document.querySelector('[data-part=story-facts]').dataset.frame == frame", frame)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    box = page.evaluate("""() => {
        const {x, y, width, height} = document.querySelector('.stories-picture').getBoundingClientRect();
        const scale = Math.min(width / 640, height / 360);
        return {x: x + (width - 640 * scale) / 2, y: y + (height - 360 * scale) / 2, width: 640 * scale, height: 360 * scale};
    }""")
    number = truth.burned_in(truth.decoded(page.tab.screenshot(clip=box)))
    assert number == frame, f"the screen shows f{number}, and f{frame} is said"


@case(touch=True, size=(360, 740), reduced=True, weight=2)
def taps(run):
    """The left third goes back, the rest on; after the last part it is over. Nothing goes on by itself under reduced motion."""
    page = run.page
    begun(page)
    field = page.tab.locator("[data-part=story-field]").bounding_box()
    tap = lambda share: page.tab.touchscreen.tap(field["x"] + field["width"] * share, field["y"] + field["height"] / 2)  # noqa: E731
    assert page.tab.locator("[data-part=story-pause]").is_hidden(), "what stands still has no pause"
    for share, index in ((0.1, 0), (0.36, 1), (0.9, 2), (0.3, 1), (0.5, 2)):
        tap(share)
        assert place(page) == index, f"after a tap at {share}"
        shown(page, index * 35)
    run.picture("stories-phone")
    assert page.evaluate("() => document.getAnimations().filter(one => one.playState == 'running').length") == 0
    for _ in range(3):
        tap(0.9)
    assert place(page) == 5
    shown(page, 175)
    tap(0.9)
    page.until("() => !document.querySelector('dialog.stories').open")
    page.idle()


@case(reduced=True, weight=2)
def by_keyboard(run):
    """Arrows, buttons and Escape; the focus goes back to the button; the page shows where the story was left."""
    page = run.page
    for text in ("f20", "f88"):
        page.press("g")
        page.tab.keyboard.type(text)
        page.press("Enter")
        page.until("() => document.activeElement.id != 'goto-input'")
        page.idle()
        page.press("m")
    page.tab.locator("#stories").focus()
    page.press("Enter")
    shown(page, 20)
    assert page.tab.locator(".stories-bar > span").count() == 2, "one part for each mark"
    page.press("ArrowRight")
    shown(page, 88)
    report = Axe().run(page.tab)
    assert report.violations_count == 0, report.generate_report()
    run.picture("stories")
    page.tab.get_by_role("button", name="Back").click()
    shown(page, 20)
    page.press("m")
    page.press("ArrowRight")
    shown(page, 88)
    page.press("Escape")
    page.check(frame=88)
    assert page.evaluate("() => [document.activeElement.id, window.scrub.store.state.marks.length]") == ["stories", 2]


@case(opened=False, weight=2)
def the_clock(run):
    """Parts go on by themselves after five seconds, not while a finger holds or the pause is on: by a clock of the test's own."""
    page = run.open(opened=False)
    clock = page.clock()
    page.go()
    begun(page)
    clock.pause_at(page.evaluate("() => Date.now() + 60000"))
    here = place(page)
    page.tab.locator("[data-part=story-pause]").click()
    clock.run_for(6000)
    assert place(page) == here, "it is paused"
    page.tab.get_by_role("button", name="Continue").click()
    clock.run_for(5100)
    assert place(page) == here + 1
    field = page.tab.locator("[data-part=story-field]").bounding_box()
    page.tab.mouse.move(field["x"] + field["width"] * 0.8, field["y"] + field["height"] / 2)
    page.tab.mouse.down()
    clock.run_for(9000)
    assert page.evaluate("() => document.querySelector('dialog.stories').dataset.state") == "held"
    assert place(page) == here + 1, "a finger holds it"
    page.tab.mouse.up()
    assert place(page) == here + 1, "what was held is no tap"
    clock.run_for(5100)
    assert place(page) == here + 2


@case(files=("demo.mp4", "h264-bf3.mp4", "ntsc.mp4"), opened=False, reduced=True)
def of_several_films(run):
    """Each film is a part; it begins with the one that is looked at."""
    page = run.open(f"f7&m={run.server.medium('h264-bf3.mp4')['id']}")
    begun(page)
    assert place(page) == 1 and page.tab.locator(".stories-bar > span").count() == 3
    page.press("ArrowRight")
    page.until("() => document.querySelector('.stories-name').textContent == 'ntsc.mp4'")
    page.press("ArrowLeft")
    page.press("ArrowLeft")
    shown(page, 0)
    page.press("Escape")
