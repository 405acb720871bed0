"""Never a flash, never an old picture after a newer one: also when answers come late and out of order."""

import json
import random

from sampler import SHUFFLE, check, gaps, percentile
from server import rested
from world import case

LAST = 209


def shuffled(seed, deaf, longest):
    wishes = {"seed": seed, "deaf": deaf, "longest": longest, "match": "/frame?"}
    return f"{SHUFFLE.strip()}({json.dumps(wishes)});"


def restless(page, seed, moves):
    """Moves on the timeline as people do: sweeps, jumps, small steps back and forth, stops; then a key or two."""
    random_ = random.Random(seed)
    track, mouse = page.box("timeline"), page.tab.mouse
    y = track["y"] + track["height"] / 2
    place, speed = random_.random(), 0.0
    mouse.move(track["x"] + place * track["width"], y)
    mouse.down()
    for _ in range(moves):
        kind = random_.random()
        if kind < 0.05:
            place = random_.random()
        elif kind < 0.12:
            speed = random_.uniform(-0.03, 0.03)
        elif kind < 0.16:
            speed = 0.0
            page.tab.wait_for_timeout(random_.choice([30, 120]))
        place = min(1, max(0, place + speed + random_.uniform(-0.002, 0.002)))
        mouse.move(track["x"] + place * track["width"], y)
    mouse.up()
    for _ in range(random_.randrange(6)):
        page.press(random_.choice(["ArrowRight", "ArrowLeft", "Shift+ArrowRight", "End", "3"]))


def run_shuffled(run, deaf, seeds, longest):
    for seed in seeds:
        page = run.open(scripts=(shuffled(seed, deaf, longest),))
        try:
            page.sample()
            restless(page, seed, 80)
            last = page.check()
            check(page.sampled(), last=last)
        except AssertionError as problem:
            raise AssertionError(f"seed {seed}: {problem}") from None


@case(weight=4)
def plain(run):
    run.page.sample()
    restless(run.page, 1, 200)
    last = run.page.check()
    rows = run.page.sampled()
    check(rows, last=last)
    run.note(f"{len(rows)} paints looked at")


@case(opened=False, weight=5)
def answers_late_and_shuffled(run):
    run_shuffled(run, deaf=False, seeds=(11, 12, 13), longest=120)


@case(opened=False, weight=5)
def answers_that_were_given_up_come_all_the_same(run):
    run_shuffled(run, deaf=True, seeds=(21, 22, 23), longest=120)


@case(opened=False, weight=4)
def answers_very_late(run):
    run_shuffled(run, deaf=True, seeds=(31,), longest=700)


def drag(page, moves, place):
    """A drag on the timeline, a move for each paint of the browser; `place` is the share of the track after a share of the moves."""
    track, mouse = page.box("timeline"), page.tab.mouse
    y = track["y"] + track["height"] / 2
    mouse.move(track["x"] + 5, y)
    mouse.down()
    for move in range(moves):
        mouse.move(track["x"] + 5 + place(move / (moves - 1)) * (track["width"] - 10), y)
    mouse.up()


@case(files=("big",), own=True, server=("--memory", "96"), weight=9)
def three_hundred_moves_at_1080p(run):
    """300 moves at 60 a second over a film that memory does not hold: something new is never long in coming, it ends exact, one
    decode at most is under way, what is given up really stops, and no memory stays behind."""
    page, server = run.page, run.server
    drag(page, 120, lambda share: share * 37 % 1)
    page.check(path=run.files["big"])
    first, memory = rested(server), server.memory()
    page.sample()
    # There, and back more slowly.
    drag(page, 300, lambda share: 2 * share if share < 0.5 else 2 - 1.6 * share)
    page.idle()
    rows = page.sampled()
    last = page.check(path=run.files["big"])
    check(rows, last=last)
    counts = rested(server)
    begun, cancelled = (counts[name] - first[name] for name in ("decodesBegun", "decodesCancelled"))
    assert counts["underWayByClientMax"] <= 1, f"{counts['underWayByClientMax']} decodes at once for one client"
    assert begun > 10, f"300 moves began {begun} decodes"
    grown = server.memory() - memory
    assert grown < 24 << 20, f"300 moves took {grown >> 20} MiB that did not come back"
    late = gaps(rows)
    run.note(f"{len(late)} pictures in {(rows[-1]['now'] - rows[0]['now']) / 1000:.1f} s; p50 {percentile(late, .5):.0f} ms, "
             f"p95 {percentile(late, .95):.0f} ms; {begun} decodes, {cancelled} given up; "
             f"memory {memory >> 20} MiB {grown / (1 << 20):+.1f} MiB")
