"""The nth call fails, gives less or is interrupted: every n, until there is no such call any more."""

import os
import re
import shutil

from world import FAILURES, first_difference, half_written, is_transient, unclear

# What `strip` says about a strip that already exists, in the place of its cost.
CURRENT = ", left unchanged: made from the same film with the same options"

# What each class of calls may answer, and whether the program must not even notice.
HARMLESS = {
    "read": ["read@{0}x5=EINTR;read@{5}=short", "read@*=short"],
    "write": ["write@{0}x3=EINTR", "write@{0}=short", "write@*=short"],
    "open": ["open@{0}x2=EINTR"],
    "create": ["create@{0}x2=EINTR"],
    "lock": ["lock@{0}x2=EINTR"],
    "message": ["message@{0}x3=EINTR"],
}
HARMFUL = {
    "read": ["EIO"],
    "write": ["ENOSPC", "EIO"],
    "open": ["EMFILE", "EIO", "EACCES"],
    "create": ["ENFILE", "EROFS", "ENOSPC", "EOPNOTSUPP"],
    "link": ["EIO", "ENOSPC", "EACCES"],
    "rename": ["EIO", "ENOSPC"],
    "mkdir": ["EACCES", "EROFS", "ENOSPC"],
    "sync": ["EIO"],
    "size": ["ENOSPC"],
    "lock": ["ENOLCK"],
    "unlink": ["EIO"],
    "stat": ["EIO"],
}


MAY_LEAVE = re.compile("unlink|open@[0-9]+(x[0-9]+)?=E(MFILE|IO|ACCES)")


def plans(case, shares):
    """All rules for a case, each with whether the right answer is due. `shares` takes each so many of the reads."""
    calls = case.base.calls
    for name, patterns in HARMLESS.items():
        for pattern in patterns:
            if "*" in pattern:
                if calls[name]:
                    yield pattern, True
                continue
            for n in range(1, calls[name] + 1, shares if name in ("read", "message") else 1):
                # The call after the burst is the first one that is read again.
                yield pattern.format(*range(n, n + 6)), True
    for name, errors in HARMFUL.items():
        for error in errors:
            # A file's state is looked at after each read.
            step = {"read": shares, "stat": 1 + calls[name] // 20}.get(name, 1)
            for n in range(1, calls[name] + 1, step):
                yield f"{name}@{n}={error}", False
            # From some call on none succeeds: a disk that is full, a table of files that is.
            for n in range(1, calls[name] + 1, max(1, calls[name] // 6)):
                yield f"{name}@{n}x1000000={error}", False
    for seed in range(1, 6):
        yield f"read~300=some;write~300=some#{seed}", True


def check(world, case, plan, due):
    """One run with one plan, and what comes of the cache afterwards."""
    rules, _, seed = plan.partition("#")
    path = world.place()
    case.prepare(world, path)
    outcome = world.run(case, path, rules, int(seed or world.seed), keep=True)
    where = f"{case.name}: {plan}: "
    base = case.base
    say = world.problem
    tail = outcome.errors.strip().splitlines()[-3:]
    if outcome.status == 0:
        if case.compares and outcome.output != base.output:
            say(f"{where}another answer:\n  {first_difference(outcome.output, base.output)}\n  {tail}")
        if outcome.tree != base.tree and not (MAY_LEAVE.match(plan) and is_left_over(outcome, base)):
            say(f"{where}other files: {sorted(set(outcome.tree.items()) ^ set(base.tree.items()))[:4]}")
    elif due:
        say(f"{where}exit {outcome.status} where the answer is due: {tail}")
    elif outcome.status not in FAILURES:
        say(f"{where}exit {outcome.status}: {tail}")
    elif unclear(outcome):
        say(f"{where}{unclear(outcome)}: {tail}")
    else:
        world.sayings.setdefault(shape(outcome.errors), f"{where}{outcome.errors.strip()}")
    wrong = half_written(case, outcome)
    # Who may not remove, or list what is to be removed, leaves what is there.
    if wrong and not (MAY_LEAVE.match(plan) and "left behind" in wrong):
        say(f"{where}{wrong}")
    if outcome.left:
        say(f"{where}processes are left: {outcome.left}")
    if outcome.cache and (outcome.touched or due):
        # What it has kept must not lead the next one astray.
        if not case.replaces:
            shutil.rmtree(path + "/out")
            os.makedirs(path + "/out")
        after = world.run(case, path, keep=True)
        # A set that is there after all is not made again.
        output = after.output.replace(CURRENT, "") if case.replaces else after.output
        if (after.status, after.tree) != (base.status, base.tree) or case.compares and output != base.output:
            say(f"{where}the run after it: exit {after.status}: {after.errors.strip()[-300:]}")
    shutil.rmtree(path, ignore_errors=True)
    return outcome.touched


def is_left_over(outcome, base):
    """Whether nothing differs but what could not be removed."""
    return {n: h for n, h in outcome.tree.items() if not is_transient(n)} == base.tree


def shape(text):
    """Words without numbers and names, so that each kind of saying stands once."""
    return re.sub(r"RUN/\S+", "FILE", re.sub(r"\d+", "N", text.strip()))


def run(world, cases, shares):
    for case in filter(lambda case: world.wants(case.name), cases):
        case.begin(world)
        todo = world.chosen(list(plans(case, shares)))
        touched = list(world.pool.map(lambda plan: check(world, case, *plan), todo))
        calls = {k: v for k, v in case.base.calls.items() if v}
        print(f"{case.name}: {calls}, {len(todo)} plans, {sum(1 for t in touched if not t)} without effect", flush=True)
        if not any(touched):
            world.problem(f"{case.name}: nothing was injected at all")
