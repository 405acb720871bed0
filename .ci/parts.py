#!/usr/bin/env python3
"""Which parts of .ci/run have their turn, by what changed since each last passed, and the record of when that was.

    parts.py order            the parts with their seconds, the one whose turn it is first
    parts.py record PART…     they passed now, at HEAD: into .ci/parts.tsv, unless files differ from HEAD's
    parts.py report [PART…]   what has not run, and for how long; without the parts that have
    parts.py check            what lint wants of .ci/paths.txt, .ci/parts.tsv and .ci/run

A part's turn is a sum over the commits since it last passed: each counts 1, one that touches what the part proves
(.ci/paths.txt) counts 4. So what changes runs often, and what does not is not forgotten. Nothing asks for today's
date: the same commit with the same record always has the same order.

A run of CI cannot commit. `.ci/run` writes the record into its clone, and whoever ran it commits .ci/parts.tsv. Of a
commit that the clone does not have, the date counts.
"""

from __future__ import annotations

import dataclasses
import datetime
import fnmatch
import re
import signal
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
record = root / ".ci/parts.tsv"
paths = root / ".ci/paths.txt"
TOUCHED = 4
Commits = list[list[str]]  # the files of each


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    seconds: int
    date: str  # of the last run that passed, or "never"
    commit: str  # of that run, or "-"


def parse(text: str) -> list[Part]:
    """The record."""
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return [Part(name, int(seconds), date, commit) for name, seconds, date, commit in rows]


def recorded(text: str, names: list[str], date: str, commit: str) -> str:
    """The record with these parts as passed then and there."""
    made = []
    for line in text.splitlines():
        name, seconds, *_ = line.split("\t")
        made.append(f"{name}\t{seconds}\t{date}\t{commit}" if name in names else line)
    return "\n".join(made) + "\n"


def patterns(text: str) -> list[tuple[str, list[str]]]:
    """The map of paths: a pattern and its parts."""
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return [(row[0], row[1:]) for row in rows]


def touching(part: str, commits: Commits, known: list[tuple[str, list[str]]]) -> int:
    """How many of the commits touch what the part proves."""
    own = [pattern for pattern, parts in known if part in parts]
    return sum(any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in own) for names in commits)


def ordered(parts: list[Part], since: dict[str, Commits], known: list[tuple[str, list[str]]]) -> list[Part]:
    """The part with the most unproved commits first; of equal ones the older run, then the record's order."""
    def turn(part: Part) -> tuple[int, str]:
        commits = since[part.name]
        count = len(commits) + (TOUCHED - 1) * touching(part.name, commits, known)
        return -count, "" if part.date == "never" else part.date
    return sorted(parts, key=turn)


def missing(part: Part, commits: Commits, known: list[tuple[str, list[str]]], today: str) -> str:
    """One line about a part that did not run."""
    head = f"{part.name} ({part.seconds} s)"
    if part.date == "never":
        return f"{head}: never passed"
    days = (datetime.date.fromisoformat(today) - datetime.date.fromisoformat(part.date)).days
    ago = "the same day" if days <= 0 else "a day ago" if days == 1 else f"{days} days ago"
    return (f"{head}: last passed on {part.date} ({ago}), {len(commits)} commits since, "
            f"{touching(part.name, commits, known)} of which touch what it proves")


def faults(parts: list[Part], known: list[tuple[str, list[str]]], files: list[str], cases: list[str]) -> list[str]:
    """What is wrong with the record and the map."""
    names = [part.name for part in parts]
    mapped = {name for _, proved in known for name in proved}
    wrong = [f".ci/paths.txt: {pattern} matches no file" for pattern, _ in known if not fnmatch.filter(files, pattern)]
    wrong += [f".ci/paths.txt: there is no part {name}" for name in sorted(mapped - set(names))]
    wrong += [f".ci/paths.txt: nothing leads to {name}" for name in names if name not in mapped]
    wrong += [f".ci/parts.tsv lists {name}, which .ci/run does not have" for name in names if name not in cases]
    wrong += [f".ci/run has {name}, which .ci/parts.tsv does not list" for name in cases if name not in names]
    wrong += [f".ci/parts.tsv lists {name} twice" for name in sorted(set(names)) if names.count(name) > 1]
    wrong += [f".ci/parts.tsv: {part.name}: '{part.date}' is neither a date nor never" for part in parts
              if not re.fullmatch(r"never|\d{4}-\d\d-\d\d", part.date)]
    return wrong


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def commits_since(part: Part) -> Commits:
    """The commits that the part's last run did not have; merges are their commits."""
    limit = ["HEAD"]
    if part.date != "never":
        isKnown = git("cat-file", "-t", part.commit)
        limit = [f"{part.commit}..HEAD"] if isKnown else [f"--since={part.date}T00:00:00Z", "HEAD"]
    # A character that no name has begins each commit.
    log = git("log", "--no-merges", "--name-only", "--format=%x00", *limit)
    return [names.strip("\n").split("\n") for names in log.split("\0")[1:]]


def write(names: list[str], date: str) -> bool:
    """Records that these parts passed at HEAD, if its files are the ones that are here."""
    commit = git("rev-parse", "--short=12", "HEAD").strip()
    if not commit or git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!.ci/parts.tsv"):
        return False
    record.write_text(recorded(record.read_text(), names, date, commit))
    return True


def main(verb: str, names: list[str]) -> int:
    parts, known = parse(record.read_text()), patterns(paths.read_text())
    if unknown := set(names) - {part.name for part in parts}:
        sys.exit(f"parts: there is no part {', '.join(sorted(unknown))}")
    if verb == "check":
        cases = re.findall(r"^    ([a-z0-9-]+)\)", (root / ".ci/run").read_text(), re.MULTILINE)
        wrong = faults(parts, known, git("ls-files").splitlines(), cases)
        print(*(f"parts: {line}" for line in wrong), sep="\n", end="\n" if wrong else "", file=sys.stderr)
        return 1 if wrong else 0
    if verb == "record":
        if not write(names, f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}"):
            print(f"parts: {' '.join(names)}: not recorded, because these are not the files of a commit")
        return 0
    since = {part.name: commits_since(part) for part in parts}
    turns = ordered(parts, since, known)
    if verb == "order":
        for part in turns:
            print(part.name, part.seconds)
    else:
        today = git("log", "-1", "--format=%cs").strip() or max(part.date for part in parts if part.date != "never")
        for part in turns:
            if part.name not in names:
                print(missing(part, since[part.name], known, today))
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("order", "record", "report", "check"):
        sys.exit(__doc__)
    # A reader may have enough early (`order | head`).
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
