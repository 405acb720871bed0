"""Tests of report.py: python3 Benchmarks/report_test.py (Scripts/lint.sh runs them)."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
sys.dont_write_bytecode = True

from comparison.series import Series, append, read as series_of  # noqa: E402
from suite import adapters, chart, figures, markdown, outcome, run  # noqa: E402
from suite.cases import CASES, Case, Measure, Plan  # noqa: E402
from suite.clips import Clip  # noqa: E402

CLIP = Clip(Path("/films/a.mp4"), "h264", 1920, 1080, 900, 30.0, 21.0)


def head(**more: object) -> dict:
    return {
        "kind": "measured", "processor": "P", "cores": 2, "memory_gib": 4.0, "kernel": "6.1", "versions": {"scrub": "scrub 1"}, "quick": True,
        "date": "2026-01-02T03:04:05+00:00", "load": [0.5], "seconds": 9.0, "clips": [CLIP.facts()], "left_out": {}, "command": "c", **more,
    }


def folder(root: str, case: str, lines: list[dict], name: str = "a.mp4/0.jsonl") -> Path:
    file = Path(root, case, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return Path(root)


def line(one: Series) -> dict:
    with tempfile.TemporaryDirectory() as place:
        append(Path(place, "x"), one)
        return json.loads(Path(place, "x").read_text())


class SeriesTests(unittest.TestCase):
    def test_those_whose_time_ran_out_are_compared_over_what_they_answered(self) -> None:
        one = Series("a", "random", "ms", {"scrub": [10, 10, 1000, 1000], "other": [20, 20]})
        self.assertEqual(one.times_as_fast("scrub", "other"), 2)

    def test_more_is_better_where_it_says_so(self) -> None:
        self.assertEqual(Series("a", "x", "frames/s", {"scrub": [30], "other": [10]}, "more").times_as_fast("scrub", "other"), 3)

    def test_nothing_is_compared_with_nothing(self) -> None:
        self.assertIsNone(Series("a", "x", "ms", {"scrub": [30], "other": []}).times_as_fast("scrub", "other"))


class OutcomeTests(unittest.TestCase):
    def rows(self, one: Series, measure: Measure = Measure("Time")) -> list[outcome.Row]:
        return outcome.rows([figures.summary(one)], measure)

    def test_a_rival_with_a_wrong_picture_is_not_the_fastest(self) -> None:
        one = Series("a", "time", "ms", {"scrub": [10], "wrong": [1], "right": [20]}, checked={"wrong": [1, 0, 9], "right": [0, 0, 9]})
        row = self.rows(one)[0]
        self.assertEqual((row.rival, row.ratio, row.ahead), ("right", 2, True))

    def test_a_remark_takes_a_rival_out(self) -> None:
        row = self.rows(Series("a", "time", "ms", {"scrub": [10], "other": [1]}, remarks={"other": "other pictures"}))[0]
        self.assertEqual((row.rival, row.ahead), (None, None))

    def test_a_slower_one_is_behind_and_says_by_how_much(self) -> None:
        row = self.rows(Series("a", "time", "ms", {"scrub": [30, 30], "other": [10, 35]}))[0]
        self.assertFalse(row.ahead)
        self.assertFalse(row.is_sure)
        self.assertEqual(outcome.behind(row), "takes 1.33 times as long as other ~")

    def test_a_goal_counts_and_not_the_rival(self) -> None:
        measure = Measure("In time", goals={"scrub, made": 99}, share=True)
        one = Series("a", "in time", "%", {"scrub, made": [98], "scrub, cold": [50], "mpv": [3]}, "more")
        made, cold = self.rows(one, measure)
        self.assertEqual((made.ahead, cold.ahead), (False, None))
        self.assertEqual(outcome.behind(made), "98 % (goal: at least 99)")

    def test_few_pairs_or_pairs_that_disagree_may_be_chance(self) -> None:
        values = {"two": ([1, 1], [9, 9]), "three": ([1, 1, 1], [9, 9, 9]), "mixed": ([1, 1, 9, 9], [8, 8, 8, 8])}
        sure = {name: self.rows(Series("a", "t", "ms", {"scrub": own, "other": other}))[0].is_sure for name, (own, other) in values.items()}
        self.assertEqual(sure, {"two": False, "three": True, "mixed": False})

    def test_a_rival_is_shown_beside_a_time_of_nothing(self) -> None:
        row = self.rows(Series("a", "gap", "ms", {"scrub": [0], "mpv": [300]}))[0]
        self.assertEqual((row.rival, row.ratio, row.ahead), ("mpv", None, None))

    def test_a_rival_without_a_picture_is_not_the_fastest(self) -> None:
        one = Series("a", "time", "ms", {"scrub": [10], "none": [1], "right": [20]}, checked={"none": [0, 9, 9], "right": [0, 0, 9]})
        self.assertEqual((self.rows(one)[0].rival, one.is_right("none")), ("right", False))

    def test_a_time_that_says_only_that_nothing_was_waited_for_is_a_bound(self) -> None:
        measure = Measure("Gap", least=1)
        for own in (0, 0.015):
            row = self.rows(Series("a", "gap", "ms", {"scrub": [own], "mpv": [300]}), measure)[0]
            self.assertEqual((row.ratio, row.ahead, markdown._row(row, False, measure)[1:4]), (300, True, ["under 1", "mpv 300", "over 300 ~"]))
        row = self.rows(Series("a", "gap", "ms", {"scrub": [3], "mpv": [300]}), measure)[0]
        self.assertEqual((row.ratio, markdown._row(row, False, measure)[1:4]), (100, ["3", "mpv 300", "100 ~"]))

    def test_a_mean_is_compared_by_its_mean(self) -> None:
        row = self.rows(Series("a", "steps", "ms", {"scrub": [0, 0, 30], "other": [20, 20, 20]}, statistic="mean"))[0]
        self.assertEqual(row.ratio, 2)


class AdapterTests(unittest.TestCase):
    def test_results_of_all_rivals(self) -> None:
        phase = {"planned": 2, "asked": 2, "ms": [4, 6], "other": [[7, 1]]}
        result = {"kind": "result", "clip": "a", "rival": "scrub", "pictures": "native", "true_frames": 9, "open_ms": [3], "peak_mb": 50,
                  "phases": {"first": phase, "random": phase, "steps-back": phase}, "failed": None, "exact": False}
        found = {one.measure: one for one in adapters.compared([{"kind": "run"}, result])}
        self.assertEqual(set(found), {"open", "random", "steps-back", "memory"})
        self.assertEqual((found["random"].statistic, found["steps-back"].statistic), ("median", "mean"))
        self.assertEqual(found["random"].checked, {"scrub": [3, 0, 6]})

    def test_an_error_is_no_wrong_picture(self) -> None:
        phase = {"planned": 3, "asked": 3, "ms": [4], "other": [[7, 1]], "damaged": [8], "errors": [[9, "no picture"]]}
        result = {"kind": "result", "clip": "a", "rival": "opencv", "pictures": "native", "true_frames": 9, "phases": {"random": phase}}
        self.assertEqual(adapters.compared([result])[0].checked, {"OpenCV": [2, 1, 3]})

    def test_lines_of_before_have_two_numbers(self) -> None:
        old = line(Series("a", "speed", "frames/s", {"scrub": [1.0]}, checked={"scrub": [2, 9]}))
        self.assertEqual(series_of([old])[0].checked, {"scrub": [2, 0, 9]})

    def test_gestures_leave_out_what_failed(self) -> None:
        key = {"clip": "a", "gesture": "drag", "way": "warm", "right": 60, "moves": 120, "gapMs": 5, "restMs": None}
        found = adapters.gestures([key, {**key, "way": "mpv", "error": "it crashed"}])
        self.assertEqual([(one.measure, one.values) for one in found],
                         [("in time", {"scrub, previews made": [50]}), ("gap", {"scrub, previews made": [5]})])

    def test_batches_compare_sheets_with_the_same_work_and_with_more(self) -> None:
        seconds = {"scrub": 2, "scrub-tiles": 1, "ffmpeg-key": 8}
        found = adapters.batches([{"run": name, "files": 9, "seconds": value} for name, value in seconds.items()])
        self.assertEqual({one.measure: one.values for one in found}, {
            "web sets": {"scrub batch": [2], "ffmpeg, sheets alone": [8]}, "sheets": {"scrub batch": [1], "ffmpeg for each": [8]}})


class FigureTests(unittest.TestCase):
    def collected(self, *parts: list[dict]) -> dict:
        with tempfile.TemporaryDirectory() as place:
            for number, lines in enumerate(parts):
                folder(place, "play", lines, f"a.mp4/{number}.jsonl")
            return figures.collect(Path(place))

    def test_parts_are_pooled_and_the_file_says_the_same(self) -> None:
        one = Series("a.mp4", "speed", "frames/s", {"scrub": [100.0], "ffmpeg": [80.0]}, "more")
        two = Series("a.mp4", "speed", "frames/s", {"scrub": [120.0], "ffmpeg": [80.0]}, "more")
        made = self.collected([head(), line(one)], [head(load=[1.5]), line(two)])
        self.assertEqual(made["cases"]["play"]["series"][0]["ways"]["scrub"], [2, 110, 100, 120])
        self.assertEqual(made["load"], [0.5, 1.5])
        self.assertEqual(json.loads(figures.text(made)), made)

    def test_two_machines_do_not_go_together(self) -> None:
        one = line(Series("a.mp4", "speed", "frames/s", {"scrub": [1.0]}, "more"))
        with self.assertRaises(SystemExit) as ended:
            self.collected([head(), one], [head(cores=4), one])
        self.assertIn("cores", str(ended.exception))

    def test_the_page_says_misses_and_what_was_not_measured(self) -> None:
        one = Series("a.mp4", "speed", "frames/s", {"scrub": [50.0], "ffmpeg": [100.0]}, "more")
        made = self.collected([head(left_out={"mpv": "it is not installed"}), line(one)])
        page = markdown.page(made)
        self.assertIn("- **Decoding from end to end: speed**, 1 of 1. a.mp4: 0.50 of ffmpeg's speed ~.", page)
        self.assertIn("Left out: mpv, it is not installed.", page)
        self.assertIn("Not measured: it was not asked for.", page)
        self.assertIn("| 0.50 ~ | behind |", page)

    def test_the_table_of_the_readme_has_headlines_alone(self) -> None:
        one = Series("2 films", "speed", "frames/s", {"scrub": [50.0], "fine": [25.0], "other": [100.0]}, "more", checked={"scrub": [0, 0, 9], "other": [2, 3, 9]})
        two = Series("2 films", "memory", "MiB", {"scrub": [50.0], "third": [100.0]})
        with tempfile.TemporaryDirectory() as place:
            made = figures.collect(folder(place, "loaders", [head(), line(one), line(two)]))
        rows = markdown.readme_table(made).splitlines()[2:]
        self.assertEqual(rows, [
            "| [Four workers: speed](docs/benchmarks.md#four-workers-speed) | 2.00 | 2 films: 50 frames/s, fine 25 |  |",
            "| [Four workers: wrong or missing pictures](docs/benchmarks.md#four-workers-wrong-and-missing-pictures) |  | Scrub 0 of 9; other 2 wrong and 3 missing |  |"])

    def test_every_heading_that_the_page_links_to_is_there(self) -> None:
        one = Series("a.mp4", "speed", "frames/s", {"scrub": [50.0], "ffmpeg": [100.0]}, "more")
        page = markdown.page(self.collected([head(), line(one)]))
        self.assertIn("(#decoding-from-end-to-end-speed)", page)
        self.assertIn("### Decoding from end to end: speed\n", page)


class ChartTests(unittest.TestCase):
    def bars(self, text: str) -> list[dict]:
        return [item.attrib for item in xml.fromstring(text).iter() if item.tag.endswith("rect")][1:]

    def test_bars_begin_at_one_and_go_to_their_side(self) -> None:
        made = [figures.summary(Series(clip, "time", "ms", {"scrub": [10.0], "other": [10 * ratio]})) for clip, ratio in (("a<b", 4), ("c", 0.5))]
        text = chart.ratios("T & t", outcome.rows(made, Measure("Time")), False)
        ahead, slower = self.bars(text)
        self.assertEqual((ahead["class"], slower["class"]), ("ahead", "behind"))
        one = float(ahead["x"])
        self.assertAlmostEqual(float(slower["x"]) + float(slower["width"]), one, delta=0.2)
        self.assertAlmostEqual(float(ahead["width"]), 2 * float(slower["width"]), delta=0.2)

    def test_of_many_rows_the_worst_of_each_clip_is_drawn(self) -> None:
        made = [figures.summary(Series(f"a, {number}", "time", "ms", {"scrub": [10.0], "other": [10.0 + number]})) for number in range(30)]
        shown = chart.worst(outcome.rows(made, Measure("Time")))
        self.assertEqual([row.clip for row in shown], ["a, 0"])


class RunTests(unittest.TestCase):
    def test_what_is_there_is_not_measured_again_and_what_failed_is(self) -> None:
        with tempfile.TemporaryDirectory() as place, mock.patch.object(run, "_build_driver"), contextlib.redirect_stderr(io.StringIO()), \
                mock.patch.dict(os.environ, {"COMPARE_PYTHON": sys.executable, "SCRUB": __file__}):
            script = Path(place, "script.py")
            script.write_text("import sys, pathlib\nassert sys.argv[1] == '--json'\npathlib.Path(sys.argv[2]).write_text('{}\\n')\n"
                              f"open({str(Path(place, 'calls'))!r}, 'a').write('x')\nsys.exit(pathlib.Path({place!r}, 'fail').exists())\n")
            case = Case("play", "T", "A.", str(script), lambda plan, clips, out: ["--json", str(out)], {})
            plan = Plan(True, [CLIP], Path(place))
            Path(place, "fail").touch()
            run.run(plan, [case])
            self.assertTrue(Path(place, "raw/play/a.mp4/0.error").exists())
            Path(place, "fail").unlink()
            run.run(plan, [case])
            run.run(plan, [case])
            self.assertEqual(Path(place, "calls").read_text(), "xx")
            self.assertEqual([file.name for file in Path(place, "raw/play/a.mp4").iterdir()], ["0.jsonl"])

    def test_quick_and_full_results_and_those_of_two_builds_are_kept_apart(self) -> None:
        with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ, {"SCRUB": __file__}):
            run.claim(Plan(True, [], Path(place)))
            run.claim(Plan(True, [], Path(place)))
            with self.assertRaisesRegex(SystemExit, "of quick runs"):
                run.claim(Plan(False, [], Path(place)))
            with self.assertRaisesRegex(SystemExit, "another build"), mock.patch.dict(os.environ, {"SCRUB": sys.executable}):
                run.claim(Plan(True, [], Path(place)))

    def test_no_place_of_this_machine_is_written(self) -> None:
        self.assertEqual(run._shown(["/films/a.mp4", "--folder", "/films", "/w/films", "/b/scrub"], [CLIP], Path("/w")),
                         "CLIP --folder CLIPS OUT/films scrub")
        self.assertEqual(run._left_out("compare: ffms2 is left out: /home/x/ffms2-driver is not installed\nPyAV: not installed, left out\n"),
                         {"ffms2": "ffms2-driver is not installed", "PyAV": "not installed"})

    def test_comparisons_have_names_of_their_own(self) -> None:
        self.assertEqual(len({case.name for case in CASES}), len(CASES))


if __name__ == "__main__":
    unittest.main()
