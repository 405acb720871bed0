"""What the server does for a page: counted, stopped and started again, with files that change, are damaged or are none."""

import os
import re
import shutil

import truth
from server import rested
from world import case


@case(files=("big",), own=True, weight=2)
def closed_page_stops_decoding(run):
    """A page that goes in the middle of a drag leaves nothing under way."""
    page = run.open()
    track, mouse = page.box("timeline"), page.tab.mouse
    y = track["y"] + track["height"] / 2
    mouse.move(track["x"] + 5, y)
    mouse.down()
    for step in range(60):
        mouse.move(track["x"] + (step * 37 % 100) / 100 * track["width"], y)
    page.close()
    run.pages.remove(page)
    counts = rested(run.server)
    assert counts["decodesBegun"] == counts["decodesFinished"] + counts["decodesCancelled"], counts


@case(own=True, weight=2)
def server_stopped_and_back(run):
    """Without a server the last picture stays and the page says so; with it back the page goes on by itself or at the next key."""
    page = run.page
    page.press("3")
    there = page.check()
    run.server.stop()
    page.allowed += ["net::ERR_", "Failed to load resource"]
    page.press("End")
    page.tab.get_by_role("alert").filter(has_text="server").first.wait_for()
    state = page.state
    # The last picture, or the strip's small one of the place; each under its own number, and neither called exact.
    assert state["text"] == state["frame"] == truth.burned_in(page.shot()), f"{state}"
    assert state["frame"] == there or state["stage"] == "tile", f"{state}"
    assert "exact" not in page.part("verdict").inner_text(), page.part("verdict").inner_text()
    run.picture("server-stopped")
    run.server.start()
    page.until("() => { const s = window.scrub.state(); return s.frame == 209 && s.stage == 'exact'; }", timeout=30_000)
    page.check(frame=209)
    page.until("() => ![...document.querySelectorAll('[role=alert]')].some(one => one.checkVisibility() && one.textContent.trim())")


@case(opened=False, weight=2)
def file_replaced(run):
    """A file replaced under its name: the page says so, the last picture stays, and nothing more is asked for. A reload shows the new
    one's frames, none of the old ones out of the browser's cache, though the address is the same."""
    clip = run.folder / "film.mp4"
    shutil.copy(truth.DEMO, clip)
    server = run.serve([clip])
    page = run.open(server=server)
    page.goto("f50")
    page.check(path=clip, frame=50)
    other = run.folder / "other.mp4"
    shutil.copy(truth.CLIPS / "mp4-faststart.mp4", other)
    os.replace(other, clip)
    page.allowed += ["Failed to load resource"]
    page.press("ArrowRight")
    alert = page.tab.get_by_role("alert").filter(has_text="film.mp4 was replaced")
    alert.wait_for()
    assert "Reload the page" in alert.inner_text(), alert.inner_text()
    page.idle()
    state = page.evaluate("() => window.scrub.state()")
    # What was there before, or a thumbnail that came with the old file's strip.
    assert state["wanted"] == 51 and (state["frame"] == 50 or state["stage"] == "tile"), f"{state}"
    assert "exact" not in page.part("verdict").inner_text()
    assert f"f{state['frame']}" in page.tab.locator("[data-pane] .pane-label:visible").inner_text()
    asked = len(page.asked())
    page.press("ArrowRight", times=3)
    track = page.box("timeline")
    page.tab.mouse.move(track["x"] + 50, track["y"] + 20)
    page.tab.mouse.down()
    page.tab.mouse.move(track["x"] + 90, track["y"] + 20)
    page.tab.mouse.up()
    page.idle()
    more = len(page.asked()) - asked
    assert more == 0, f"{more} more frames of a file that is another one were asked for"
    run.picture("file-replaced")
    truth.all_frames.cache_clear()
    truth.pixels.cache_clear()
    page.evaluate("() => { window.before = true; }")
    alert.get_by_role("button", name="Reload").click()
    page.until("() => window.before === undefined && window.scrub && window.scrub.state().frame != null")
    page.ready()
    assert not page.tab.get_by_role("alert").filter(has_text="replaced").is_visible()
    page.go("f50")
    page.check(path=clip, frame=50)
    assert page.evaluate("() => window.scrub.store.get('media')[0].frameCount") == 100
    largest, mean = truth.difference(page.shot().resize((96, 56)), truth.pixels(clip, 50).resize((96, 56)))
    assert mean < 12, f"the old film's picture under the new one's name: {largest}, {mean:.1f} on average"


@case(opened=False)
def file_overwritten(run):
    """A file written over in place is never shown as exact frames of what it was."""
    clip = run.folder / "film.mp4"
    shutil.copy(truth.DEMO, clip)
    server = run.serve([clip])
    page = run.open(server=server)
    page.check(path=clip, frame=0)
    shutil.copyfile(truth.CLIPS / "mp4-faststart.mp4", clip)
    page.allowed += ["Failed to load resource"]
    page.press("9")
    page.tab.get_by_role("alert").filter(has_text="film.mp4").first.wait_for()
    page.idle()
    assert "exact" not in page.part("verdict").inner_text()


@case(files=("damaged-h264.mp4",), own=False)
def damaged_frames(run):
    """A damaged frame is shown and called so."""
    page, path = run.page, truth.CLIPS / "damaged-h264.mp4"
    for frame, verdict in ((36, "damaged"), (30, "exact"), (60, "damaged")):
        assert truth.all_frames(path)[frame]["verdict"] == verdict
        page.goto(f"f{frame}")
        page.check(path=path, frame=frame, verdict=verdict)
        assert verdict in page.part("verdict").inner_text().lower()
    run.picture("damaged")


@case(files=("damaged-av1.mkv",))
def undecodable_frames(run):
    """A frame that cannot be decoded is said in words; the last good one stays with its own number; it is not asked for again."""
    page, path = run.page, truth.CLIPS / "damaged-av1.mkv"
    page.allowed += ["Failed to load resource"]
    page.goto("f32")
    page.check(path=path, frame=32)
    page.goto("f33")
    page.tab.get_by_role("alert").filter(has_text="33").first.wait_for()
    page.idle()
    state = page.state
    # The line says the frame that failed; the picture that stays says its own number itself.
    assert state["wanted"] == 33 and state["frame"] == 32, f"{state}"
    assert "failed" in page.part("verdict").inner_text(), page.part("verdict").inner_text()
    assert "f32" in page.tab.locator("[data-pane] .pane-label:visible").first.inner_text()
    asked = len(page.asked())
    page.tab.wait_for_timeout(400)
    again = len(page.asked()) - asked
    assert again == 0, f"a frame that cannot be decoded is asked for again {again} times"
    run.picture("undecodable")
    page.goto("f42")
    assert truth.all_frames(path)[42]["verdict"] == "exact"
    page.check(path=path, frame=42)
    page.until("() => ![...document.querySelectorAll('[role=alert]')].some(one => one.checkVisibility() && one.textContent.includes('33'))")


@case(files=("refused-no-moov.mp4",), own=True, opened=False)
def no_video_at_all(run):
    """A file that cannot be opened is named, with what is wrong; the page is not empty and not broken."""
    page = run.open(ready=False)
    page.allowed += ["Failed to load resource"]
    page.tab.get_by_text("refused-no-moov.mp4").first.wait_for()
    page.tab.get_by_text("cannot be read").first.wait_for()
    run.picture("failed")


@case(files=("demo.mp4", "refused-no-moov.mp4", "h264-bf3.mp4"), own=True)
def one_bad_file_among_good_ones(run):
    run.page.allowed += ["Failed to load resource"]
    run.page.press("5")
    run.page.check(frame=105)
    run.page.tab.get_by_text("refused-no-moov.mp4").first.wait_for(state="attached")


@case()
def inline_scripts_are_refused(run):
    """The page's policy: neither a script nor a style in the text itself, nothing from elsewhere, no frames."""
    page = run.page
    page.allowed += ["Content Security Policy", "violates the following"]
    page.evaluate("""() => {
        const script = document.createElement('script');
        script.textContent = 'window.broken = true';
        document.body.append(script);
        const button = document.createElement('button');
        button.setAttribute('onclick', 'window.broken = true');
        document.body.append(button);
        button.click();
    }""")
    assert page.evaluate("() => window.broken") is None, "an inline script ran"
    told = [text for text in page.console if "Content Security Policy" in text]
    assert len(told) >= 2, f"the browser reports {len(told)} refusals: {page.console}"
    header = next(one for one in page.answers if one.request.is_navigation_request()).headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
        assert part in header, f"{part} is not in {header}"
    assert "unsafe" not in header, header


@case()
def nothing_is_asked_of_others(run):
    """A look at what came: the types are said, sniffing is off, and no cookie is set on loopback."""
    run.page.press("5")
    run.page.check()
    for answer in run.page.answers:
        headers = answer.headers
        if answer.url.startswith("http"):
            assert headers.get("x-content-type-options") == "nosniff", answer.url
            assert "set-cookie" not in headers, answer.url
            assert "access-control-allow-origin" not in headers, answer.url


@case(opened=False)
def a_name_is_only_text(run):
    """A file whose name is HTML is shown by that name."""
    name = "<img src=x onerror=alert(1)>&amp;\"'.mp4"
    clip = run.folder / name
    shutil.copy(truth.DEMO, clip)
    page = run.open(server=run.serve([clip]))
    page.check(path=clip, frame=0)
    assert name in page.evaluate("() => document.body.innerText + [...document.querySelectorAll('option,[title]')].map(o => o.textContent + o.title).join('')")
    assert page.evaluate("() => document.querySelectorAll('img[src=x]').length") == 0


def slow_network(page):
    session = page.cdp()
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions",
                 {"offline": False, "latency": 40, "downloadThroughput": 200_000, "uploadThroughput": 200_000})


@case(opened=False)
def loading(run):
    """On a slow line the page has its shape at once, says that it loads, and gets there."""
    page = run.open(opened=False)
    slow_network(page)
    page.tab.goto(run.server.url + "/", wait_until="commit")
    page.part("stage").wait_for()
    run.picture("loading")
    page.tab.wait_for_function("() => window.scrub && window.scrub.state().frame != null", timeout=30_000)
    page.check(frame=0)




@case(weight=2)
def log_of_what_the_server_does(run):
    """One stream while the log is open, none before and after; what is asked for stands in it."""
    page = run.page
    assert not [url for url in page.waiting.values() if url.endswith("/events")]
    page.tab.locator("#panel-button, [aria-label='Panel']").first.click()
    page.tab.get_by_role("tab", name="Log").click()
    page.tab.get_by_role("tabpanel", name="Log").wait_for()
    page.press("5")
    page.check(frame=105)
    page.tab.get_by_role("tabpanel", name="Log").get_by_text("f105").first.wait_for()
    assert len([url for url in page.waiting.values() if url.endswith("/events")]) == 1
    # A drag: each of its moves is counted, and so are those whose frame was there in time, as the server says.
    track, mouse = page.box("timeline"), page.tab.mouse
    mouse.move(track["x"] + 100, track["y"] + track["height"] / 2)
    mouse.down()
    for step in range(1, 13):
        mouse.move(track["x"] + 100 + 30 * step, track["y"] + track["height"] / 2)
    mouse.up()
    page.check()
    page.until("() => / in time for \\d+ of \\d+ moves/.test(document.getElementById('panel-log').innerText)")
    told = re.search(r"in time for (\d+) of (\d+) moves", page.tab.get_by_role("tabpanel", name="Log").inner_text())
    assert 0 <= int(told[1]) <= int(told[2]) <= 14 and int(told[2]) > 0, told[0]
    run.picture("log")
    page.press("Escape")
    page.until("() => !document.getElementById('panel-log').checkVisibility()")
