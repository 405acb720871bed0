"""Accessibility by script: axe's rules, tab order, sizes of targets, computed contrast, motion, narrow screens, keyboard alone."""

import pathlib

import truth
from axe_playwright_python.sync_playwright import Axe
from world import case

SIZES = {"narrow": (360, 740), "wide": (1280, 800), "4k": (3840, 2160)}
# Colours are the same at every size, and the largest one is slow to draw: dark only.
LOOKS = [(width, scheme) for width in SIZES for scheme in ("dark", "light") if (width, scheme) != ("4k", "light")]


def axe(page, where):
    """No violation of any of axe's rules, best practices included."""
    results = Axe().run(page.tab).response
    told = [f"{one['id']} ({one['impact']}): {one['help']}: {[node['target'] for node in one['nodes'][:3]]}"
            for one in results["violations"]]
    assert not told, f"{where}: " + "\n".join(told)
    return len(results["passes"])


def in_all_looks(run, name, page, settle, largest=False):
    """One page in all looks, one after the other, as a window that is made larger and a system that turns light."""
    rules = 0
    looks = [look for look in LOOKS if largest or look[0] != "4k"]
    for width, scheme in looks:
        page.look(SIZES[width], scheme)
        settle()
        rules += axe(page, f"{name}, {width}, {scheme}")
        run.picture(f"{name}-{width}-{scheme}", page)
    run.note(f"{rules} rules passed in {len(looks)} looks")


@case(opened=False, weight=6)
def axe_loaded(run):
    page = run.open()
    page.goto("f88")
    in_all_looks(run, "loaded", page, lambda: page.check(frame=88), largest=True)


@case(files=("refused-no-moov.mp4",), opened=False, weight=6)
def axe_failed(run):
    page = run.open(ready=False)
    page.allowed += ["Failed to load resource"]
    in_all_looks(run, "failed", page, lambda: page.tab.get_by_text("cannot be read").first.wait_for())


@case(opened=False, weight=6)
def axe_empty(run):
    """Nothing has been answered yet: the page as it stands before any medium."""
    page = run.open(opened=False)
    held = []
    page.tab.route("**/api/media?*", lambda route: held.append(route))
    page.tab.goto(run.server.url + "/")
    page.tab.get_by_text("Contacting the server").wait_for()
    in_all_looks(run, "empty", page, page.part("stage").wait_for)
    for route in held:
        route.abort()
    page.allowed += ["Failed to load resource"]
    page.close()
    run.pages.remove(page)


def focusable(page):
    return page.evaluate("""() => {
        const one = document.activeElement;
        if (!one || one === document.body) return null;
        const ring = getComputedStyle(one);
        const r = one.getBoundingClientRect();
        return {tag: one.tagName, role: one.getAttribute('role'), label: one.getAttribute('aria-label') ?? one.innerText?.trim()
                    ?? one.getAttribute('title') ?? '', id: one.id, outline: ring.outlineStyle != 'none' && parseFloat(ring.outlineWidth) >= 1,
                shadow: ring.boxShadow != 'none', x: r.x, y: r.y, width: r.width, height: r.height};
    }""")


@case(weight=2)
def tab_order(run):
    """Tab reaches each control once, in the order of the page, with a ring to be seen, and comes round without a trap."""
    page = run.page
    seen = []
    for _ in range(80):
        page.press("Tab")
        one = focusable(page)
        if one is None or (seen and one == seen[0]):
            break
        seen.append(one)
    assert 5 <= len(seen) < 80, f"{len(seen)} places for Tab"
    for one in seen:
        assert one["label"] or one["tag"] in ("INPUT", "SELECT"), f"no name: {one}"
        assert one["outline"] or one["shadow"], f"no ring to be seen: {one}"
        assert one["width"] > 0 and one["height"] > 0, f"nothing to be seen: {one}"
    (run.folder / "tab.txt").write_text("\n".join(str(one) for one in seen))
    order = [one["label"] or one["id"] for one in seen]
    run.note(f"{len(order)} stops")
    (page_pictures() / "tab-order.txt").write_text("\n".join(order) + "\n")
    # The reading order is rows from the top: focus never leaps back more than a row's height outside the dock.
    for before, after in zip(seen, seen[1:]):
        assert after["y"] > before["y"] - 400, f"focus leaps back from {before} to {after}"


def page_pictures():
    from world import PICTURES
    PICTURES.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(PICTURES)


@case(weight=2)
def slider(run):
    """The timeline is a slider with a value in words, which arrows, Home, End and pages move."""
    page = run.page
    handle = page.tab.get_by_role("slider").first
    handle.focus()
    for key, frame in (("End", 209), ("Home", 0), ("ArrowUp", 1), ("ArrowRight", 2), ("ArrowDown", 1), ("ArrowLeft", 0)):
        page.press(key)
        page.check(frame=frame)
        page.until("""frame => { const one = document.querySelector('[role=slider], input[type=range]');
            return Number(one.getAttribute('aria-valuenow') ?? one.value) == frame; }""", frame)
    page.goto("f88")
    page.check(frame=88)
    page.until("""() => { const text = document.querySelector('[role=slider][aria-valuetext], input[type=range][aria-valuetext]').getAttribute('aria-valuetext');
        return /frame 88 of 2(09|10)/.test(text) && /2\\.933/.test(text) && /exact/.test(text); }""")


SMALL = """least => [...document.querySelectorAll('button, a[href], input, select, summary, [role=slider], [role=button], [role=tab]')]
    .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .map(one => { const label = one.closest('label'); const r = one.getBoundingClientRect(), l = label?.getBoundingClientRect();
        return {what: one.outerHTML.slice(0, 120), width: Math.max(r.width, l?.width ?? 0), height: Math.max(r.height, l?.height ?? 0),
                clip: r.width <= 1 || r.height <= 1}; })
    .filter(one => !one.clip && (one.width < least - 0.5 || one.height < least - 0.5))"""


@case(opened=False, weight=2)
def targets(run):
    """24 CSS pixels for a mouse, 44 for fingers."""
    page = run.open()
    small = page.evaluate(SMALL, 24)
    assert not small, f"targets under 24 px: {small[:5]}"


@case(opened=False, touch=True, size=(360, 740))
def targets_for_fingers(run):
    page = run.open()
    coarse = page.evaluate("() => matchMedia('(pointer: coarse)').matches")
    small = page.evaluate(SMALL, 44 if coarse else 24)
    assert not small, f"targets under 44 px: {small[:5]}"
    run.note("coarse" if coarse else "the browser says fine")
    # And what opens: the other buttons, the panel's parts, the dialogs.
    page.tab.locator("#others").click()
    opened = [lambda: None, *(lambda name=name: page.tab.get_by_role("tab", name=name).click() for name in ("Media", "Log", "Marks", "Compare", "Save"))]
    page.press("m")
    page.press("d")
    page.until("() => document.querySelector('#panel').checkVisibility()")
    for act in opened:
        act()
        small = page.evaluate(SMALL, 44 if coarse else 24)
        assert not small, f"targets under 44 px: {small[:5]}"
    page.tab.locator("#panel [aria-label='Close the panel']").click()
    for key in ("g", "?", "Shift+S"):
        page.press(key)
        page.tab.locator("dialog[open]").wait_for()
        small = page.evaluate(SMALL.replace("document.querySelectorAll('", "document.querySelectorAll('dialog[open] :is(").replace("[role=tab]')", "[role=tab])')"), 44 if coarse else 24)
        assert not small, f"targets under 44 px behind {key}: {small[:5]}"
        boxes = page.evaluate("""() => [...document.querySelectorAll('dialog[open] button')].filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().right)""")
        assert all(right <= 360 for right in boxes), f"outside the screen behind {key}: {boxes}"
        page.press("Escape")


RATIOS = """() => {
    const parse = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
    const behind = one => {
        for (; one; one = one.parentElement) {
            const [r, g, b, a = 1] = parse(getComputedStyle(one).backgroundColor);
            if (a > 0.99) return [r, g, b];
        }
        return [255, 255, 255];
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const one = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !one.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
        if (one.closest('[aria-hidden=true], :disabled, [aria-disabled=true], #timeline-box')) continue;
        const style = getComputedStyle(one);
        found.push({text: walker.currentNode.textContent.trim().slice(0, 40), color: parse(style.color), behind: behind(one)});
    }
    return found;
}"""


@case(opened=False, weight=2)
def contrast(run):
    """Every text on the page has 4.5 to 1 against what is behind it, in both schemes."""
    least = 21
    for scheme in ("dark", "light"):
        page = run.open(scheme=scheme)
        texts = page.evaluate(RATIOS)
        assert len(texts) > 5
        for one in texts:
            ratio = truth.contrast(one["color"], one["behind"])
            least = min(least, ratio)
            assert ratio >= 4.5, f"{scheme}: {one} has {ratio:.2f}"
    run.note(f"least {least:.2f}")


@case(opened=False, reduced=True)
def reduced_motion(run):
    page = run.open()
    page.goto("f88")
    assert page.evaluate("() => document.getAnimations().length") == 0
    page.check(frame=88)
    page.press("?")
    assert page.evaluate("() => document.getAnimations().length") == 0


@case(opened=False, weight=2)
def narrow_without_sideways_scroll(run):
    """320 CSS pixels, and text of twice the size at 640: nothing to scroll to sideways, and nothing cut off."""
    for size, zoom in (((320, 568), 1), ((360, 740), 1), ((640, 900), 2), ((1280, 800), 2)):
        page = run.open(size=size)
        if zoom != 1:
            page.evaluate("zoom => { document.documentElement.style.fontSize = `${100 * zoom}%`; }", zoom)
        page.idle()
        wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], f"{size} at {zoom}×: {wide[0]} px of content in {wide[1]}"
        cut = page.evaluate("""() => [...document.querySelectorAll('button, p, input, [role=group], section')].filter(one => one.checkVisibility({visibilityProperty: true}))
            .map(one => [one, one.getBoundingClientRect()])
            .filter(([one, r]) => r.width > 1 && (r.right > innerWidth + 1 || r.left < -1) && !one.closest('[data-scrolls]'))
            .map(([one, r]) => `${one.outerHTML.slice(0, 100)} ${r.left}..${r.right}`)""")
        assert not cut, f"{size} at {zoom}×: outside the screen: {cut[:4]}"
        box = page.box("stage")
        run.picture(f"reflow-{size[0]}-{zoom}x", page)
        if zoom == 1:
            assert box["height"] >= 0.5 * size[1], f"{size}: the picture has {box['height']} px of {size[1]}"


@case(weight=2)
def keyboard_alone(run):
    """From opening to a mark, a comparison of numbers and back, without a mouse; focus returns after each dialog."""
    page = run.page
    page.press("Tab")
    start = focusable(page)
    page.press("?")
    dialog = page.tab.get_by_role("dialog").first
    dialog.wait_for()
    page.press("Escape")
    dialog.wait_for(state="hidden")
    assert focusable(page) == start, f"focus went from {start} to {focusable(page)}"
    page.goto("f88")
    page.check(frame=88)
    page.press("m")
    page.press("ArrowRight", times=3)
    page.check(frame=91)
    page.press("[")
    page.check(frame=88)


@case(weight=2)
def aria_tree(run):
    """The accessibility tree of the main state is kept to be read, and has what a screen reader needs."""
    page = run.page
    page.goto("f88")
    page.check(frame=88)
    tree = page.tab.locator("body").aria_snapshot()
    (page_pictures() / "aria-main.yaml").write_text(tree + "\n")
    for wanted in ("slider", "button", "banner", "main"):
        assert wanted in tree, f"no {wanted} in the accessibility tree:\n{tree[:1500]}"
    live = page.evaluate("() => [...document.querySelectorAll('[aria-live]:not([aria-live=off])')].map(one => one.textContent)")
    assert not any("f88" in text for text in live), f"a live region speaks every number: {live}"
    page.press("?")
    page.tab.get_by_role("dialog").first.wait_for()
    (page_pictures() / "aria-help.yaml").write_text(page.tab.get_by_role("dialog").first.aria_snapshot() + "\n")
    axe(page, "help")
    run.picture("help")
