"""Tests of growth.py: python3 Benchmarks/growth_test.py (Scripts/lint.sh runs them)."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
sys.dont_write_bytecode = True

from growth import media, page, plot, process  # noqa: E402
from growth.curve import Curve, curves  # noqa: E402
from growth.steps import STEPS  # noqa: E402

HEAD = {"processor": "P", "cores": 2, "memory_gib": 4.0, "kernel": "6.1", "versions": {"scrub": "1"}, "build": "b", "date": "2026-01-02T03:04:05+00:00"}


def results(folder: str, *lines: dict) -> Path:
    for number, line in enumerate(lines):
        Path(folder, f"{number}.json").write_text(json.dumps({"head": HEAD, "kind": "film", "group": "mp4", **line}))
    return Path(folder)


def point(n: int, seconds: float, **more: object) -> dict:
    return {"n": n, "steps": {"seek": {"seconds": [seconds, 2 * seconds], "cpu": [seconds], "mib": [50.0]}}, **more}


class CurveTests(unittest.TestCase):
    def test_slopes_of_powers_are_their_exponents(self) -> None:
        for exponent in (0, 0.5, 1, 2):
            slopes = Curve([(n, 3 * n**exponent) for n in (10, 100, 1000, 5000)], 1).slopes()
            for slope in slopes:
                self.assertAlmostEqual(slope, exponent)

    def test_what_is_linear_with_a_start_is_never_steeper_than_one(self) -> None:
        curve = Curve([(n, 40 + n / 1000) for n in (1000, 10_000, 100_000, 1_000_000)], 1)
        self.assertTrue(all(0 < slope < 1 for slope in curve.slopes()))
        self.assertTrue(curve.is_within)
        self.assertAlmostEqual(curve.each, 0.001)

    def test_a_square_is_found(self) -> None:
        self.assertIs(Curve([(100, 1.0), (1000, 2.0), (10_000, 120.0)], 1).is_within, False)

    def test_what_is_to_be_constant_and_grows_is_found(self) -> None:
        self.assertIs(Curve([(100, 1.0), (1000, 1.1)], 0).is_within, True)
        self.assertIs(Curve([(100, 1.0), (1000, 1.6)], 0).is_within, False)

    def test_one_size_or_nothing_says_nothing(self) -> None:
        self.assertIsNone(Curve([(100, 1.0)], 1).is_within)
        self.assertEqual(Curve([(100, 0.0), (1000, 1.0)], 1).slopes(), [None])
        self.assertEqual(Curve([(100, 2.0), (1000, 1.0)], 1).each, 0)

    def test_the_least_of_the_rounds_counts(self) -> None:
        series = {"points": [{"n": 10, "seconds": [3.0, 1.0], "cpu": []}, {"n": 1, "seconds": [2.0]}]}
        found = curves(series, {"seconds": 1, "cpu": 1})
        self.assertEqual(found["seconds"].points, [(1, 2.0), (10, 1.0)])
        self.assertEqual(list(found), ["seconds"])


class PageTests(unittest.TestCase):
    def test_the_page_says_what_is_faster_than_it_must_be(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            figures = page.collect(results(folder, point(1000, 0.01), point(10_000, 0.1)))
        (line,) = page.faster(figures)
        self.assertTrue(line.startswith("The frame in the middle"))
        self.assertIn("time, slope 1.00 instead of 0, 10 µs for one more frame.", line)
        self.assertNotIn("memory", line)
        text = page.page(figures)
        self.assertIn("| MP4 | time | 10 ms | 100 ms | 1.00 | 0 | 10 µs | faster |", text)
        self.assertIn("| MP4 | memory | 50 MiB | 50 MiB | 0.00 | 0 | 0 B |  |", text)
        self.assertEqual(json.loads(page.text(figures)), figures)
        for name, picture in page.pictures(figures).items():
            self.assertTrue(xml.fromstring(picture).tag.endswith("svg"))
            self.assertIn(f"({page.PICTURES}/{name})", text)

    def test_results_of_two_builds_do_not_go_together(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            results(folder, point(1000, 1), point(10_000, 1, head=HEAD | {"build": "other"}))
            with self.assertRaises(SystemExit):
                page.collect(Path(folder))

    def test_amounts(self) -> None:
        self.assertEqual(page.amount(0.0123, "seconds"), "12.3 ms")
        self.assertEqual(page.amount(2e-8, "cpu"), "20 ns")
        self.assertEqual(page.amount(340_000_000, "bytes"), "340 MB")
        self.assertEqual(page.one_more(Curve([(0, 1.0), (1 << 20, 35.0)], 1), "mib"), "34 B")

    def test_steps_have_names_of_their_own(self) -> None:
        for steps in STEPS.values():
            self.assertEqual(len({step.name for step in steps}), len(steps))


class PlotTests(unittest.TestCase):
    def test_one_size_and_one_value_can_be_drawn(self) -> None:
        xml.fromstring(plot.growth("t", "s", "frames", {"a": [(1000, 1.0)]}))

    def test_higher_is_more_and_right_is_many(self) -> None:
        drawn = xml.fromstring(plot.growth("t", "s", "frames", {"a": [(1000, 1.0), (10_000, 5.0)]}))
        (x1, y1), (x2, y2) = ((float(one.get("cx")), float(one.get("cy"))) for one in drawn.iter("{http://www.w3.org/2000/svg}circle"))
        self.assertTrue(x1 < x2 and y1 > y2)

    def test_powers_of_ten(self) -> None:
        self.assertEqual([plot.power(exponent) for exponent in (-5, -2, 0, 3, 7)], ["10⁻⁵", "0.01", "1", "1,000", "10⁷"])


class MediaTests(unittest.TestCase):
    def test_a_film_of_its_own_ends_with_a_whole_box(self) -> None:
        first, second = media.other(b"film", 1), media.other(b"film", 2)
        self.assertNotEqual(first, second)
        self.assertEqual(int.from_bytes(first[4:8], "big"), len(first) - 4)

    def test_names_are_of_their_shelf(self) -> None:
        self.assertEqual(len({media.name(number) for number in range(1000)}), 1000)
        self.assertEqual(media.name(99_999), "0999/099999.mp4")


class ProcessTests(unittest.TestCase):
    def test_figures_are_those_of_the_process_alone(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            large = b"x" * (200 << 20)
            done = process.run(["/bin/sh", "-c", "echo said; echo wrong >&2; exit 3"], Path(folder))
            self.assertEqual((done.code, done.text, done.errors), (3, "said\n", "wrong\n"))
            # Not what this process, or the one that started it, has.
            self.assertLess(done.mib, 100)
            del large

    def test_what_takes_too_long_is_asked_to_end(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = process.run(["/bin/sh", "-c", "trap 'exit 75' TERM; while :; do sleep 0.05; done"], Path(folder), limit=1)
            self.assertEqual(done.code, 75)

    def test_bytes_of_a_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + "/below")
            Path(folder, "a.x").write_bytes(b"12")
            Path(folder, "below", "b.y").write_bytes(b"345")
            self.assertEqual((process.byte_count(Path(folder)), process.byte_count(Path(folder), ".x")), (5, 2))


if __name__ == "__main__":
    unittest.main()
