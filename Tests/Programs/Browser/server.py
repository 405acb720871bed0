"""The viewer's server as a process of the tests' own: started, asked, stopped, and started again on the same port."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRUB = os.environ.get("SCRUB", str(ROOT / ".build/release/scrub"))
SCRUB_VIEW = os.environ.get("SCRUB_VIEW", str(ROOT / ".build/release/scrub-view"))
# A folder whose files are served instead of those built into the program: for work on the page without building.
PAGE = os.environ.get("SCRUB_VIEW_PAGE", "")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


def free_port():
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """`scrub-view FILES… --json`. `url` is where the page is, `api` where its data is, both without a slash at the end."""

    def __init__(self, files, *arguments, environment=None):
        self.files, self.arguments = [str(file) for file in files], list(arguments)
        self.environment = {**os.environ, **(environment or {})}
        self.port = None
        self.process = None
        self.errors = []
        self.start()

    def start(self):
        command = [SCRUB_VIEW, *self.files, "--json", *self.arguments]
        if PAGE:
            command += ["--page", PAGE]
        # Not the usual port: while a server is stopped, another worker's would take its place, and answer the page.
        command += ["--port", str(self.port or free_port())]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        # A pipe without a reader would stop the server when it is full.
        threading.Thread(target=self._drain, args=(self.process.stderr, self.errors), daemon=True).start()
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(10)
            raise RuntimeError(f"{' '.join(command)} ended with {self.process.returncode}: {''.join(self.errors)[-2000:]}")
        first = json.loads(line)
        threading.Thread(target=self._drain, args=(self.process.stdout, []), daemon=True).start()
        self.url, self.api = first["url"].rstrip("/"), first["api"].rstrip("/")
        self.port = int(self.url.split("?")[0].rsplit(":", 1)[1].split("/")[0])

    @staticmethod
    def _drain(pipe, lines):
        for line in pipe:
            if len(lines) < 500:
                lines.append(line)

    def stop(self, how=signal.SIGINT):
        """Ends the process as Ctrl-C does, and gives its exit status. One that does not end in ten seconds is a failure."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        process.send_signal(how)
        try:
            return process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError("the server did not end within ten seconds of Ctrl-C") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def get(self, path, headers=None):
        """One answer of the API, also a refusal."""
        request = urllib.request.Request(f"{self.api}/{path}", headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as refusal:
            return Answer(refusal.code, refusal.headers, refusal.read())

    def media(self):
        return self.get("media").json()

    def medium(self, name):
        """The list's entry of the file with that name."""
        return next(one for one in self.media() if one["name"] == name)

    def status(self):
        return self.get("status").json()

    def memory(self):
        """The bytes of memory that are the process's own now."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Private_Dirty:"):
                    return int(line.split()[1]) * 1024
        raise RuntimeError("no Private_Dirty in smaps_rollup")


def rested(server, tries=250):
    """The server's counts as soon as nothing is under way any more."""
    for _ in range(tries):
        counts = server.status()
        if counts["underWay"] == 0:
            assert counts["decodesBegun"] == counts["decodesFinished"] + counts["decodesCancelled"], counts
            return counts
        time.sleep(0.02)
    raise AssertionError(f"the server still decodes: {counts}")
