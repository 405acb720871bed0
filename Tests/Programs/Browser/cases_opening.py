"""The page as it opens and as it is left: one picture asked for, a browser that keeps nothing."""

import truth
from world import case


@case(opened=False, weight=2)
def one_picture(run):
    """One picture is asked for and shown, in the size that the page has: also where the facts take a line, and beside a panel."""
    for size, scale, files in (((1280, 800), 1, None), ((1280, 800), 2, None), ((360, 740), 3, None), ((1280, 800), 1, ["demo.mp4", "ntsc.mp4"])):
        server = run.serve([truth.CLIPS / name for name in files]) if files else run.server
        page = run.open("f50", server=server, size=size, scale=scale)
        page.check(frame=50)
        page.tab.wait_for_timeout(100)
        urls = [url for url in page.asked() if "at=f50" in url]
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
        page.tab.get_by_label("Use single letters and punctuation as shortcuts").uncheck()
        page.press("Escape")
        page.press("ArrowRight")
        page.check(frame=1)
        page.press("m")
        page.check(frame=1)
        assert page.evaluate("() => window.scrub.store.get('marks').length") == 1, "a letter was a key all the same"


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
