"""Signals before and after every call that changes a folder, at some of the reads, and twice; readers that close the pipe."""

import os
import random
import resource
import shutil
import signal

from cases import MP4, TS
from world import Case, half_written, is_finished

ENDS = {"SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "SIGHUP": signal.SIGHUP}
CHANGING = ("create", "write", "link", "rename", "mkdir", "unlink")


def signalled_cases():
    media = f"RUN/media/{MP4}"
    yield Case("strip", ["strip", media, "--count", "6", "--columns", "2", "--rows", "1", "-o", "RUN/out/set"], [MP4])
    yield Case("thumbs", ["thumbs", media, "--profile", "web,jellyfin", "--every", "1", "-o", "RUN/out/set"], [MP4], saved=True)
    yield Case("sheet", ["sheet", media, "--count", "6", "-o", "RUN/out/s.jpg"], [MP4], saved=True)
    yield Case("poster", ["poster", media, "-o", "RUN/out/p.png"], [MP4], saved=True)
    yield Case("posters", ["poster", media, "--count", "3", "-o", "RUN/out/a/p.jpg"], [MP4], saved=True, whole=False)
    yield Case("range", ["seek", media, "f3..f9", "-o", "RUN/out/x-%03d.png"], [MP4], whole=False)
    yield Case("index", ["index", f"RUN/media/{TS}"], [TS], compares=False)
    yield Case("convert", ["convert", "RUN/set", "--to", "hls", "-o", "RUN/out/set"], sets=True)
    yield Case("convert to bif", ["convert", "RUN/set", "--to", "bif", "-o", "RUN/out"], sets=True)
    yield Case("play", ["play", media, "--rate", "max", "--clock", "simulated", "--y4m", "RUN/out/film.y4m"], [MP4], saved=True, compares=False)
    yield Case("strip over another", ["strip", media, "--count", "3", "-o", "RUN/out/set"], [MP4], saved=True, replaces=True)
    yield Case("sandboxed strip", ["strip", media, "--count", "6", "--sandbox", "-o", "RUN/out/set"], [MP4], saved=True)


def check(world, case, rules, name, extra=None):
    path = world.place()
    case.prepare(world, path)
    outcome = world.run(case, path, rules, world.seed, extra, keep=True)
    where, number = f"{case.name}: {rules}: ", ENDS[name]
    if outcome.status == 0:
        if outcome.tree != case.base.tree:
            world.problem(f"{where}exit 0 and {sorted(set(outcome.tree.items()) ^ set(case.base.tree.items()))[:4]}")
    elif outcome.status not in (-number, 128 + number):
        world.problem(f"{where}exit {outcome.status}: {outcome.errors.strip()[-300:]}")
    wrong = half_written(case, outcome)
    # What is finished of a set is there to go on from.
    if wrong and outcome.status and all(h == "folder" or is_finished(n) for n, h in outcome.tree.items()) \
            and not any(n.startswith("temporary:") or n.endswith(".tmp") for n in outcome.cache):
        wrong = None
    if wrong:
        world.problem(f"{where}{wrong}")
    if outcome.left:
        world.problem(f"{where}processes are left: {outcome.left}")
    if not case.replaces:
        shutil.rmtree(path + "/out")
        os.makedirs(path + "/out")
    after = world.run(case, path, keep=True)
    if (after.status, after.tree) != (0, case.base.tree):
        world.problem(f"{where}the run after it: exit {after.status}: {after.errors.strip()[-300:]}")
    shutil.rmtree(path, ignore_errors=True)
    return outcome.touched


def ends(world, cases):
    order = random.Random(world.seed)
    for case in cases:
        case.begin(world)
        calls, todo = case.base.calls, []
        for kind in CHANGING:
            for n in range(1, calls[kind] + 1):
                name = order.choice(list(ENDS))
                todo += [(f"{kind}@{n}={name}", name), (f"{kind}@{n}=+{name}", name)]
        for _ in range(25):
            kind = order.choice([k for k in ("read", "read", "open", "stat", *CHANGING) if calls[k]])
            first, second = (order.randint(1, calls[kind]) for _ in range(2))
            name = order.choice(list(ENDS))
            todo.append((f"{kind}@{first}={name}", name))
            todo.append((f"{kind}@{min(first, second)}={name};{kind}@{max(first, second)}={name}", name))
        todo = world.chosen(todo)
        touched = list(world.pool.map(lambda plan: check(world, case, *plan), todo))
        print(f"{case.name}: {len(todo)} signals, {sum(1 for t in touched if not t)} not sent", flush=True)


def pipes(world):
    """The reader of standard output goes away, or takes no more."""
    media = f"RUN/media/{MP4}"
    for words, whole in [
        (["seek", media, "f0..f60", "--json", "--hash"], True), (["frames", media, "--json"], True),
        (["seek", media, "f3", "-o", "-"], True), (["seek", media, "f0..f20", "-o", "RUN/out/x-%03d.png", "--json"], False),
        (["play", media, "--rate", "max", "--clock", "simulated", "--y4m", "-"], True),
        (["strip", media, "--count", "4", "--json", "-o", "RUN/out/set"], True), (["info", media, "--json"], True)]:
        case = Case(words[0], words, [MP4], whole=whole, saved=True, compares=False)
        case.begin(world)
        for count in (0, 1, 100, 1000):
            outcome = world.run(case, closes_after=count)
            where = f"{' '.join(words)}, closed after {count}: "
            if outcome.status not in (0, -signal.SIGPIPE, 128 + signal.SIGPIPE, 74):
                world.problem(f"{where}exit {outcome.status}: {outcome.errors.strip()}")
            if half_written(case, outcome):
                world.problem(where + half_written(case, outcome))
            if outcome.left:
                world.problem(f"{where}processes are left: {outcome.left}")
        # A limit for the size of files is a full disk that sends a signal first.
        for size in (1, 100, 3000):
            outcome = world.run(case, limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            where = f"{' '.join(words)}, files of at most {size} bytes: "
            if outcome.status not in (0, 74):
                world.problem(f"{where}exit {outcome.status}: {outcome.errors.strip()}")
            if half_written(case, outcome):
                world.problem(where + half_written(case, outcome))
    print("pipes and sizes: done", flush=True)


def run(world):
    ends(world, [case for case in signalled_cases() if world.wants(case.name)])
    if world.wants("pipes"):
        pipes(world)
