"""The viewer's page as the tests use it: opened, dragged, asked what it shows; and what the browser says of it."""

import base64
import re

import sampler
import truth

FRAME = re.compile(r"f(\d+)")

# How the page calls its parts.
PARTS = {
    "stage": "#stage", "timeline": "#timeline", "preview": ".preview", "goto": "#goto-input", "number": "#facts .number",
    "verdict": "#facts .verdict", "facts": "#facts", "stories": "dialog.stories", "story": "[data-part=story-field]",
    "difference-numbers": ".difference-numbers",
}

# The panes as they are at this moment. They are the page's own report, the number that people read, and the picture's
# place in the canvas' own pixels. That place is reckoned here, not asked: centred, and as large as it fits or as the
# zoom says.
PANES = """
window.__panes = () => {
  const state = window.scrub.state(), store = window.scrub.store.state, log = window.scrub.log;
  const read = selector => Number(/^f(\\d+)$/.exec(document.querySelector(selector)?.textContent ?? '')?.[1] ?? NaN);
  const said = read('#facts .number');
  return (state.panes ?? []).map(one => {
    const canvas = document.querySelector(`[data-pane="${one.pane}"] canvas`);
    const medium = store.media.find(other => other.id === one.medium);
    const fit = Math.min(canvas.width / medium.width, canvas.height / medium.height);
    const scale = store.zoom.percent == null ? fit : store.zoom.percent / 100;
    const [width, height] = [medium.width * scale, medium.height * scale];
    const place = (room, length) => length <= room ? Math.round((room - length) / 2)
      : Math.round(Math.min(Math.max(room / 2 - length / 2, room - length), 0));
    const leads = one.pane === state.pane;
    // Beside others each pane has a number of its own; the leader's is said twice.
    const own = state.panes.length > 1 ? read(`[data-part=number][data-pane="${one.pane}"]`) : said;
    return {
      state: {...one, turn: log.findLast(commit => commit.pane === one.pane)?.turn ?? 0, leads},
      text: leads && own !== said ? null : own,
      canvas,
      box: {x: place(canvas.width, width), y: place(canvas.height, height), width, height},
    };
  });
};
"""


class ViewerPage:
    def __init__(self, browser, server, case, scripts=(), pool=None, **wishes):
        size = wishes.get("size", case.size)
        looks = {"color_scheme": wishes.get("scheme", case.scheme),
                 "reduced_motion": "reduce" if wishes.get("reduced", case.reduced) else "no-preference"}
        self.server = server
        # A tab of an earlier case, emptied, is as good as a new one, and much sooner there. `kind` is what cannot be
        # changed later.
        self.kind, self.pool = (case.touch, wishes.get("scale", case.scale)), None if scripts else pool
        kept = self.pool.pop(self.kind, None) if self.pool else None
        self.session = None
        if kept:
            self.context, self.tab, self.session = kept
            self.tab.set_viewport_size({"width": size[0], "height": size[1]})
            self.tab.emulate_media(**looks)
        else:
            self.context = browser.new_context(
                viewport={"width": size[0], "height": size[1]}, device_scale_factor=self.kind[1], has_touch=case.touch, is_mobile=False,
                accept_downloads=True, **looks)
            self.tab = self.context.new_page()
            self.tab.set_default_timeout(10_000)
            for script in (PANES, sampler.SCRIPT, *scripts):
                self.tab.add_init_script(script)
        self.console, self.failures, self.waiting, self.answers = [], [], {}, []
        # What a case provokes itself, as parts of messages.
        self.allowed = []
        self.listeners = {
            "console": lambda message: self.console.append(f"{message.type}: {message.text} {message.location}"),
            "pageerror": lambda error: self.console.append(f"error: {error}"),
            "request": lambda request: self.waiting.__setitem__(request, request.url),
            "requestfinished": lambda request: self.waiting.pop(request, None),
            "requestfailed": self.request_failed,
            "response": lambda response: self.answers.append(response),
        }
        for event, listener in self.listeners.items():
            self.tab.on(event, listener)

    def request_failed(self, request):
        self.waiting.pop(request, None)
        # A page may give up what it asked for; everything else that fails is one.
        if request.failure != "net::ERR_ABORTED":
            self.failures.append(f"{request.url}: {request.failure}")

    def go(self, fragment="", ready=True):
        self.tab.goto(f"{self.server.url}/{'#' + fragment if fragment else ''}")
        if ready:
            self.ready()

    def ready(self):
        try:
            self.tab.wait_for_function("() => window.scrub && window.scrub.state().frame != null", timeout=30_000)
        except Exception as error:
            state = self.tab.evaluate("() => window.scrub ? JSON.stringify(window.scrub.state()) : document.body.innerText")
            waiting = [request.url for request in self.waiting]
            raise AssertionError(f"nothing is shown: {state}; {self.tab.url}; waiting for {waiting}; {self.server.status()}") from error
        self.idle()

    def idle(self):
        """Waits until what is shown is final and nothing is under way."""
        self.tab.evaluate("() => Promise.race([window.scrub.idle(), new Promise((_, no) => setTimeout(no, 15000, 'never idle'))])")

    def look(self, size, scheme):
        """Another size of the window and another scheme of the system, drawn."""
        self.tab.set_viewport_size({"width": size[0], "height": size[1]})
        self.tab.emulate_media(color_scheme=scheme)
        self.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, script, *arguments):
        return self.tab.evaluate(script, *arguments)

    def until(self, script, argument=None, timeout=10_000):
        """Waits for a condition in the page: an expression of JavaScript or a function of `argument`."""
        self.tab.wait_for_function(script, arg=argument, timeout=timeout)

    def until_true(self, script, argument=None, tries=250):
        """Waits for what a function that has to be awaited says."""
        for _ in range(tries):
            if self.tab.evaluate(script, argument):
                return
            self.tab.wait_for_timeout(20)
        raise AssertionError(f"never true: {script}")

    # What it shows

    @property
    def state(self):
        return self.evaluate("() => window.__panes().map(one => ({...one.state, text: one.text, box: one.box}))")[0]

    @property
    def states(self):
        return self.evaluate("() => window.__panes().map(one => ({...one.state, text: one.text, box: one.box}))")

    @property
    def frame(self):
        return self.state["frame"]

    def part(self, name):
        return self.tab.locator(PARTS[name] + ":visible").first

    def canvas(self, pane=0):
        return self.tab.locator("[data-pane] canvas").nth(pane)

    def shot(self, pane=0):
        """The pixels on the screen where the picture of a pane lies."""
        box = self.evaluate("""index => {
            const one = window.__panes()[index], shape = one.canvas.getBoundingClientRect();
            const scale = shape.width / one.canvas.width;
            return {x: shape.x + one.box.x * scale, y: shape.y + one.box.y * scale,
                    width: one.box.width * scale, height: one.box.height * scale};
        }""", pane)
        return truth.decoded(self.screen(box))

    def screen(self, box=None):
        """A PNG of the page as it stands on the screen, or of a piece of it."""
        self.session = self.session or self.context.new_cdp_session(self.tab)
        clip = {"clip": {**box, "scale": 1}} if box else {}
        answer = self.session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True, **clip})
        return base64.b64decode(answer["data"])

    def check(self, path=truth.DEMO, frame=None, pane=0, verdict="exact"):
        """The truth after an action: number said = Scrub-Frame = number in the screenshot; hash = the command line's."""
        self.idle()
        state = self.states[pane]
        shown = state["frame"]
        assert frame is None or shown == frame, f"f{shown} is shown, not f{frame}"
        assert state["wanted"] == shown, f"f{shown} is shown and f{state['wanted']} wanted, at rest"
        assert state["text"] == shown, f"the page says f{state['text']} and shows f{shown}"
        assert (state["stage"], state["verdict"]) == ("exact", verdict), f"{state} is not exact, {verdict}"
        known = truth.one_frame(path, shown)
        assert known["verdict"] == verdict, f"scrub seek says {known['verdict']}"
        answer = self.server.get(f"media/{self.medium(path)}/frame?at=f{shown}&hash=1")
        assert answer.headers["Scrub-Frame"] == str(shown), f"Scrub-Frame {answer.headers['Scrub-Frame']} for f{shown}"
        assert answer.headers["Scrub-Hash"] == known["hash"], f"f{shown}: {answer.headers['Scrub-Hash']}, not {known['hash']}"
        if verdict == "exact":
            number, drawn = truth.burned_in(self.shot(pane)), truth.drawn(path, shown)
            assert number == drawn, f"the screen shows f{number}, not the page's f{shown} (drawn: {drawn})"
        return shown

    def medium(self, path):
        return self.server.medium(path.name)["id"]

    def asked(self):
        """The frames' addresses that were asked for, in order."""
        return [answer.url for answer in self.answers if "/frame?" in answer.url]

    # What people do

    def press(self, key, times=1):
        for _ in range(times):
            self.tab.keyboard.press(key)

    def goto(self, position):
        """Goes to a place by typing it."""
        self.press("g")
        self.part("goto").fill(position)
        self.press("Enter")

    def box(self, name):
        return self.part(name).bounding_box()

    def full_size(self):
        """Waits until the picture is shown from PNG, pixel by pixel."""
        self.idle()
        self.until("() => window.scrub.store.state.panes.every(pane => pane.shown?.format == 'png' && pane.shown.width == null)")

    def open_panel(self, name):
        """Opens a part of the side panel by its button."""
        if not self.evaluate("name => document.getElementById(`panel-${name}`)?.checkVisibility()", name):
            self.tab.locator(f"#{name}").click()
            self.tab.locator(f"#panel-{name}").wait_for()

    def compare(self, names):
        """Puts films beside the one that is shown, as people do it: by the panel."""
        self.open_panel("compare")
        for name in names:
            count = len(self.states)
            self.tab.locator("[data-part=compare-film]").select_option(self.server.medium(name)["id"])
            self.tab.locator("[data-part=compare-add]").click()
            self.until("count => window.scrub.state().panes.length == count && window.scrub.state().panes.every(one => one.frame != null)", count + 1)
        self.idle()

    def lock(self, how):
        self.open_panel("compare")
        self.tab.locator(f"input[name=lock][value={how}]").check(force=True)
        self.idle()

    def sample(self):
        self.evaluate("() => window.__sampler.start()")

    def sampled(self):
        return self.evaluate("() => window.__sampler.stop()")

    def cdp(self):
        # What is set through it stays: such a tab is not used again.
        self.pool = None
        return self.context.new_cdp_session(self.tab)

    def clock(self):
        """A clock that stands or goes as the case says. It would stand for later cases too: such a tab is not used again."""
        self.pool = None
        self.tab.clock.install()
        return self.tab.clock

    # The end

    def finish(self):
        """Nothing may be left open, said or failed that the case did not provoke."""
        self.until("() => document.readyState == 'complete'")
        for _ in range(200):
            if not self.waiting:
                break
            self.tab.wait_for_timeout(20)
        streams = [url for url in self.waiting.values() if url.endswith("/events")]
        left = [url for url in self.waiting.values() if url not in streams]
        assert not left, f"requests are left open: {left}"
        # A stream takes one of the six connections that a browser has for a server: only while its panel is open.
        listening = self.evaluate("() => document.getElementById('panel-log')?.checkVisibility() ?? false")
        assert not streams or listening, f"{len(streams)} event streams without anybody who looks"
        told = [text for text in self.console + self.failures if not any(part in text for part in self.allowed)]
        assert not told, "the browser says: " + "; ".join(told[:5])
        outside = {answer.url for answer in self.answers
                   if not answer.url.startswith((self.server.url.split("?")[0], "blob:", "data:"))}
        assert not outside, f"asked of others: {outside}"

    def close(self):
        self.pool = None
        self.context.close()

    def leave(self):
        """After a case that passed: empties the tab for the next one, where that can be done; else closes it."""
        if self.pool is None or self.kind in self.pool or self.tab.is_closed():
            self.context.close()
            return
        for other in self.context.pages:
            if other != self.tab:
                other.close()
        for event, listener in self.listeners.items():
            self.tab.remove_listener(event, listener)
        self.tab.unroute_all(behavior="ignoreErrors")
        self.context.clear_permissions()
        self.tab.mouse.move(0, 0)
        self.tab.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.tab.goto("about:blank")
        self.session = self.session or self.context.new_cdp_session(self.tab)
        self.session.send("Network.clearBrowserCache")
        self.pool[self.kind] = (self.context, self.tab, self.session)
