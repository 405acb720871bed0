"""Cases and what they run in: a worker has one browser and one server for each set of files; every case a fresh context."""

import importlib
import os
import pathlib
import shutil
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

import truth
from page import ViewerPage
from server import ROOT, Server

HERE = pathlib.Path(__file__).resolve().parent
PICTURES = pathlib.Path(os.environ.get("SCRUB_BROWSER_PICTURES") or ROOT / ".build/browser")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
_cases = {}


class Case:
    """A test and the world it asks for. `files` are names of test clips, or "big" for one of 1920x1080."""

    def __init__(self, function, files=("demo.mp4",), size=(1280, 800), scheme="dark", touch=False, reduced=False,
                 scale=1, own=False, server=(), opened=True, weight=1, named=False):
        self.function, self.files, self.size, self.scheme = function, tuple(files), size, scheme
        self.touch, self.reduced, self.scale = touch, reduced, scale
        # A server of its own for cases that stop it, change its files or count what it does.
        self.own, self.opened, self.weight = own, opened, weight
        # Options for the program.
        self.server = tuple(server)
        # Run only when it is named.
        self.named = named


def case(**wishes):
    def add(function):
        module = function.__module__.removeprefix("cases_")
        _cases[f"{module}.{function.__name__}"] = Case(function, **wishes)
        return function
    return add


def cases():
    if not _cases:
        for file in sorted(HERE.glob("cases_*.py")):
            importlib.import_module(file.stem)
    return _cases


class Run:
    """What a case gets: `page` to use, `server` to ask, `note` for figures, `picture` to keep a screenshot."""

    def __init__(self, worker, name, case, server, folder):
        self.worker, self.name, self.case, self.server, self.folder = worker, name, case, server, folder
        self.notes, self.pages, self.servers = [], [], []
        # For programs that a case runs.
        self.environment = {**os.environ, "CHROMIUM": CHROMIUM, "PYTHONDONTWRITEBYTECODE": "1"}
        # The paths of the files it asked for, by the names it asked with.
        self.files = dict(zip(case.files, worker.files(case.files)))

    def serve(self, files, *arguments):
        """A server of the case's own for other files; it ends with the case."""
        self.servers.append(Server(files, *arguments))
        return self.servers[-1]

    def open(self, fragment="", server=None, opened=True, ready=True, **wishes):
        """A page in a context of its own. The first one is `page`."""
        page = ViewerPage(self.worker.browser, server or self.server, self.case, pool=self.worker.tabs, **wishes)
        self.pages.append(page)
        if opened:
            page.go(fragment, ready)
        return page

    @property
    def page(self):
        return self.pages[0]

    def note(self, text):
        self.notes.append(text)

    def picture(self, name, page=None):
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.png").write_bytes((page or self.page).screen())


class Worker:
    def __enter__(self):
        self.playwright = sync_playwright().start()
        # Pictures are drawn by the processor, which is sooner done without a driver in software between. Nothing is
        # slowed down for not being in front: every page here is looked at.
        self.browser = self.playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
                  "--disable-backgrounding-occluded-windows", "--force-color-profile=srgb", "--disable-gpu"])
        self.folder = tempfile.TemporaryDirectory(prefix="scrub-browser-")
        self.servers = {}
        # Tabs that earlier cases have left, by kind.
        self.tabs = {}
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.__exit__()
        self.browser.close()
        self.playwright.stop()
        self.folder.cleanup()

    def files(self, names):
        return [truth.big_clip(os.environ.get("SCRUB_BROWSER_CLIPS") or self.folder.name) if name == "big" else truth.CLIPS / name for name in names]

    def run(self, name):
        case = cases()[name]
        begun, error, run = time.monotonic(), None, None
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))
        server = None
        try:
            if not case.files:
                server = None
            elif case.own:
                server = Server(self.files(case.files), *case.server)
            else:
                if case.files not in self.servers:
                    self.servers[case.files] = Server(self.files(case.files))
                server = self.servers[case.files]
            run = Run(self, name, case, server, folder)
            if case.opened:
                run.open()
            case.function(run)
            for page in run.pages:
                page.finish()
        except Exception as problem:  # noqa: BLE001  (whatever went wrong is this case's failure)
            error = self.described(problem)
            if run is not None:
                self.keep(run)
                said = [text for page in run.pages for text in page.console + page.failures]
                error += "".join(f"\nthe browser: {text[:220]}" for text in dict.fromkeys(said[:4]))
                error += "".join(f"\nthe page: {self.state(page)}" for page in run.pages)
        finally:
            for page in run.pages if run else []:
                try:
                    page.close() if error else page.leave()
                except Exception:  # noqa: BLE001  (the case is over; a tab that cannot be emptied is none for the next)
                    page.context.close()
            for one in run.servers if run else []:
                one.__exit__()
            if server is not None and case.own:
                server.__exit__()
        return {"name": name, "error": error, "seconds": time.monotonic() - begun, "notes": run.notes if run else []}

    @staticmethod
    def described(problem):
        place = [one for one in traceback.extract_tb(problem.__traceback__) if "Tests/Programs/Browser" in one.filename]
        lines = " < ".join(f"{pathlib.Path(one.filename).name}:{one.lineno}" for one in reversed(place[-4:]))
        return f"{type(problem).__name__}: {str(problem)[:1500]}\n{lines}"

    @staticmethod
    def state(page):
        """What a page that failed shows, and what it waits for: where no picture is kept, nothing else says it."""
        try:
            state = page.evaluate("() => JSON.stringify(window.scrub?.state() ?? document.body?.innerText ?? '')")
        except Exception:  # noqa: BLE001  (a page that is gone shows nothing)
            state = "gone"
        return f"{state[:600]}; waiting for {list(page.waiting.values())[:4]}; asked last: {[answer.url[-60:] for answer in page.answers[-3:]]}"

    @staticmethod
    def keep(run):
        for i, page in enumerate(run.pages):
            try:
                run.picture(f"failed-{run.name}-{i}", page)
            except Exception:  # noqa: BLE001  (a page that is gone has no picture)
                pass
