"""Files that change while they are open: cut, written over, made longer, replaced, removed; folders that go away."""

import json
import os
import shutil

from cases import MP4, TS, SCRIPT, last_only, without_nanoseconds
from faults import shape
from world import CLIPS, Case, FAILURES, first_difference, half_written, unclear

# A video of the same kind that is longer, so that it can stand in for the other one.
OTHERS = {MP4: "h264-bf3.mp4", TS: "h264-bf3.ts"}


def rows(text):
    """The answers in JSON, each frame or thumbnail with what it claims."""
    found = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            return None
        found += value.get("thumbnails", [value]) if isinstance(value, dict) else [value]
    return found


def claims_wrongly(outcome, base):
    """Whether an answer that is not the undisturbed run's is called exact."""
    answers, due = rows(outcome.output), rows(base.output)
    if answers is None or due is None or len(answers) != len(due):
        return True
    return any(a != b and (not isinstance(a, dict) or a.get("verdict", "exact") == "exact") for a, b in zip(answers, due))


def changed_cases():
    media = lambda name: f"RUN/media/{name}"
    for clip in (MP4, TS):
        kind = clip.split(".")[-1]
        many = [f"{n * 4}%" for n in range(25)]
        yield Case(f"batch {kind}", ["seek", media(clip), *many, "--hash", "--json"], [clip])
        yield Case(f"batch {kind}, saved index", ["seek", media(clip), *many, "--hash", "--json"], [clip], saved=True)
        yield Case(
            f"strip {kind}", ["strip", media(clip), "--count", "12", "--json", "-o", "RUN/out/set"], [clip],
            saved=kind == "mp4")
        yield Case(
            f"drive {kind}", ["drive", media(clip)], [clip], saved=True, normal=without_nanoseconds,
            input="".join(f"SEEK {n * 37 % 80}\n" for n in range(30)).encode() + b"QUIT\n")
    yield Case("sandboxed batch", ["seek", media(TS), *many, "--hash", "--json", "--sandbox"], [TS])
    yield Case("info", ["info", media(MP4), "--json"], [MP4])
    yield Case("frames", ["frames", media(TS), "--json"], [TS])
    gesture = Case(
        "gesture", ["gesture", media(MP4), "--script", "RUN/media/script.json", "--json"], [MP4], saved=True, normal=last_only)
    gesture.script = SCRIPT
    yield gesture


def check(world, case, n, action, due):
    path = world.place()
    case.prepare(world, path)
    clip = case.media[0]
    shutil.copy(f"{CLIPS}/{OTHERS[clip]}", path + "/media/other")
    target = {"FAULT_TARGET": f"RUN/media/{clip}", "FAULT_OTHER": "RUN/media/other"}
    outcome = world.run(case, path, f"read@{n}={action}", world.seed, target, keep=True)
    where, base = f"{case.name}: read@{n}={action}: ", case.base
    tail = outcome.errors.strip().splitlines()[-2:]
    results = []
    if os.path.exists(f"{path}/media/{clip}"):
        # What it has kept must not be about the file as it is now.
        for _ in range(2):
            shutil.rmtree(path + "/out")
            os.makedirs(path + "/out")
            after = world.run(case, path, keep=True)
            results.append((after.status, after.output, after.tree if after.status == 0 else None))
            shutil.rmtree(path + "/cache", ignore_errors=True)
        if results[0] != results[1]:
            world.problem(f"{where}the cache led the next run astray: {results[0][0]}, {results[1][0]}")
    is_drive = case.words[0] == "drive"
    if n == 1 and results and (outcome.status, outcome.output) == results[1][:2]:
        # The first read only looks what kind of file it is: what is opened then is the file as it is afterwards.
        pass
    elif outcome.status == 0:
        # What `drive` cannot answer it says in a line.
        answers = [line for line in outcome.output.splitlines() if not line.startswith("ERROR ")]
        if is_drive and not due:
            wrong = [line for line in answers if line not in base.output.splitlines()]
            if wrong:
                world.problem(f"{where}wrong: {wrong}")
        elif outcome.output != base.output and (due or claims_wrongly(outcome, base)):
            world.problem(f"{where}another answer:\n  {first_difference(outcome.output, base.output)}\n  {tail}")
        if outcome.tree != base.tree and (due or claims_wrongly(outcome, base)):
            world.problem(f"{where}other files: {sorted(set(outcome.tree.items()) ^ set(base.tree.items()))[:4]}")
    elif due or outcome.status not in FAILURES:
        world.problem(f"{where}exit {outcome.status}: {tail}")
    elif unclear(outcome):
        world.problem(f"{where}{unclear(outcome)}: {tail}")
    else:
        world.sayings.setdefault(shape(outcome.errors), f"{where}{outcome.errors.strip()}")
    if outcome.status and half_written(case, outcome):
        world.problem(f"{where}{half_written(case, outcome)}")
    if outcome.left:
        world.problem(f"{where}processes are left: {outcome.left}")
    shutil.rmtree(path, ignore_errors=True)
    return outcome.touched


def media_changes(world, cases):
    for case in cases:
        case.begin(world)
        count = case.base.calls["read"]
        size = os.path.getsize(f"{CLIPS}/{case.media[0]}")
        moments = sorted({1 + count * k // 12 for k in range(12)} | set(range(1, min(count, 6) + 1)) | {count})
        todo = [(n, f"cut:{size * k // 20}", False) for n in moments for k in range(20)]
        todo += [(n, action, False) for n in range(1, count + 1) for action in ("fill", "copy")]
        todo += [(n, action, True) for n in moments for action in ("swap", "longer", "gone")]
        todo = world.chosen(todo)
        touched = list(world.pool.map(lambda plan: check(world, case, *plan), todo))
        print(f"{case.name}: {count} reads, {len(todo)} changes, {sum(1 for t in touched if not t)} without effect", flush=True)
        if not any(touched):
            world.problem(f"{case.name}: nothing was changed at all")


def index_changes(world):
    """Saved indexes that are cut, written over, replaced or removed while they are read; the cache's folder and the outputs' go away."""
    case = Case(
        "saved index", ["seek", f"RUN/media/{MP4}", "f3", "60%", "--hash", "--json"], [MP4], saved=True)
    case.begin(world)
    name = next(n for n in os.listdir(case.baseline) if n.endswith(".scrubindex"))
    size = os.path.getsize(f"{case.baseline}/{name}")
    actions = [f"cut:{size * k // 20}" for k in range(20)] + ["fill", "longer", "gone", "copy"]
    strip = Case(
        "strip", ["strip", f"RUN/media/{MP4}", "--count", "6", "--json", "-o", "RUN/out/set"], [MP4], saved=True)
    strip.begin(world)

    def index(plan):
        kind, n, action = plan
        path = world.place()
        case.prepare(world, path)
        shutil.copy(f"{CLIPS}/h264-bf3.mp4", path + "/media/other")
        outcome = world.run(
            case, path, f"{kind}@{n}={action}", world.seed, {"FAULT_TARGET": f"RUN/cache/{name}", "FAULT_OTHER": "RUN/media/other"})
        if (outcome.status, outcome.output) != (0, case.base.output):
            world.problem(f"saved index: {plan}: exit {outcome.status}: {outcome.errors.strip()}")

    list(world.pool.map(index, [(kind, n, a) for kind in ("open", "read", "stat") for n in range(1, 8) for a in actions]))

    def folder(plan):
        what, kind, n = plan
        path = world.place()
        strip.prepare(world, path)
        outcome = world.run(
            strip, path, f"{kind}@{n}=away", world.seed, {"FAULT_TARGET": f"RUN/{what}", "FAULT_OTHER": "RUN/gone"}, keep=True)
        where = f"{what} goes away, {kind}@{n}: "
        if what != "cache" and outcome.status in FAILURES and not unclear(outcome):
            world.sayings.setdefault(shape(outcome.errors), where + outcome.errors.strip())
        elif outcome.status != 0 or outcome.output != strip.base.output:
            world.problem(f"{where}exit {outcome.status}: {outcome.errors.strip()}")
        left = os.path.exists(path + "/gone/set") and os.listdir(path + "/gone/set")
        if outcome.status and left and [n for n in left if not n.startswith(".scrub-")]:
            world.problem(f"{where}left: {left}")
        shutil.rmtree(path, ignore_errors=True)

    calls = strip.base.calls
    list(world.pool.map(folder, [
        (what, kind, n) for what in ("cache", "out", "out/set") for kind in ("open", "create", "write", "link", "rename", "mkdir")
        for n in range(1, calls[kind] + 1)]))
    print(f"saved index and folders: {21 * len(actions)} and {3 * sum(calls.values())} changes at most", flush=True)


def run(world):
    media_changes(world, [case for case in changed_cases() if world.wants(case.name)])
    if world.wants("saved index"):
        index_changes(world)
