"""Decoded pictures are large: each one is closed when it is not shown any more, whatever happened to it."""

from server import rested
from world import case
from cases_flash import restless, shuffled

# Knows the pictures that are open, also those that other code made on the page's thread.
COUNT = """
(() => {
  const open = new Set(), make = window.createImageBitmap.bind(window), close = ImageBitmap.prototype.close;
  let most = 0;
  window.createImageBitmap = async (...what) => {
    const made = await make(...what);
    open.add(made);
    most = Math.max(most, open.size);
    return made;
  };
  ImageBitmap.prototype.close = function () { open.delete(this); close.call(this); };
  window.__bitmaps = () => ({open: open.size, most});
})();
"""


def opened(run, *scripts):
    """A page that counts, when the strip is whole: a sheet that still grows would be decoded anew."""
    name = run.server.media()[0]["id"]
    for _ in range(200):
        strip = run.server.get(f"media/{name}/strip.json").json()
        if strip["state"] == "ready":
            break
        rested(run.server)
    page = run.open(scripts=(COUNT, *scripts))
    sheets = len(strip["sheets"])
    page.until("sheets => window.__bitmaps().open == 1 + sheets", sheets)
    return page, sheets


def settled(page, wanted, where):
    page.idle()
    for _ in range(100):
        found = page.evaluate("() => window.__bitmaps()")
        if found["open"] == wanted:
            return found["most"]
        page.tab.wait_for_timeout(20)
    raise AssertionError(f"{where}: {found['open']} pictures are open, not {wanted}")


@case(opened=False, weight=3)
def drag(run):
    page, sheets = opened(run)
    restless(page, 41, 100)
    most = settled(page, 1 + sheets, "after a drag")
    # Shown, about to be shown, and two that are being decoded.
    assert most <= sheets + 5, f"{most} pictures were open at once"
    page.press("ArrowRight", times=12)
    settled(page, 1 + sheets, "after steps")
    run.note(f"at most {most} with {sheets} of the strip")


@case(opened=False, weight=3)
def drag_with_late_answers(run):
    """Pictures that come too late to be shown are closed too."""
    page, sheets = opened(run, shuffled(42, True, 150))
    restless(page, 42, 60)
    settled(page, 1 + sheets, "after a drag with late answers")


@case(opened=False, weight=2)
def panes_and_stories(run):
    """A pane that is taken away, also in the middle of a drag, and stories leave nothing behind."""
    page, sheets = opened(run)
    page.compare(["demo.mp4"])
    settled(page, 2 + sheets, "side by side")
    page.evaluate("() => document.querySelectorAll('#panel-compare [aria-label^=\"Remove B\"]')[0].click()")
    settled(page, 1 + sheets, "with one of two taken away at rest")
    page.compare(["demo.mp4"])
    track, mouse = page.box("timeline"), page.tab.mouse
    mouse.move(track["x"] + 30, track["y"] + 20)
    mouse.down()
    for step in range(20):
        mouse.move(track["x"] + 30 + step * 20, track["y"] + 20)
    page.evaluate("() => document.querySelectorAll('#panel-compare [aria-label^=\"Remove B\"]')[0].click()")
    mouse.up()
    settled(page, 1 + sheets, "with one of two taken away in a drag")
    page.press("Shift+S")
    page.part("stories").wait_for()
    page.press("ArrowRight", times=3)
    page.until("() => document.querySelector('dialog.stories').dataset.index > 1")
    page.press("Escape")
    settled(page, 1 + sheets, "after stories")
