#!/usr/bin/env python3
"""Damaged files by the thousand through scrub, each beside ffmpeg's linear decode of the same file.

Goes on where it was stopped. Findings are lines of findings.jsonl in the folder of the work, with the seed and the number that
make the file again; summary.json has the counts.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import time

from judge import Judge
from programs import Mutator, Program
from state import StateJudge, takes

# Numbers from here on are changes of what a decoder keeps (Mutator.firstWithState).
FIRST_WITH_STATE = 1_000_000


def seeds(folders, limit):
    """Names and paths, small files only: what a file is decoded for must not be its length."""
    found = []
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and 0 < os.path.getsize(path) <= limit:
                found.append((name, path))
    return found


class Work:
    """Where it stands, kept in a file."""

    def __init__(self, folder, first=0):
        self.path = os.path.join(folder, "summary.json")
        self.findings = os.path.join(folder, "findings.jsonl")
        self.state = {"next": first, "seconds": 0.0, "findings": {}, "verdicts": {}, "statuses": {}, "compared": 0,
                      "other numbers": 0, "peak KiB": 0, "slowest": 0.0, "ffmpeg stopped": 0}
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.state.update(json.load(file))

    def take(self, job, report):
        state = self.state
        for finding in report["findings"]:
            state["findings"][finding["kind"]] = state["findings"].get(finding["kind"], 0) + 1
        for verdict, count in report["verdicts"].items():
            state["verdicts"][verdict] = state["verdicts"].get(verdict, 0) + count
        status = str(report["status"])
        state["statuses"][status] = state["statuses"].get(status, 0) + 1
        state["compared"] += report.get("compared", 0)
        state["other numbers"] += report.get("other numbers", 0)
        state["ffmpeg stopped"] += 1 if report.get("oracle") else 0
        state["peak KiB"] = max(state["peak KiB"], report["peak"])
        state["slowest"] = max(state["slowest"], report["slowest"])
        if report["findings"]:
            with open(self.findings, "a") as file:
                file.write(json.dumps({**job, **report}) + "\n")

    def save(self):
        with open(self.path + ".new", "w") as file:
            json.dump(self.state, file, indent=1)
        os.replace(self.path + ".new", self.path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scrub", required=True)
    parser.add_argument("--mutate", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--revive", required=True)
    parser.add_argument("--ffmpeg", default="ffmpeg")
    parser.add_argument("--work", required=True)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--first", type=int, default=0, help="begin behind so many of them")
    parser.add_argument("--only", nargs=2, metavar=("SEED", "NUMBER"), help="this file alone, and everything about it")
    parser.add_argument("--again", metavar="FINDINGS", help="the files of a findings.jsonl once more, with another scrub perhaps")
    parser.add_argument("--keep", help="with --only: keep the file here")
    parser.add_argument("--seed-limit", type=int, default=256 << 10, help="bytes that a seed may have")
    parser.add_argument("--state", action="store_true", help="change what a decoder keeps, and ask for every frame in each way")
    parser.add_argument("--memory", type=int, default=1024, help="MiB that a run may take")
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()

    os.makedirs(options.work, exist_ok=True)
    known = seeds(options.folders, options.seed_limit)
    if options.state:
        known = [seed for seed in known if takes(seed[0])]
    if not known:
        sys.exit("no seed in " + ", ".join(options.folders))
    room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=room) as folder:
        mutator = Mutator(options.mutate)
        scrub = Program(options.scrub, options.shim, folder)
        judge = (StateJudge if options.state else Judge)(
            scrub, Program(options.ffmpeg, options.shim, folder), options.revive, folder, options.memory << 10)

        def one(index, name, path, number):
            made = os.path.join(folder, "mutant" + os.path.splitext(name)[1])
            what = mutator.make(name, path, number, made)
            if options.state:
                made, container = judge.wrapped(made, os.path.splitext(name)[1], number)
                what = f"{container}: {what}"
            job = {"index": index, "seed": name, "number": number, "what": what[:300]}
            return job, judge.judge(made, index, path), made

        if options.only:
            name, number = options.only[0], int(options.only[1])
            path = dict(known)[name]
            job, report, made = one(known.index((name, path)) + number * len(known), name, path, number)
            print(json.dumps({**job, **report}, indent=1))
            if options.keep:
                with open(made, "rb") as source, open(options.keep, "wb") as target:
                    target.write(source.read())
            return

        work = Work(options.work, options.first)
        if options.again:
            with open(options.again) as file:
                jobs = {(job["index"], job["seed"], job["number"]) for job in map(json.loads, file)}
            for index, name, number in sorted(jobs):
                job, report, _ = one(index, name, dict(known)[name], number)
                work.take(job, report)
                work.state["next"] += 1
                work.save()
            print(json.dumps(work.state, indent=1))
            return
        stop = []
        for wanted in (signal.SIGTERM, signal.SIGINT):
            signal.signal(wanted, lambda *_: stop.append(True))
        begin, before = time.monotonic(), work.state["seconds"]
        while work.state["next"] < options.count and not stop:
            index = work.state["next"]
            name, path = known[index % len(known)]
            number = index // len(known) + (FIRST_WITH_STATE if options.state else 0)
            job, report, _ = one(index, name, path, number)
            work.take(job, report)
            work.state["next"] = index + 1
            work.state["seconds"] = round(before + time.monotonic() - begin, 1)
            if index % 50 == 49:
                work.save()
        work.save()
        print(json.dumps(work.state, indent=1))


main()
