"""Pixels, zoom, links and saved frames: against what `scrub seek --output` writes."""

import truth
from world import case


@case(weight=2)
def one_to_one(run):
    """At one picture pixel for each of the screen's the canvas holds the very pixels of the command line's PNG."""
    page = run.page
    page.goto("f88")
    page.check(frame=88)
    page.press("z")
    page.until("() => { const b = window.__panes()[0].box; return b.width == 640 && b.height == 360; }")
    page.full_size()
    screen = page.shot()
    assert screen.size == (640, 360), screen.size
    largest, mean = truth.difference(screen, truth.pixels(truth.DEMO, 88))
    assert largest == 0, f"the screen differs from the PNG by up to {largest}, {mean:.3f} on average"
    page.press("z")
    page.until("() => window.__panes()[0].box.width > 640")
    page.check(frame=88)


@case(scale=2, weight=2)
def one_to_one_on_a_dense_screen(run):
    page = run.page
    page.press("5")
    page.check(frame=105)
    page.press("z")
    page.until("() => window.__panes()[0].box.width == 640")
    page.full_size()
    screen = page.shot()
    assert screen.size == (640, 360), screen.size
    largest, _ = truth.difference(screen, truth.pixels(truth.DEMO, 105))
    assert largest == 0, f"the screen differs from the PNG by up to {largest}"


@case(weight=2)
def zoomed_pixels_are_squares(run):
    """Above 100 % each pixel is a square of its own colour, and the inspector's values are the PNG's."""
    page = run.page
    page.goto("f60")
    page.press("z")
    for _ in range(3):
        page.press("+")
    page.full_size()
    state = page.state
    scale = state["box"]["width"] / 640
    assert scale > 1.5, f"three steps of + zoom to {scale}"
    png, screen = truth.pixels(truth.DEMO, 60), truth.decoded(page.screen())
    place = page.evaluate("() => { const r = window.__panes()[0].canvas.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }")
    cells = [(x, y) for x in range(280, 360, 7) for y in range(160, 201, 5)]

    def right(shift_x, shift_y):
        at = [(place[0] + state["box"]["x"] + (x + 0.5) * scale + shift_x, place[1] + state["box"]["y"] + (y + 0.5) * scale + shift_y)
              for x, y in cells]
        return sum(screen.getpixel((int(left), int(top))) == png.getpixel(cell) for cell, (left, top) in zip(cells, at))

    # Where the picture begins is known to a pixel or two; from there on every cell is in its place.
    best = max(right(x, y) for x in (-2, -1, 0, 1, 2) for y in (-2, -1, 0, 1, 2))
    assert best == len(cells), f"{len(cells) - best} of {len(cells)} pixels have another colour than in the PNG"
    run.picture("zoomed")


@case(weight=2)
def link(run):
    """The address names the frame that is shown; opened anew it leads there first, and to no other frame before."""
    page = run.page
    page.goto("f88")
    page.check(frame=88)
    page.until("() => location.hash.startsWith('#f88')")
    address = page.evaluate("() => location.href")
    page.tab.reload()
    page.ready()
    page.check(frame=88)
    other = run.open(opened=False)
    other.tab.goto(address)
    other.ready()
    other.check(frame=88)
    asked = other.asked()
    assert asked and all("at=f88&" in url or url.endswith("at=f88") for url in asked), f"asks for others first: {asked}"
    for fragment, frame in (("f0", 0), ("f209", 209), ("f210", 209), ("f-1", 0), ("fx", 0), ("f1e2", None), ("%F0%9F", 0)):
        other.tab.goto("about:blank")
        other.go(fragment)
        other.check(frame=frame)


@case()
def a_link_typed_into_the_same_page(run):
    run.page.evaluate("() => { location.hash = '#f150'; }")
    run.page.until("() => window.scrub.state().frame == 150")
    run.page.check(frame=150)


@case()
def reload_sends_nothing_for_a_kept_frame(run):
    """The exact frame is kept by the browser under its fingerprint: the second time it comes from there."""
    page = run.page
    page.goto("f88")
    page.check(frame=88)
    page.until("() => location.hash.startsWith('#f88')")
    page.tab.reload()
    page.ready()
    page.check(frame=88)
    sizes = page.evaluate("""() => performance.getEntriesByType('resource')
        .filter(one => /at=f88&.*v=/.test(one.name)).map(one => one.transferSize)""")
    assert sizes and sizes[-1] == 0, f"bytes over the network for a frame that was kept: {sizes}"


@case()
def save_frame(run):
    """The file that is saved is the command line's PNG, pixel by pixel, under a name that says film and frame."""
    page = run.page
    page.goto("f88")
    page.check(frame=88)
    with page.tab.expect_download() as waiting:
        page.press("s")
    download = waiting.value
    assert "demo" in download.suggested_filename and "88" in download.suggested_filename, download.suggested_filename
    path = run.folder / "saved"
    download.save_as(path)
    largest, _ = truth.difference(truth.decoded(path.read_bytes()), truth.pixels(truth.DEMO, 88))
    assert largest == 0, f"what was saved differs by up to {largest}"


@case()
def copy_link(run):
    page = run.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("f88")
    page.check(frame=88)
    page.press("c")
    page.until_true("async () => (await navigator.clipboard.readText()).includes('#f88')")
