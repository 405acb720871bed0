#!/usr/bin/env python3
"""Faults of files, folders and signals, against the program: Tests/Programs/Faults/faults.sh says how it is called."""

import argparse
import os
import random
import sys
import time

import cases
import changes
import faults
import signals
import viewer
from world import Case, World


def make_set(world):
    """The set that `convert` and `verify-set` read."""
    case = Case(
        "set", ["strip", f"RUN/media/{cases.MP4}", "--every", "1", "--columns", "2", "--rows", "2", "-o", "RUN/out/set"],
        [cases.MP4])
    path = world.place()
    case.prepare(world, path)
    outcome = world.run(case, path, keep=True)
    if outcome.status:
        raise SystemExit(outcome.errors)
    os.rename(path + "/out/set", world.folder + "/set")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--parts", default="faults,changes,signals,viewer")
    parser.add_argument("--only", type=lambda text: text.split(","), help="the cases of these names, with commas between")
    parser.add_argument("--sample", type=int, help="so many of each case's plans, at random")
    parser.add_argument("--shares", type=int, default=1, help="each so many of the reads")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    world = World(arguments.program, arguments.workers)
    world.seed, world.sample, world.only = arguments.seed, arguments.sample, arguments.only
    start = time.monotonic()
    try:
        make_set(world)
        for part in arguments.parts.split(","):
            if part == "changes":
                changes.run(world)
            if part == "signals":
                signals.run(world)
            if part == "viewer":
                viewer.run(world)
            if part == "faults":
                faults.run(world, [*cases.media_cases(), *cases.sandbox_cases(), *cases.set_cases()], arguments.shares)
    finally:
        world.close()
    print("what was said:")
    for saying in sorted(world.sayings.values()):
        print("   ", saying.replace("\n", "\n      "))
    print(f"{world.runs} runs, {world.injected} calls disturbed, {time.monotonic() - start:.0f} s, "
          f"{len(world.problems)} problems, seed {arguments.seed}")
    sys.exit(1 if world.problems else 0)


main()
