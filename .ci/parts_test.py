"""Tests of parts.py: python3 .ci/parts_test.py (Scripts/lint.sh runs them). Nothing depends on a clock or a date."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True

import parts  # noqa: E402
from parts import Part  # noqa: E402

KNOWN = [("Sources/*", ["wide", "matrix"]), ("Sources/Batch/*", ["batch"]), ("deploy/*", ["deploy"])]


def part(name: str, date: str = "2026-01-01", commit: str = "abc") -> Part:
    return Part(name, 100, date, commit)


def order(*named: tuple[Part, list[list[str]]]) -> list[str]:
    since = {one.name: commits for one, commits in named}
    return [one.name for one in parts.ordered([one for one, _ in named], since, KNOWN)]


class Turns(unittest.TestCase):
    def test_what_a_commit_touches_goes_first(self) -> None:
        commit = [["deploy/README.md", "docs/why.md"]]
        found = order((part("batch"), commit), (part("deploy"), commit), (part("wide"), commit))
        self.assertEqual(found, ["deploy", "batch", "wide"])

    def test_a_pattern_reaches_below_its_folder(self) -> None:
        commit = [["Sources/Batch/Results/Place.swift"]]
        found = order((part("deploy"), commit), (part("batch"), commit), (part("wide"), commit))
        self.assertEqual(found, ["batch", "wide", "deploy"])

    def test_what_is_not_touched_is_not_forgotten(self) -> None:
        # Four commits count as much as one that touches it, and five count more.
        touched = [["deploy/a"]]
        self.assertEqual(order((part("deploy"), touched), (part("batch"), [["docs/a"]] * 4)), ["deploy", "batch"])
        self.assertEqual(order((part("deploy"), touched), (part("batch"), [["docs/a"]] * 5)), ["batch", "deploy"])

    def test_a_commit_counts_once_however_much_it_touches(self) -> None:
        many = [["deploy/a", "deploy/b", "deploy/c"]]
        self.assertEqual(parts.touching("deploy", many, KNOWN), 1)
        self.assertEqual(parts.touching("batch", [*many, [], ["Sources/Batch/a"]], KNOWN), 1)

    def test_of_equal_ones_the_older_goes_first(self) -> None:
        # A clone without history: every part has the same one commit.
        one = [["docs/a"]]
        found = order((part("a", "2026-03-02"), one), (part("b", "2026-03-01"), one), (part("c", "never"), one))
        self.assertEqual(found, ["c", "b", "a"])
        self.assertEqual(order((part("b"), []), (part("a"), [])), ["b", "a"])

    def test_in_pushes_of_any_size_every_part_has_its_turn(self) -> None:
        # The fault of a rotation by the number of commits: pushes of as many as there are parts repeat one of them.
        # Here one part a push runs and is recorded; all commits touch what the first two prove.
        names = ["wide", "matrix", "batch", "deploy"]
        for size in range(1, 9):
            history: list[list[str]] = []
            last = dict.fromkeys(names, 0)
            ran: list[str] = []
            for _ in range(20):
                history += [["Sources/Base/a"]] * size
                first = order(*((part(name), history[last[name]:]) for name in names))[0]
                last[first] = len(history)
                ran.append(first)
            self.assertEqual(set(ran), set(names), f"pushes of {size}: {ran}")
            self.assertGreater(ran.count("wide"), ran.count("deploy"))


class Records(unittest.TestCase):
    TEXT = "# part\tseconds\tpassed\tcommit\na\t10\tnever\t-\nb\t20\t2026-01-01\tabc\n"

    def test_a_run_changes_its_own_lines(self) -> None:
        self.assertEqual(parts.parse(self.TEXT), [Part("a", 10, "never", "-"), Part("b", 20, "2026-01-01", "abc")])
        made = parts.recorded(self.TEXT, ["a"], "2026-02-03", "def")
        self.assertEqual(made, self.TEXT.replace("never\t-", "2026-02-03\tdef"))

    def test_what_did_not_run_is_said_with_its_age(self) -> None:
        commits = [["deploy/a"], ["docs/a"]]
        words = ("deploy (100 s): last passed on 2026-01-01 (3 days ago), 2 commits since, "
                 "1 of which touch what it proves")
        self.assertEqual(parts.missing(part("deploy"), commits, KNOWN, "2026-01-04"), words)
        self.assertIn("(a day ago)", parts.missing(part("deploy"), [], KNOWN, "2026-01-02"))
        self.assertIn("(the same day)", parts.missing(part("deploy"), [], KNOWN, "2025-12-31"))
        never = parts.missing(part("deploy", "never", "-"), commits, KNOWN, "2026-01-02")
        self.assertEqual(never, "deploy (100 s): never passed")


class Repository(unittest.TestCase):
    """What git says, in a repository of three commits whose dates are given."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, value in (("root", self.folder), ("record", self.folder / ".ci/parts.tsv")):
            patch = mock.patch.object(parts, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.git("init", "-q")
        self.commits = [self.commit(day) for day in (1, 2, 3)]

    def git(self, *words: str, date: str = "") -> str:
        who = {f"GIT_{one}_{what}": "a@example" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
        return subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True, text=True,
                              env={**os.environ, **who, **dates}).stdout.strip()

    def commit(self, day: int) -> str:
        (self.folder / f"file {day}").write_text("")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"day {day}", date=f"2026-01-0{day}T12:00:00Z")
        return self.git("rev-parse", "HEAD")

    def test_commits_since_a_run(self) -> None:
        whole = [["file 3"], ["file 2"], ["file 1"]]
        for date, commit, wanted in (
            ("2026-01-01", self.commits[0], whole[:2]), ("2026-01-03", self.commits[2], []), ("never", "-", whole),
            # Without the commit the date counts, and its whole day: rather a commit too many.
            ("2026-01-02", "-", whole[:2]), ("2026-01-02", "0" * 40, whole[:2]), ("2026-01-04", "-", []),
        ):
            self.assertEqual(parts.commits_since(part("a", date, commit)), wanted, (date, commit))

    def test_a_clone_without_history_and_a_folder_without_git(self) -> None:
        shallow = self.folder / "shallow"
        self.git("clone", "-q", "--depth", "1", f"file://{self.folder}", str(shallow))
        with mock.patch.object(parts, "root", shallow):
            # All files came with its one commit.
            whole = [["file 1", "file 2", "file 3"]]
            self.assertEqual(parts.commits_since(part("a", "2026-01-01", self.commits[0])), whole)
            self.assertEqual(parts.commits_since(part("a", "2026-01-04", self.commits[0])), [])
        with tempfile.TemporaryDirectory() as bare, mock.patch.object(parts, "root", Path(bare)):
            self.assertEqual(parts.commits_since(part("a", "never", "-")), [])

    def test_only_the_files_of_a_commit_are_recorded(self) -> None:
        parts.record.parent.mkdir()
        parts.record.write_text(Records.TEXT)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "record")
        self.assertTrue(parts.write(["b"], "2026-02-03"))
        head = self.git("rev-parse", "--short=12", "HEAD")
        self.assertEqual(parts.record.read_text(), Records.TEXT.replace("2026-01-01\tabc", f"2026-02-03\t{head}"))
        # The record itself may have changed, as by the part before.
        self.assertTrue(parts.write(["a"], "2026-02-03"))
        (self.folder / "file 1").write_text("changed")
        self.assertFalse(parts.write(["b"], "2026-02-04"))
        self.assertNotIn("2026-02-04", parts.record.read_text())


class Faults(unittest.TestCase):
    def test_each_fault_is_found(self) -> None:
        known = parts.patterns("# comment\n\nSources/*   a  b\n")
        self.assertEqual(known, [("Sources/*", ["a", "b"])])
        files, sound = ["Sources/x.swift"], [part("a"), part("b")]
        self.assertEqual(parts.faults(sound, known, files, ["a", "b"]), [])
        for wrong in (
            parts.faults(sound, [*known, ("gone/*", ["a"])], files, ["a", "b"]),
            parts.faults(sound, [*known, ("Sources/*", ["c"])], files, ["a", "b"]),
            parts.faults([*sound, part("c")], known, files, ["a", "b", "c"]),
            parts.faults(sound, known, files, ["a"]),
            parts.faults(sound, known, files, ["a", "b", "c"]),
            parts.faults([*sound, part("a")], known, files, ["a", "b"]),
            parts.faults([part("a", "soon"), part("b")], known, files, ["a", "b"]),
        ):
            self.assertEqual(len(wrong), 1, wrong)


if __name__ == "__main__":
    unittest.main()
