"""The page as it opens and as it is left: one picture asked for, a browser that keeps nothing, a file that is another one meanwhile."""

import os
import shutil

import truth
from world import case


def asked(page):
    """The frames' addresses that were asked for, in order."""
    return [answer.url for answer in page.answers if "/frame?" in answer.url]


@case(opened=False, weight=2)
def one_picture(run):
    """One picture is asked for and shown, in the size that the page has: also where the facts take a line, and beside a panel."""
    for size, scale, files in (((1280, 800), 1, None), ((1280, 800), 2, None), ((360, 740), 3, None), ((1280, 800), 1, ["demo.mp4", "ntsc.mp4"])):
        server = run.serve([truth.CLIPS / name for name in files]) if files else run.server
        page = run.open("f50", server=server, size=size, scale=scale)
        page.check(frame=50)
        page.tab.wait_for_timeout(100)
        urls = [url for url in asked(page) if "at=f50" in url]
        assert len(urls) == 1, f"{size} at {scale}: {urls}"
        shown = page.evaluate("() => window.scrub.log.filter(one => one.stage != 'tile').length")
        assert shown == 1, f"{size} at {scale}: {shown} pictures were shown"
        page.finish()
        page.close()
        run.pages.remove(page)


BLOCKED = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('The request is denied.', 'SecurityError'); }});"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"


@case(opened=False)
def storage_is_refused(run):
    """Where the browser keeps nothing, or has no room left, everything works for this visit."""
    for script in (BLOCKED, FULL):
        page = run.open(scripts=(script,))
        page.tab.locator("#theme").click()
        assert page.evaluate("() => document.documentElement.dataset.theme") == "light"
        page.press("m")
        page.until("() => window.scrub.store.get('marks').length == 1")
        page.press("Escape")
        page.press("?")
        page.tab.get_by_label("Single letters and signs are keys").uncheck()
        page.press("Escape")
        page.press("ArrowRight")
        page.check(frame=1)
        page.press("m")
        page.check(frame=1)
        assert page.evaluate("() => window.scrub.store.get('marks').length") == 1, "a letter was a key all the same"


@case(opened=False)
def another_file_meanwhile(run):
    """The file was replaced: the server's words stand there with a way out, the last picture stays, and nothing more is asked for."""
    clip, other = run.folder / "film.mp4", run.folder / "other/film.mp4"
    other.parent.mkdir()
    shutil.copy(truth.DEMO, clip)
    shutil.copy(truth.CLIPS / "mp4-faststart.mp4", other)
    page = run.open(server=run.serve([clip]))
    page.check(path=clip, frame=0)
    shutil.copy(other, run.folder / "new.mp4")
    os.replace(run.folder / "new.mp4", clip)
    page.allowed += ["Failed to load resource"]
    page.press("ArrowRight")
    alert = page.tab.get_by_role("alert").filter(has_text="film.mp4 was replaced while it was looked at")
    alert.wait_for()
    assert "Reload the page" in alert.inner_text(), alert.inner_text()
    page.idle()
    state = page.evaluate("() => window.scrub.state()")
    # What was there before, or a thumbnail that came with the old file's strip.
    assert state["wanted"] == 1 and (state["frame"] == 0 or state["stage"] == "tile"), f"{state}"
    assert "exact" not in page.part("verdict").inner_text()
    assert f"f{state['frame']}" in page.tab.locator("[data-pane] .pane-label:visible").inner_text()
    count = len(asked(page))
    page.press("ArrowRight", times=3)
    track = page.box("timeline")
    page.tab.mouse.move(track["x"] + 50, track["y"] + 20)
    page.tab.mouse.down()
    page.tab.mouse.move(track["x"] + 90, track["y"] + 20)
    page.tab.mouse.up()
    page.idle()
    assert len(asked(page)) == count, f"{len(asked(page)) - count} more frames of a file that is another one were asked for"
    run.picture("replaced")
    page.evaluate("() => { window.before = true; }")
    alert.get_by_role("button", name="Reload").click()
    page.until("() => window.before === undefined && window.scrub && window.scrub.state().frame != null")
    page.check(path=other)
    assert not page.tab.get_by_role("alert").filter(has_text="replaced").is_visible()


@case()
def cost_stays(run):
    """What a seek costs is still said when another pane with the same film leads."""
    page, mouse = run.page, run.page.tab.mouse

    def cost():
        track = page.box("timeline")
        mouse.move(track["x"] + 0.4 * track["width"], track["y"] + 10)
        page.part("preview").wait_for()
        page.until("() => /≤ \\d+ decoded/.test(document.querySelector('.preview').textContent)")
        mouse.move(400, 300)

    cost()
    page.compare(["demo.mp4"])
    cost()
    for pane in (1, 0):
        page.tab.locator("[data-pane] canvas").nth(pane).click()
        page.until("pane => window.scrub.state().pane == window.scrub.state().panes[pane].pane", pane)
        cost()


@case()
def types(run):
    """The picture types that the page's own call gives are those that the frames' answers carry."""
    page, name = run.page, run.page.medium(truth.DEMO)
    found = page.evaluate("async id => (await import('./api.js')).createApi().types(id, 84, 12)", name)
    frames = [run.server.get(f"media/{name}/frame?at=f{frame}&width=320").headers["Scrub-Type"] for frame in range(84, 96)]
    assert found == "".join(frames), f"{found}, not {frames}"
