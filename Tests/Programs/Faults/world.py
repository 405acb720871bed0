"""Runs of the program under the shim: folders of their own, what came out, and what a run may say."""

import concurrent.futures
import hashlib
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import threading

CLASSES = "open create read map write size sync link rename unlink mkdir lock stat message".split()
HERE = os.path.dirname(os.path.abspath(__file__))
CLIPS = os.path.join(HERE, "..", "..", "..", "testdata", "clips")
# What the interface of the program names for failures of a file, of a part that is needed, and of reading and writing.
FINISHED = ".scrub-thumbnails"
FAILURES = (65, 66, 69, 74)


class Outcome:
    """How a run ended, and what was there afterwards."""

    def __init__(self, status, output, errors, tree, cache, calls, touched, left):
        self.status, self.output, self.errors, self.tree, self.cache = status, output, errors, tree, cache
        self.calls, self.touched, self.left = calls, touched, left


class World:
    """The program, the shim, and a folder for all runs."""

    def __init__(self, program, workers):
        self.program = os.path.abspath(program)
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="scrub-faults-"))
        self.shim = self.folder + "/faults.so"
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fno-builtin", "-o", self.shim,
             HERE + "/shim.c", "-ldl"], check=True)
        self.pool = concurrent.futures.ThreadPoolExecutor(workers)
        self.lock = threading.Lock()
        self.runs, self.injected, self.number = 0, 0, 0
        self.problems, self.sayings = [], {}

    def close(self):
        self.pool.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)

    def wants(self, name):
        return not self.only or name in self.only

    def chosen(self, plans):
        """All plans, or some of them."""
        if self.sample is None or len(plans) <= self.sample:
            return plans
        return random.Random(self.seed).sample(plans, self.sample)

    def problem(self, text):
        with self.lock:
            self.problems.append(text)
            print("FAULT", text, flush=True)

    def place(self):
        """A folder of its own for one run, with what it reads."""
        with self.lock:
            self.number += 1
            path = f"{self.folder}/r{self.number:06}"
        os.makedirs(path + "/out")
        return path

    def run(self, case, place=None, rules="", seed=1, extra=None, keep=False, closes_after=None, limit=None):
        """Runs a case once; the folder goes away unless it is kept."""
        path = place or self.place()
        if not place:
            case.prepare(self, path)
        counts = path + "/counts"
        with open(counts, "wb") as file:
            file.write(bytes(512))
        words = [self.program] + [case.fill(word, path) for word in case.words]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SCRUB_")}
        environment |= {
            "SCRUB_CACHE_DIR": path + "/cache", "LD_PRELOAD": self.shim, "FAULT_COUNTS": counts,
            "FAULT_PATHS": f"{path}/media:{path}/out:{path}/cache:{path}/set", "FAULT_SEED": str(seed),
            "FAULT_RULES": rules or "read@0=EIO", "TMPDIR": path + "/temporary", "SWIFT_BACKTRACE": "enable=no"}
        environment |= {k: v.replace("RUN", path) for k, v in (extra or {}).items()}
        os.makedirs(path + "/temporary", exist_ok=True)
        process = subprocess.Popen(
            words, env=environment, cwd=path, stdin=subprocess.PIPE if case.input else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=limit)
        hung = False
        try:
            if closes_after is not None:
                if closes_after:
                    process.stdout.read(closes_after)
                process.stdout.close()
                errors = process.stderr.read()
                output, _ = b"", process.wait(timeout=120)
            else:
                output, errors = process.communicate(case.input, timeout=120)
        except subprocess.TimeoutExpired:
            hung = True
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
        left = remaining(process.pid)
        with open(counts, "rb") as file:
            numbers = struct.unpack("64Q", file.read(512))
        calls = dict(zip(CLASSES, numbers))
        touched = sum(numbers[len(CLASSES):2 * len(CLASSES)])
        plain = lambda data: data.decode("utf-8", "surrogateescape").replace(path, "RUN")
        outcome = Outcome(
            "hung" if hung else process.returncode, case.normal(without_cost(plain(output))), plain(errors), tree(path + "/out"),
            tree(path + "/cache", temporary=path + "/temporary"), calls, touched, left)
        with self.lock:
            self.runs += 1
            self.injected += touched
        if not keep:
            shutil.rmtree(path, ignore_errors=True)
        return outcome


def remaining(session):
    """Processes of a session that are still there, once those that were ending have ended."""
    for _ in range(400):
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/stat") as file:
                    text = file.read()
            except OSError:
                continue
            rest = text.rsplit(")", 1)[1].split()
            if int(rest[3]) == session and rest[0] not in "ZX":
                found.append(text)
        if not found:
            return []
        os.sched_yield()
        threading.Event().wait(0.02)
    return found


def tree(path, temporary=None):
    """All names below a folder, with the bytes' hash for files."""
    found = {}
    for top, label in ((path, ""), (temporary, "temporary:")):
        if not top or not os.path.isdir(top):
            continue
        for folder, folders, files in os.walk(top):
            for name in folders:
                found[label + os.path.relpath(os.path.join(folder, name), top) + "/"] = "folder"
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    found[label + os.path.relpath(os.path.join(folder, name), top)] = hashlib.sha256(
                        file.read().replace(os.path.dirname(path).encode(), b"RUN")).hexdigest()
    return found


def without_cost(text):
    """What was decoded for an answer is no part of it: where a header cannot be read, all is decoded."""
    return re.sub(r', "decodedPictures":\d+|,?"decoded(Pictures)?":\d+|,? \d+ pictures? decoded', "", text)


class Case:
    """A command with what it reads.

    media: clips that are copied below RUN/media; whole: whether its files appear together or not at all; saved: whether an index
    is there before; normal: takes out of the output what differs from run to run.
    """

    def __init__(self, name, words, media=(), whole=True, saved=False, input=None, normal=None, sets=False,
                 compares=True, ignores=(), replaces=False):
        self.name, self.words, self.media, self.whole, self.saved = name, words, media, whole, saved
        self.input, self.sets, self.compares, self.ignores = input, sets, compares, ignores
        self.normal = normal or (lambda text: text)
        # Whether an earlier set stands where the new one goes.
        self.replaces = replaces
        self.baseline, self.script = None, ""

    def fill(self, word, path):
        return word.replace("RUN", path)

    def prepare(self, world, path):
        os.makedirs(path + "/media", exist_ok=True)
        for name in self.media:
            # With its times: the saved index knows the file by them.
            shutil.copy2(f"{CLIPS}/{name}", f"{path}/media/{name}")
        if "gesture" in self.words:
            with open(path + "/media/script.json", "w") as file:
                file.write(self.script)
        if self.sets:
            shutil.copytree(world.folder + "/set", path + "/set")
        if self.replaces:
            shutil.copytree(world.folder + "/set", path + "/out/set")
            self.earlier = tree(path + "/out")
        if self.saved and self.baseline:
            shutil.copytree(self.baseline, path + "/cache")

    def begin(self, world):
        """The undisturbed run that all others are compared with, twice; keeps its cache where a saved index is wanted."""
        path = world.place()
        self.prepare(world, path)
        first = world.run(self, path, keep=True)
        if self.saved:
            self.baseline = f"{path}-cache"
            shutil.copytree(path + "/cache", self.baseline)
        shutil.rmtree(path)
        if first.status not in (0, getattr(self, "expects", 0)):
            raise SystemExit(f"{self.name}: {first.status} without a fault: {first.errors}")
        again = world.run(self)
        if self.compares and (again.output, again.tree) != (first.output, first.tree):
            raise SystemExit(f"{self.name}: two runs differ without a fault:\n{first.output}\n{again.output}")
        self.base = again
        return again


def is_transient(name):
    """Whether a name is of something that was to go away."""
    return any(p.startswith(".scrub-") or p.endswith(".tmp") for p in name.strip("/").split("/"))


def is_finished(name):
    """Whether a name is of what a set's run has finished, or of the folder that it is in."""
    return FINISHED in name.strip("/").split("/")


def half_written(case, outcome):
    """What stands where outputs go and should not, in words; None for nothing."""
    base = case.base.tree
    # What is finished of a set is there to go on from, and the sentence says so.
    is_ended = isinstance(outcome.status, int) and outcome.status < 0
    is_kept = is_ended or FINISHED in outcome.errors and "kept in" in outcome.errors
    kept = [n for n in outcome.tree if is_kept and is_finished(n)]
    transient = [n for n in outcome.tree if is_transient(n) and n not in kept]
    transient += [n for n in outcome.cache if is_transient(n) or n.startswith("temporary:")]
    if transient:
        return f"left behind: {transient}"
    if case.replaces:
        now = {n: h for n, h in outcome.tree.items() if n not in kept}
        return None if now in (base, case.earlier) else f"neither set: {sorted(now)}"
    wrong = [n for n, h in outcome.tree.items() if base.get(n) != h and n not in case.ignores and n not in kept]
    if wrong:
        return f"not what it should be: {wrong}"
    files = [n for n, h in outcome.tree.items() if h != "folder" and not is_transient(n)]
    if case.whole and files and outcome.tree != base:
        return f"some files of a set: {files}"
    return None


SENTENCE = re.compile(r"^scrub(-view)?: ")


def unclear(outcome):
    """What is wrong with the words of a failure; None when they name what was wrong, and with which file."""
    lines = [line for line in outcome.errors.splitlines() if line and "warning:" not in line]
    lines = [line for line in lines if SENTENCE.match(line)]
    if len(lines) != 1:
        return f"{len(lines)} sentences"
    if "RUN/" not in lines[0] and "standard output" not in lines[0] and "media/" not in lines[0]:
        return "no file's name"
    return None


def first_difference(one, other):
    for a, b in zip(one.splitlines(), other.splitlines()):
        if a != b:
            return f"{a[:300]}\n  {b[:300]}"
    return f"{len(one)} and {len(other)} characters"
