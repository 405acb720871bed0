"""Runs of scrub batch that are killed, run twice, run on wrong clocks: the results must be those of a run that nobody disturbed.

    python3 Tests/Programs/Batch/batch-kill.py SCRUB [--films 40] [--kills 20] [--seed N] [--only NAME,NAME] [--folder FOLDER] [WORD...]

Makes a library (Benchmarks/batch.py; some of its films damaged, some names odd), runs SCRUB over it once undisturbed, then

    kill      SIGKILL at moments spread over the run's length, each in a new folder, and the same command to the end
    chain     SIGKILL again and again in one folder, then to the end
    term      SIGTERM: exit code 75, and to the end
    twice     two runs of one command at once: each film done by one of them
    shards    1/2, 2/2, 1/2 again and all of it, at once, each with a state of its own
    state     the state deleted between two runs, and below a run: nothing is decoded again
    clock     killed on a clock an hour late, resumed on one an hour early (libfaketime)
    machines  two machines at once on one folder: states and boot numbers of their own (a mount namespace; root)
    reboot    killed, and resumed with another boot number
    replace   killed while results of other options are replaced
    changed   killed, and films in hand changed or gone before it is resumed
    roots     two roots with films of one name
    copies    one film many times in a folder

and after each: the tree of results byte for byte the undisturbed one's but for .scrub-batch; nothing called .scrub-* left; no film `done` in
two logs, nor after its record was in its place; no row of work in hand; another run finds all current. Prints the seed; a seed and the same
--only give the same moments. Words that are not its own go to scrub. The exit code is 1 when anything was found.
"""

import argparse
import contextlib
import hashlib
import importlib.util
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BASES = [("mpeg4-288", "mpeg4 -q:v 8 -g 100", "352x288", 40, "mp4", "aac"), ("mpeg2-576", "mpeg2video -q:v 12 -g 15 -bf 2", "720x576", 20, "mpg", "mp2")]
BOOT = "/proc/sys/kernel/random/boot_id"
MACHINE = "/etc/machine-id"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tree(folder):
    """The hash of each file below a folder of results, by its path."""
    found = {}
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if parts[0] != ".scrub-batch" and path.is_file():
            found["/".join(parts)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def recorded(folder):
    """The films whose records are in their places."""
    return {str(path.parent.relative_to(folder)) for path in folder.rglob("scrub.json")
            if path.is_file() and not any(part.startswith(".scrub-") for part in path.relative_to(folder).parts)}


class Place:
    """A folder of results with the runs that were made in it."""

    def __init__(self, test, name):
        self.test, self.name = test, name
        self.folder = test.work / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.results = self.folder / "results"
        self.logs, self.before, self.started = [], [], 0

    def start(self, *words, before=(), environment=(), state="state"):
        self.logs.append(self.folder / f"log-{self.started}")
        self.started += 1
        self.before.append(recorded(self.results))
        self.state = self.folder / state / "batch.sqlite"
        command = [*before, self.test.scrub, "batch", "run", str(self.test.films), "--to", str(self.results), "--log", str(self.logs[-1]),
                   "--state", str(self.state), *self.test.words, *words]
        setting = dict(os.environ, XDG_STATE_HOME=str(self.folder / state), XDG_CACHE_HOME=str(self.folder / state), **dict(environment))
        setting.pop("SCRUB_CACHE_DIR", None)
        output = open(self.folder / "output", "ab")
        return subprocess.Popen(command, stdout=output, stderr=output, env=setting)

    def run(self, *words, **options):
        process = self.start(*words, **options)
        process.wait()
        self.expect(process.returncode == 0, f"exit code {process.returncode}: {(self.folder / 'output').read_text()[-300:]}")

    def end(self, after, number, *words, **options):
        """Begins a run and ends it with a signal.

        Returns its exit code.
        """
        process = self.start(*words, **options)
        try:
            process.wait(timeout=after)
        except subprocess.TimeoutExpired:
            # faketime waits for the program that it has begun.
            below = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            os.kill(int(below[0]) if below else process.pid, number)
        return process.wait()

    def expect(self, holds, words):
        if not holds:
            self.test.problems.append(f"{self.name}: {words}")
            print(f"{self.name}: {words}", file=sys.stderr, flush=True)

    def lines(self, number):
        with contextlib.suppress(FileNotFoundError):
            for line in self.logs[number].read_text().splitlines():
                try:
                    yield json.loads(line)
                except ValueError:
                    self.expect(False, f"a line of the log is no JSON: {line[:80]}")

    def check(self, reference=None, isOnce=True):
        """Compares with the undisturbed run's results."""
        reference = reference if reference is not None else self.test.reference
        found = tree(self.results)
        wrong = sorted(path for path in found.keys() | reference.keys() if found.get(path) != reference.get(path))
        self.expect(not wrong, f"{len(wrong)} files of the results differ, as {wrong[:3]}")
        left = [str(path.relative_to(self.results)) for path in self.results.rglob(".scrub-*") if path.name != ".scrub-batch"]
        self.expect(not left, f"{len(left)} left over, as {left[:3]}")
        done = {}
        for number in range(len(self.logs)):
            for line in self.lines(number):
                if line.get("status") == "done":
                    done.setdefault(line["place"], []).append(number)
        if isOnce:
            twice = {place: numbers for place, numbers in done.items() if len(numbers) > 1}
            self.expect(not twice, f"{len(twice)} done twice, as {list(twice.items())[:2]}")
            again = [place for place, numbers in done.items() if any(place in self.before[number] for number in numbers)]
            self.expect(not again, f"{len(again)} done again whose record was there, as {again[:3]}")
        with contextlib.closing(sqlite3.connect(self.state)) as database:
            self.expect(database.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "the state is damaged")
            rows = dict(database.execute("SELECT place, status FROM file"))
            hand = [row[0] for row in database.execute("SELECT place FROM working")]
        self.expect(not hand, f"{len(hand)} still in hand by the state, as {hand[:3]}")
        places = recorded(self.results)
        lost = sorted(place for place in places if rows.get(place) not in ("done", "failed"))
        self.expect(not lost, f"{len(lost)} with a record and none in the state, as {lost[:3]}")
        self.run()
        summaries = [line["summary"] for line in self.lines(-1) if "summary" in line]
        self.expect(summaries and summaries[0]["done"] == 0 and summaries[0]["pictures"] == 0, f"another run does something: {summaries}")
        self.expect(tree(self.results) == found, "another run changes something")
        shutil.rmtree(self.folder)


class Test:
    def __init__(self, known, words, work):
        self.known, self.words, self.work, self.problems = known, words, work, []
        self.scrub = shutil.which(known.scrub) or sys.exit(f"batch-kill: {known.scrub} cannot be run")
        self.dice = random.Random(known.seed)
        bench = load(ROOT / "Benchmarks" / "batch.py")
        self.films = bench.make_library(work / "library", known.films, 5, BASES)
        odd = self.films / "ödd näme" / "a $(b) 'c'"
        odd.mkdir(parents=True, exist_ok=True)
        for number, name in enumerate(["-dash.mp4", "new\nline.mp4", " blank .mp4", "ünï 日本.mp4", "scrub.json", "%s%n.mp4"]):
            (odd / name).write_bytes((bench.CLIPS / "demo.mp4").read_bytes() + bench.tail(".mp4", 10_000_000 + number))
        for name in ("refused-text.mp4", "refused-empty.mp4", "refused-moov-cut.mp4"):
            shutil.copy(bench.CLIPS / name, odd)
        place = Place(self, "undisturbed")
        lengths = []
        for _ in range(3):
            shutil.rmtree(place.folder)
            place = Place(self, "undisturbed")
            start = time.monotonic()
            place.run()
            lengths.append(time.monotonic() - start)
        self.length = sorted(lengths)[1]
        self.reference = tree(place.results)
        summary = list(place.lines(-1))[-1]["summary"]
        print(f"undisturbed: {self.length:.2f} s, {len(self.reference)} files, " + ", ".join(
            f"{key} {summary[key]}" for key in ("files", "done", "failed", "passedOver", "pictures")), flush=True)
        place.check()

    def moments(self, count):
        """Moments spread over the run's length, in seconds after its start."""
        return [(number + self.dice.random()) / count * self.length for number in range(count)]

    def kill(self):
        for number, moment in enumerate(self.moments(self.known.kills)):
            place = Place(self, f"kill-{number}")
            place.end(moment, signal.SIGKILL)
            place.run()
            place.check()

    def chain(self):
        place = Place(self, "chain")
        for _ in range(self.known.kills):
            place.end(self.dice.uniform(0.02, 0.25) * self.length + 0.03, signal.SIGKILL)
        place.run()
        place.check()

    def term(self):
        for number, moment in enumerate(self.moments(5)):
            place = Place(self, f"term-{number}")
            code = place.end(moment, signal.SIGTERM)
            # Before it listens to signals it is ended by them as anything is; after the last film it may be through.
            allowed = {75, 0} if moment > 0.8 * self.length else {75, -signal.SIGTERM} if moment < 0.2 * self.length else {75}
            place.expect(code in allowed, f"exit code {code} after {moment:.2f} s")
            place.run()
            place.check()

    def twice(self):
        for number in range(3):
            place = Place(self, f"twice-{number}")
            runs = [place.start(), place.start()]
            codes = [run.wait() for run in runs]
            place.expect(codes == [0, 0], f"exit codes {codes}")
            both = [sum(line.get("status") == "done" for line in place.lines(run)) for run in (0, 1)]
            print(f"twice-{number}: done {both[0]} and {both[1]}")
            place.check()

    def shards(self):
        place = Place(self, "shards")
        runs = [place.start("--shard", shard, state=f"state-{number}") for number, shard in enumerate(["1/2", "2/2", "1/2", "1/1"])]
        codes = [run.wait() for run in runs]
        place.expect(codes == [0] * 4, f"exit codes {codes}")
        counts = [sum(line.get("status") == "done" for line in place.lines(run)) for run in range(4)]
        print(f"shards: done {counts}")
        place.check()
        # Two shards alone, one killed: together they are the whole.
        place = Place(self, "shards-killed")
        place.end(self.length / 4, signal.SIGKILL, "--shard", "1/2", state="state-0")
        place.run("--shard", "2/2", state="state-1")
        place.run("--shard", "1/2", state="state-0")
        place.run(state="state-2")
        summary = [line["summary"] for line in place.lines(-1) if "summary" in line][0]
        place.expect(summary["done"] == 0, f"two shards have left {summary['done']} undone")
        place.check()

    def state(self):
        place = Place(self, "state")
        place.end(self.length / 2, signal.SIGKILL)
        shutil.rmtree(place.state.parent)
        place.run()
        place.check()
        place = Place(self, "state-below")
        run = place.start()
        time.sleep(self.length / 2)
        shutil.rmtree(place.state.parent, ignore_errors=True)
        run.wait()
        print(f"state-below: exit code {run.returncode}")
        place.run()
        place.check()
        place = Place(self, "state-rubbish")
        place.end(self.length / 2, signal.SIGKILL)
        contents = bytearray(place.state.read_bytes())
        contents[100 : min(len(contents), 9000)] = self.dice.randbytes(min(len(contents), 9000) - 100)
        place.state.write_bytes(contents)
        place.run()
        place.check()

    def clock(self):
        if not shutil.which("faketime"):
            return print("clock: left out: no faketime")
        for first, second in (("+1h", "-1h"), ("-1h", "+1h"), ("-20y", "+0h")):
            place = Place(self, f"clock{first}{second}")
            # The command, not the library alone: that one changes the environment before Swift has found the arguments
            # (https://github.com/swiftlang/swift/issues/76080), and there are none.
            fake = lambda offset: ["env", "NO_FAKE_STAT=1", "faketime", "--exclude-monotonic", "-m", "-f", offset]
            place.end(self.length * 0.6, signal.SIGKILL, before=fake(first))
            place.run(before=fake(second))
            place.check()

    def boots(self, areMachines=True):
        """Words before a command that give the machine another boot number, one for each of two machines or of two lives of one."""
        words = []
        for number in (1, 2):
            file = self.work / f"boot-{number}"
            file.write_text(f"{number:08x}-0000-4000-8000-000000000000\n")
            mount = f'mount --bind "{file}" {BOOT}'
            if areMachines:
                machine = self.work / f"machine-{number}"
                machine.write_text(f"{number:032x}\n")
                mount += f' && mount --bind "{machine}" {MACHINE}'
            words.append(["unshare", "-m", "--propagation", "private", "sh", "-c", f'{mount} && exec "$@"', "sh"])
        if subprocess.run([*words[0], "true"], stderr=subprocess.DEVNULL).returncode:
            return None
        return words

    def machines(self):
        words = self.boots()
        if words is None:
            return print("machines: left out: no mount namespace")
        place = Place(self, "machines")
        runs = [place.start(before=word, state=f"state-{number}") for number, word in enumerate(words)]
        codes = [run.wait() for run in runs]
        place.expect(codes == [0, 0], f"exit codes {codes}")
        both = [sum(line.get("status") == "done" for line in place.lines(run)) for run in (0, 1)]
        print(f"machines: done {both[0]} and {both[1]}")
        place.check()
        # Machines whose locks do not meet (a file system that keeps them to itself): twice is waste there, and no
        # damage.
        place = Place(self, "machines-lockless")
        apart = []
        for number, word in enumerate(words):
            locks = self.work / f"locks-{number}"
            locks.mkdir(exist_ok=True)
            apart.append([*word[:-2], f'mount --bind "{locks}" "{place.results}/.scrub-batch" && ' + word[-2], "sh"])
        (place.results / ".scrub-batch").mkdir(parents=True)
        runs = [place.start(before=word, state=f"state-{number}") for number, word in enumerate(apart)]
        codes = [run.wait() for run in runs]
        place.expect(codes == [0, 0], f"exit codes {codes}")
        both = [sum(line.get("status") == "done" for line in place.lines(run)) for run in (0, 1)]
        print(f"machines-lockless: done {both[0]} and {both[1]}")
        place.check(isOnce=False)

    def reboot(self):
        words = self.boots(areMachines=False)
        if words is None:
            return print("reboot: left out: no mount namespace")
        for number, moment in enumerate(self.moments(5)):
            place = Place(self, f"reboot-{number}")
            place.end(moment, signal.SIGKILL, before=words[0])
            place.run(before=words[1])
            place.check()

    def replace(self):
        for number, moment in enumerate(self.moments(max(3, self.known.kills // 2))):
            place = Place(self, f"replace-{number}")
            place.run("--quality", "40")
            place.end(moment, signal.SIGKILL)
            place.logs, place.before = place.logs[1:], [set(), set()]
            place.run()
            # Records of other options were there, so only the logs tell what was done twice.
            place.before = [set() for _ in place.before]
            place.check()

    def changed(self):
        films, self.films = self.films, self.work / "changing"
        shutil.rmtree(self.films, ignore_errors=True)
        shutil.copytree(films, self.films)
        place = Place(self, "changed")
        place.end(self.length / 2, signal.SIGKILL)
        with contextlib.closing(sqlite3.connect(place.state)) as database:
            hand = [row[0] for row in database.execute("SELECT place FROM working ORDER BY place")]
        print(f"changed: {len(hand)} in hand")
        for number, name in enumerate(hand):
            film = self.films / name
            if number % 3 == 0:
                film.unlink()
            else:
                film.write_bytes(film.read_bytes() + bytes(100 + number))
        place.run()
        undisturbed = Place(self, "changed-undisturbed")
        undisturbed.run()
        reference = tree(undisturbed.results)
        undisturbed.check(reference)
        place.check(reference)
        self.films = films

    def roots(self):
        films = self.films
        for number, name in enumerate(("a", "b")):
            self.films = self.work / "roots" / name
            self.films.mkdir(parents=True, exist_ok=True)
            clip = ROOT / "testdata" / "clips" / ("demo.mp4" if number else "vfr.mp4")
            shutil.copy(clip, self.films / "film.mp4")
        place = Place(self, "roots-results")
        place.run(str(self.work / "roots" / "a"))
        place.expect(len(recorded(place.results)) == 2, f"two roots with a film each, {len(recorded(place.results))} with results")
        self.films = films
        shutil.rmtree(place.folder)

    def copies(self):
        films, self.films = self.films, self.work / "copied"
        for number in range(12):
            path = self.films / ("one" if number < 8 else "two") / f"{number}.mp4"
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "testdata" / "clips" / "demo.mp4", path)
        place = Place(self, "copies")
        place.run()
        found = tree(place.results)
        place.expect(len(recorded(place.results)) == 12, f"{len(recorded(place.results))} of 12 copies have results")
        names = {"/".join(path.split("/")[2:]) for path in found if path.endswith((".jpg", ".webp"))}
        hashes = {name: {found[path] for path in found if path.endswith(".mp4/" + name)} for name in names}
        place.expect(all(len(each) == 1 for each in hashes.values()), "copies have other pictures")
        place.check(found)
        self.films = films


def main():
    names = ["kill", "chain", "term", "twice", "shards", "state", "clock", "machines", "reboot", "replace", "changed", "roots", "copies"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scrub")
    parser.add_argument("--films", type=int, default=40)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--only", default=",".join(names), help=f"of {', '.join(names)}")
    parser.add_argument("--folder", type=pathlib.Path, help="where all is done, and left; else a new one that is removed")
    known, words = parser.parse_known_args()
    words = words or ["--profile", "web", "--every", "2", "--tolerance", "exact", "--jobs", "3"]
    print(f"seed {known.seed}, {known.films} films, {known.kills} kills, {' '.join(words)}", flush=True)
    with contextlib.ExitStack() as stack:
        folder = known.folder or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        test = Test(known, words, folder.resolve())
        for name in known.only.split(","):
            # Each has dice of its own, so that it is the same alone.
            test.dice = random.Random(f"{known.seed}/{name}")
            start, before = time.monotonic(), len(test.problems)
            getattr(test, name)()
            print(f"{name}: {len(test.problems) - before or 'no'} problems, {time.monotonic() - start:.1f} s", flush=True)
        print(f"batch-kill: {len(test.problems) or 'no'} problems")
    return 1 if test.problems else 0


if __name__ == "__main__":
    sys.exit(main())
