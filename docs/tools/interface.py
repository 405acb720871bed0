"""What programs see of `scrub` and `scrub-view`: JSON keys with their types, exit codes by cause, options; from running them.

docs/tools/compatibility.py compares it with the lists in docs/api. Reads testdata/clips alone, writes into a folder of its own, and talks
to a server of its own on this machine. Needs ffmpeg for a film with chapters, a title and a language.
"""

import concurrent.futures
import contextlib
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

root = Path(__file__).resolve().parents[2]
clips = root / "testdata/clips"
film = str(clips / "h264-bf3.mp4")
text = str(clips / "refused-text.mp4")
# Objects whose keys are the file's own words.
MAPS = {"tags"}
# Of the player's events those that occur in each run; others depend on how fast the machine is.
STEADY = {"itemTransition", "itemEnded", "playlistEnded", "playlistChanged", "positionDiscontinuity", "presenterChanged", "stateChanged"}
Lists = dict[str, dict[str, str]]


def kind(value) -> str:
    for type_, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object")):
        if isinstance(value, type_):
            return name
    return "null"


def types(value, path: str, found: dict[str, set[str]]) -> None:
    """Adds the types of a value and of all that is in it."""
    if path:
        found.setdefault(path, set()).add(kind(value))
    if isinstance(value, dict):
        for key, below in value.items():
            if path.rpartition(".")[2] not in MAPS:
                types(below, f"{path}.{key}" if path else key, found)
    elif isinstance(value, list):
        for below in value:
            types(below, path + "[]", found)


def joined(names: set[str]) -> str:
    """Types as the list has them; a whole number is a number."""
    return " or ".join(sorted(names - ({"integer"} if "number" in names else set()), key=lambda name: (name == "null", name)))


def values(output: str):
    """The JSON values of an output, one behind the other."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(output):
        if output[place].isspace():
            place += 1
            continue
        value, place = decoder.raw_decode(output, place)
        yield value


class Ranges(http.server.BaseHTTPRequestHandler):
    """Serves the clips, parts too."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        file = clips / os.path.basename(self.path)
        if not file.is_file():
            self.send_error(404)
            return
        data = file.read_bytes()
        part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = (int(part[1]), min(int(part[2] or len(data)), len(data) - 1)) if part else (0, len(data) - 1)
        self.send_response(206 if part else 200)
        if part:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        for name, value in (("Accept-Ranges", "bytes"), ("ETag", '"clip"'), ("Content-Length", str(last + 1 - first))):
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data[first : last + 1])

    def log_message(self, *_):
        pass


class Programs:
    """The programs, run in a folder of their own."""

    def __init__(self, scrub: str, viewer: str | None):
        self.scrub, self.viewer = os.path.abspath(scrub), viewer and os.path.abspath(viewer)
        self.folder = tempfile.mkdtemp(prefix="scrub-interface-")
        self.found: dict[str, dict[str, set[str]]] = {}
        self.exits: Lists = {}
        self.lock = threading.Lock()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.server, self.address = server, f"http://127.0.0.1:{server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, part: str) -> dict[str, str]:
        proxies = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        return proxies | {"SCRUB_CACHE_DIR": f"{self.folder}/{part}-cache", "XDG_STATE_HOME": f"{self.folder}/{part}-state"}

    def run(self, part: str, words: list[str], standard_input: str = "") -> subprocess.CompletedProcess:
        where = Path(self.folder, part)
        where.mkdir(exist_ok=True)
        return subprocess.run([self.scrub, *words], cwd=where, env=self.environment(part), input=standard_input,
                              capture_output=True, text=True, errors="replace", timeout=120)

    def note(self, chapter: str, value) -> None:
        with self.lock:
            types(value, "", self.found.setdefault(chapter, {}))

    def speak(self, part: str, words: list[str]) -> None:
        """Runs a command with --json and notes what it prints, by the words before the first option or file."""
        verb = "scrub " + " ".join(words[: 2 if words[0] in ("batch", "cache") else 1])
        answer = self.run(part, [*words, "--json"])
        for value in values(answer.stdout):
            if "event" in value:
                if value["event"] in STEADY:
                    self.note(f"{verb} --events: {value['event']}", value)
            elif verb == "scrub gesture" and "moves" not in value:
                self.note(f"{verb} --events", value)
            else:
                self.note(verb, value)

    def end(self, verb: str, cause: str, words: list[str], standard_input: str = "") -> None:
        """Runs a command and notes how it ends."""
        self.exits.setdefault(f"scrub {verb}", {})[cause] = str(self.run("exits", words, standard_input).returncode)

    def titled(self) -> str:
        """The film with what a clip has not: a title, a language, chapters."""
        facts, made = Path(self.folder, "facts.txt"), str(Path(self.folder, "titled.mkv"))
        facts.write_text(";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=One\n")
        subprocess.run(["ffmpeg", "-v", "error", "-i", film, "-i", str(facts), "-map_metadata", "1", "-map_chapters", "1", "-c", "copy",
                        "-metadata:s:v:0", "language=eng", "-metadata:s:v:0", "title=Picture", made], check=True)
        return made

    def view(self) -> None:
        """The viewer's line, and its answers over HTTP."""
        Path(self.folder, "view").mkdir(exist_ok=True)
        process = subprocess.Popen(
            [self.viewer, film, "--json", "--port", "0"], cwd=Path(self.folder, "view"), env=self.environment("view"),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            line = json.loads(process.stdout.readline())
            self.note("scrub view", line)
            medium = self.ask(line["api"], "media", "media")[0]["id"]
            below = f"media/{medium}"
            for path, shown in ((below, "media/ID"), (f"{below}/times", "media/ID/times"), (f"{below}/plan?at=50%25", "media/ID/plan"),
                                (f"{below}/heat?columns=4", "media/ID/heat"), (f"{below}/types?from=0&count=4", "media/ID/types"),
                                (f"{below}/frame?at=nothing", "an error"), ("status", "status")):
                self.ask(line["api"], path, shown)
            answer = urllib.request.urlopen(f"{line['api']}{below}/frame?at=f7&hash=1", timeout=60)
            for name in answer.headers:
                if name.lower().startswith("scrub-"):
                    self.note("scrub view: headers of media/ID/frame", {name.lower(): ""})
        finally:
            process.terminate()
            process.wait(30)

    def ask(self, api: str, path: str, shown: str):
        try:
            body = urllib.request.urlopen(api + path, timeout=60).read()
        except urllib.error.HTTPError as error:
            body = error.read()
        value = json.loads(body)
        self.note(f"scrub view: {shown}", value)
        return value

    def options(self) -> Lists:
        """The options of every verb: whether they take a value, and the words that they accept where those are fixed."""
        found: Lists = {}

        def walk(command: dict, path: list[str]) -> None:
            words = found.setdefault(" ".join(path), {})
            place = 0
            for argument in command.get("arguments") or []:
                names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names") or []]
                if argument["kind"] == "positional":
                    place += 1
                    names = [f"argument {place}"]
                for name in names:
                    what = "flag" if argument["kind"] == "flag" else "value"
                    words[name] = what + ("s" if argument["isRepeating"] else "")
                    for value in argument.get("allValues") or []:
                        words[f"{name} {value}"] = "accepted"
            for below in command.get("subcommands") or []:
                if below["commandName"] != "help" and below["shouldDisplay"]:
                    walk(below, [*path, below["commandName"]])

        tree = json.loads(self.run("options", ["--experimental-dump-help"]).stdout)["command"]
        walk(tree, [tree["commandName"]])
        return found

    def speech(self) -> list[list[list[str]]]:
        """Commands that print JSON: each list in its order, the lists side by side."""
        web, script = ["--profile", "web", "--to", "results"], str(Path(self.folder, "drag.json"))
        events = [{"ms": 0, "phase": "began"}, *({"ms": 16 * n, "phase": "changed", "dx": 4 * n, "dy": 0} for n in range(1, 13)),
                  {"ms": 220, "phase": "ended"}]
        Path(script).write_text(json.dumps({"width": 1000, "begin": "0.40", "playing": True, "events": events}))
        clip = lambda name: str(clips / name)
        return [
            [["bench", film]],
            [["--version"], ["info", film, "--cost"],
             *(["info", clip(name)] for name in (
                 "cover.mkv", "cover.mp4", "colour-pq.mp4", "rotate-90.mp4", "vp9-alpha.webm", "damaged-mdat-cut.mp4", "damaged-ts-cut.ts",
                 "two-videos.mp4", "audio.ts", "film-roq.roq", "film-mpeg2-p.mxf", "ntsc.mkv", "refused-text.mp4")),
             ["info", self.titled()], ["info", f"{self.address}/h264-bf3.mp4"],
             ["seek", film, "0.42", "f7..f8", "--hash", "-o", "out/%d.png"], ["seek", film, "7", "--clamp"],
             ["seek", f"{self.address}/h264-bf3.mp4", "50%"], ["seek", clip("damaged-av1.mkv"), "first..last"],
             ["seek", clip("film-mpeg2-p.mxf"), "50%"],
             ["frames", clip("ntsc.mkv")], ["plan", film, "50%"], ["index", film], ["index", clip("damaged-mdat-cut.mp4")],
             ["cache", "list"], ["cache", "stats"], ["cache", "verify"], ["cache", "prune"], ["cache", "clear", "--yes"]],
            [["strip", film, "--count", "4", "-o", "strip"], ["strip", film, "--scenes", "-o", "scenes"],
             ["strip", clip("ntsc.mkv"), "--count", "4", "-o", "broadcast"],
             ["strip", f"{self.address}/h264-bf3.mp4", "--count", "2", "-o", "remote"],
             ["thumbs", film, "--profile", "web,jellyfin", "-o", "sets"], ["thumbs", film, "--profile", "web", "-o", "sets", "--skip-current"],
             ["thumbs", clip("ntsc.mkv"), "--profile", "web", "--every", "0.7", "--plan"],
             ["thumbs", f"{self.address}/h264-bf3.mp4", "--profile", "web", "-o", "far"],
             ["verify-set", "strip", "--against", film], ["verify-set", "strip", "--against", clip("ntsc.mkv")],
             ["sheet", film, "-o", "sheet.jpg"],
             ["poster", film, "--count", "2", "--explain", "-o", "posters/"], ["poster", clip("cover.mp4"), "--cover", "-o", "cover.jpg"],
             ["poster", clip("cover.mp4"), "-o", "one.jpg"], ["previews", film],
             ["thumbs", film, "--profile", "web", "--from-previews", "-o", "previewed"]],
            [["verify", film], ["verify", film, "--determinism", "--sample", "4"],
             ["gesture", film, "--script", script, "--events"], ["gesture", film, "--made", "rest", "--seconds", "0.2"],
             ["play", clip("ntsc.mp4"), film, clip("ntsc.mp4"), "--null", "--clock", "simulated", "--events"],
             ["play", film, "--null", "--clock", "real", "--rate", "4"],
             ["batch", "run", film, text, *web, "--dry-run"], ["batch", "run", film, text, *web], ["batch", "run", film, text, *web],
             ["batch", "run", film, "--verify", "--to", "proofs"],
             ["batch", "status", "--to", "results"], ["batch", "failures", "--to", "results"], ["batch", "plan", film, *web]],
        ]

    def endings(self) -> list[tuple]:
        """Commands that fail, each for one cause."""
        one = {
            "seek": ["FILE", "0"], "info": ["FILE"], "frames": ["FILE"], "plan": ["FILE", "0"], "index": ["FILE"], "previews": ["FILE"],
            "strip": ["FILE", "--count", "2", "-o", "made"], "poster": ["FILE", "-o", "made.jpg"],
            "thumbs": ["FILE", "--profile", "web", "-o", "made"], "sheet": ["FILE", "-o", "made.png"],
            "gesture": ["FILE", "--made", "rest", "--seconds", "0.1"], "play": ["FILE", "--null", "--clock", "simulated"],
            "verify": ["FILE", "--sample", "2"], "drive": ["FILE"], "bench": ["FILE"],
        }
        away, refused = f"{self.address}/none.mp4", f"{self.address}/h264-bf3.mp4"
        cases = []
        for verb, words in one.items():
            of = lambda file, words=words: [word if word != "FILE" else file for word in words]
            if verb not in ("bench", "drive"):
                cases.append((verb, "done", [verb, *of(film)]))
            cases += [(verb, "no such file", [verb, *of("none.mp4")]), (verb, "not a video", [verb, *of(text)]),
                      (verb, "encrypted", [verb, *of(str(clips / "refused-encrypted.mp4"))]),
                      (verb, "a wrong option", [verb, *of(film), "--no-such-option"]),
                      (verb, "a limit", [verb, *of(film), "--limit", "pixels=4"])]
            if verb in ("info", "seek", "thumbs", "play", "verify"):
                cases += [(verb, "an address that is not there", [verb, *of(away)]),
                          (verb, "an address that a rule forbids", [verb, *of(refused), "--deny", "127.0.0.1"])]
        full = "/dev/full"
        return cases + [
            ("seek", "a position outside", ["seek", film, "f100"]), ("seek", "a fraction outside", ["seek", film, "5"]),
            ("seek", "not a position", ["seek", film, "abc"]), ("seek", "no room for the output", ["seek", film, "0", "-o", full, "--format", "png"]),
            ("seek", "the output is the film", ["seek", film, "0", "-o", film]),
            ("seek", "a frame that no decoder makes", ["seek", str(clips / "damaged-av1.mkv"), "f33"]),
            ("seek", "a damaged frame", ["seek", str(clips / "damaged-av1.mkv"), "f34"]),
            ("seek", "a folder cannot be made", ["seek", film, "0", "-o", full + "/a.png"]),
            ("plan", "a position outside", ["plan", film, "f100"]),
            ("strip", "a folder cannot be made", ["strip", film, "--count", "2", "-o", full + "/strip"]),
            ("strip", "an unknown format", ["strip", film, "--count", "2", "--format", "bmp", "-o", "made"]),
            ("thumbs", "an unknown profile", ["thumbs", film, "--profile", "none", "-o", "made"]),
            ("poster", "no cover", ["poster", film, "--cover", "-o", "made.jpg"]),
            ("verify-set", "done", ["verify-set", "set", "--against", film]),
            ("verify-set", "another film's set", ["verify-set", "set", "--against", str(clips / "ntsc.mkv")]),
            ("verify-set", "no such set", ["verify-set", "none", "--against", film]),
            ("verify-set", "a wrong option", ["verify-set", "set", "--no-such-option"]),
            ("convert", "done", ["convert", "set", "--to", "bif", "-o", "converted"]),
            ("convert", "no such set", ["convert", "none", "--to", "bif", "-o", "converted"]),
            ("convert", "a wrong option", ["convert", "set", "--no-such-option"]),
            ("batch", "done", ["batch", film, "--profile", "web", "--to", "batch"]),
            ("batch", "a film failed", ["batch", text, "--profile", "web", "--to", "failed"]),
            ("batch", "a film failed, --strict", ["batch", text, "--profile", "web", "--to", "strict", "--strict"]),
            ("batch", "no such folder", ["batch", "none", "--profile", "web", "--to", "batch"]),
            ("batch", "nothing to make", ["batch", film, "--to", "batch"]),
            ("batch status", "done", ["batch", "status", "--to", "batch"]),
            ("batch failures", "done", ["batch", "failures", "--to", "batch"]),
            ("batch plan", "done", ["batch", "plan", film, "--profile", "web", "--to", "batch"]),
            ("batch retry", "done", ["batch", "retry", "--to", "failed"]),
            ("cache list", "done", ["cache", "list"]), ("cache stats", "done", ["cache", "stats"]),
            ("cache verify", "done", ["cache", "verify"]), ("cache prune", "done", ["cache", "prune"]),
            ("cache clear", "done", ["cache", "clear", "--yes"]),
            ("drive", "done", ["drive", film], "SEEK 42\n"), ("drive", "a line too long", ["drive", film, "--binary"], "GET " + "f" * 70000 + "\n"),
            ("--version", "done", ["--version"]), ("help", "done", ["help"]), ("help", "no such command", ["help", "none"]),
            ("COMMAND", "no such command", ["none"]),
        ]

    def collect(self) -> dict[str, Lists]:
        self.run("exits", ["strip", film, "--count", "2", "-o", "set"])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            work = [pool.submit(lambda steps=steps: [self.speak(str(number), words) for words in steps])
                    for number, steps in enumerate(self.speech())]
            work.append(pool.submit(lambda: [self.end(*case) for case in self.endings()]))
            if self.viewer:
                work.append(pool.submit(self.view))
            for one in work:
                one.result()
        spoken = {chapter: {path: joined(names) for path, names in keys.items()} for chapter, keys in self.found.items()}
        return {"json": spoken, "exits": self.exits, "options": self.options()}


def variables() -> Lists:
    """The environment variables that the programs and the library read, as the sources name them."""
    found: set[str] = set()
    for file in (root / "Sources").rglob("*.swift"):
        source = file.read_text(encoding="utf-8")
        if re.search(r"getenv\(|environment", source):
            found |= set(re.findall(r'"([A-Z][A-Z0-9_]{3,}|[a-z]+_proxy)"', source))
    return {"environment": {name: "read" for name in found}}


def collect(scrub: str, viewer: str | None) -> dict[str, Lists]:
    programs = Programs(scrub, viewer)
    try:
        return programs.collect()
    finally:
        programs.close()
